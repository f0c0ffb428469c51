import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../../documents/document-error.ts';
import { nextDecisionId, pendingDecision, type Decision } from '../../../engine/decision.ts';
import { phases } from '../session-words.ts';
import { decisionKeys } from './decisions-file.ts';
import { readStatus, writeStatus, type Status } from './status-file.ts';

const file = '.agents-work/2026-05-01_csv-export/status.json';
const at = '2026-05-01T10:00:00.000Z';

const pending = pendingDecision('UD-1', { question: 'Which one?', binding: true }, { at, context: 'DESIGN' });

/** As the file has it. */
const written = {
  decision_id: 'UD-1',
  question: 'Which one?',
  status: 'pending',
  answer: null,
  asked_at: at,
  resolved_at: null,
  state_context: 'DESIGN',
  resolution_reason: null,
};

const base: Status = {
  current_state: 'DESIGN',
  session: '2026-05-01_csv-export',
  mode: 'full',
  assumptions: ['UTF-8'],
  user_decisions: [pending],
  gate_tracking: { APPROVE_DESIGN: { correction_status: 'queued', last_correction_dispatch: null } },
  runtime_flags: { copilot_instructions_exists: false, copilot_checked_at: at },
  retry_counts: { 'T-001': { FIX_REVIEW: 1 } },
  known_issues: [],
  last_ci_result: 'unknown',
  last_update: at,
};

const statusKeys = Object.keys(base);

test('a status is written in one form: known keys in their order, two blanks, a line break', () => {
  const text = writeStatus(undefined, base);
  expect(Object.keys(JSON.parse(text))).toEqual(statusKeys);
  expect(JSON.parse(text).user_decisions).toEqual([written]);
  expect(Object.keys(decisionKeys)).toEqual(Object.keys(written));
  expect(text.startsWith('{\n  "current_state": "DESIGN",\n')).toBe(true);
  expect(text.endsWith('\n}\n')).toBe(true);
  expect(readStatus(text, file)).toEqual({ status: base, repairs: [] });
});

test('what Pawl does not know stays, behind what it knows', () => {
  const before = JSON.stringify({
    team: 'a',
    current_state: 'INTAKE',
    user_decisions: [
      { ...written, ticket: 7 },
      { decision_id: 'UD-9', gone: true },
    ],
    gate_tracking: { APPROVE_DESIGN: { note: 'x' }, LEGAL: {} },
    known_issues: ['old'],
  });
  const after = JSON.parse(writeStatus(before, { ...base, extra: { goal: 'g', known_issues: ['never'] } }));
  expect(Object.keys(after)).toEqual([...statusKeys, 'team', 'goal']);
  expect(after.known_issues).toEqual([]);
  expect(after.user_decisions).toEqual([{ ...written, ticket: 7 }]);
  expect(after.gate_tracking).toEqual({
    APPROVE_DESIGN: { correction_status: 'queued', last_correction_dispatch: null, note: 'x' },
    LEGAL: {},
  });
  expect(writeStatus('not json', base)).toBe(writeStatus(undefined, base));
});

test.each<[Partial<Decision>, string]>([
  [{ answer: 'x' }, 'UD-1 is pending with an answer'],
  [{ resolvedAt: at }, 'UD-1 is pending, resolved_at'],
  [{ status: 'answered', resolvedAt: at, answer: ' ' }, 'UD-1 is answered without an answer'],
  [{ status: 'answered', resolvedAt: at }, 'UD-1 is answered without an answer'],
  [{ status: 'answered', answer: 'x' }, 'UD-1 is answered, resolved_at null'],
  [{ status: 'cancelled', resolvedAt: at }, 'UD-1 is cancelled without a reason'],
  [{ status: 'skipped', resolvedAt: at, reason: '' }, 'UD-1 is skipped without a reason'],
  [{ context: 'ASK_USER' }, 'UD-1 belongs to ASK_USER'],
  [{ id: '' }, 'a decision has no id'],
])('a decision with %j is not written', (change, problem) => {
  expect(() => writeStatus(undefined, { ...base, user_decisions: [{ ...pending, ...change }] })).toThrow(problem);
});

test('a mandatory gate has one decision at most [session/decisions/well-known-unique]', () => {
  const gate: Decision = { ...pending, id: 'UD-APPROVE-DESIGN', context: 'APPROVE_DESIGN' };
  expect(() => writeStatus(undefined, { ...base, user_decisions: [gate, gate] })).toThrow(
    'UD-APPROVE-DESIGN stands there twice',
  );
});

test('ids go on behind the highest [session/decisions/ids-sequential]', () => {
  const ids = ['UD-2', 'UD-APPROVE-DESIGN', 'UD-11', 'my-own'];
  expect(nextDecisionId(ids)).toBe('UD-12');
  expect(nextDecisionId([])).toBe('UD-1');
});

test.each<[string, string]>([
  ['{\n"current_state": 3}', `${file}:2: current_state is 3; expected one of INTAKE`],
  ['{}', `${file}:1: current_state is missing; expected one of INTAKE`],
  ['{"current_state": "PLAN",\n"mode": "turbo"}', `${file}:2: mode is "turbo"; expected one of full, lean`],
  ['{"current_state": "PLAN",\n"gate_tracking": []}', `${file}:2: gate_tracking is []`],
  [
    '{"current_state": "PLAN", "gate_tracking": {\n"APPROVE_DESIGN": {\n"correction_status": "odd"}}}',
    `${file}:3: gate_tracking.APPROVE_DESIGN.correction_status is "odd"`,
  ],
  [
    '{"current_state": "PLAN", "retry_counts": {\n"T-001": {\n"FIX_TESTS": -1}}}',
    `${file}:3: retry_counts.T-001.FIX_TESTS is -1`,
  ],
])('%j is refused at its line', (text, message) => {
  expect(() => readStatus(text, file)).toThrow(message);
});

test('[session row 128] a finished session is read whatever else is in its file, and that is told', () => {
  const text = '{"current_state": "DONE", "mode": "turbo", "retry_counts": {"T-001": -1}, "known_issues": ["slow"]}';
  const { status, repairs } = readStatus(text, file);
  expect(status).toMatchObject({ current_state: 'DONE', mode: 'full', retry_counts: {}, known_issues: ['slow'] });
  expect(repairs).toContain('mode cannot be read; it is left out.');
  expect(repairs).toContain('retry_counts cannot be read; it is left out.');
});

test('a status of a decision that nobody knows counts for nothing', () => {
  const user_decisions = [
    { decision_id: 'UD-1', question: 'Which?', status: 'constructor' },
    { decision_id: 'UD-2', question: 'Which?', status: 'constructor', answer: 'tabs' },
  ];
  const { status, repairs } = readStatus(JSON.stringify({ current_state: 'PLAN', user_decisions }), file);
  expect(status.user_decisions.map((each) => each.status)).toEqual(['pending', 'answered']);
  expect(repairs).toContain('user_decisions[0].status is "constructor"; read as "pending".');
});

test('decisions that share an id keep their own unknown keys', () => {
  const user_decisions = [
    { decision_id: 'scope', question: 'Which?' },
    { decision_id: 'scope', question: 'Why?', reason: [] },
    { decision_id: 'UD-APPROVE-DESIGN', asked_at: '2026-05-02', note: 'newer' },
    { decision_id: 'UD-APPROVE-DESIGN', asked_at: '2026-05-01', note: 'older', ticket: 7 },
  ];
  const text = JSON.stringify({ current_state: 'PLAN', user_decisions });
  const { status } = readStatus(text, file);
  expect(status.user_decisions.map(({ id, extra }) => [id, extra])).toMatchObject([
    ['scope', undefined],
    ['UD-1', { reason: [] }],
    ['UD-APPROVE-DESIGN', { note: 'newer' }],
  ]);
  const rewritten = writeStatus(text, status);
  expect(JSON.parse(rewritten).user_decisions[2]).not.toHaveProperty('ticket');
  expect(readStatus(rewritten, file)).toEqual({ status, repairs: [] });
});

test('without a name in the file or its path there is no session', () => {
  expect(() => readStatus('{"current_state": "DONE"}', 'status.json')).toThrow('status.json:1: session is missing');
});

describe('any status', () => {
  const key = fc.constantFrom<string>(...statusKeys, 'extra', '__proto__', 'toString', 'own');
  const word = fc.oneof(
    fc.constantFrom<string>(
      ...phases,
      'pending',
      'answered',
      'Cancelled',
      'ask_user',
      'UD-1',
      'UD-APPROVE-DESIGN',
      'lean',
      'none',
      '',
    ),
    fc.jsonValue(),
  );
  const decision = fc.oneof(
    fc.string(),
    fc.dictionary(
      fc.constantFrom(
        'decision_id',
        'question',
        'status',
        'answer',
        'asked_at',
        'resolved_at',
        'state_context',
        'resolution_reason',
        'id',
        'decision',
        'answered_at',
        'topic',
        'reason',
        'own',
      ),
      word,
    ),
    fc.jsonValue(),
  );
  const counts = fc.dictionary(
    fc.constantFrom('T-001', 'meta', 'FIX_BUILD'),
    fc.oneof(fc.nat(4), fc.dictionary(fc.constantFrom('FIX_TESTS', 'review', 'x'), fc.nat(4))),
  );
  const odd = fc
    .tuple(
      fc.constantFrom<string>(...phases, 'design'),
      fc.dictionary(key, word),
      fc.option(fc.array(decision, { maxLength: 5 }), { nil: undefined }),
      fc.option(counts, { nil: undefined }),
    )
    .map(([current_state, others, user_decisions, retry_counts]) => ({
      ...others,
      current_state,
      user_decisions,
      retry_counts,
    }));

  test('is read whole or refused with a DocumentError, and what is read can be written (S1, S3)', () => {
    let read = 0;
    fc.assert(
      fc.property(odd, (value) => {
        const text = JSON.stringify(value, null, 1);
        let status: Status;
        try {
          ({ status } = readStatus(text, file));
        } catch (error) {
          expect(error).toBeInstanceOf(DocumentError);
          return;
        }
        read++;
        const rewritten = writeStatus(text, status);
        const again = readStatus(rewritten, file);
        expect(again.status).toEqual(status);
        expect(again.repairs).toEqual([]);
        expect(writeStatus(rewritten, again.status)).toBe(rewritten);
      }),
      { numRuns: 300 },
    );
    expect(read).toBeGreaterThan(30);
  });
});
