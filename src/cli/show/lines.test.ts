import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../runtime/host.ts';
import { Columns } from './columns.ts';
import { checked, ended, moved, question, started } from './event-samples.fixture.ts';
import { Narrator } from './lines.ts';
import { styleOf } from './screen.ts';

const env = { LANG: 'C.UTF-8', TERM: 'xterm' };

function told(events: readonly RunEvent[], { columns = Infinity, beginnings = false, verbose = false } = {}): string[] {
  const narrator = new Narrator(new Columns(styleOf({}, env), () => columns), { beginnings, verbose });
  return [...events.flatMap((event) => narrator.tell(event)), ...narrator.flush()];
}

test('a run is opened with the state it was found in', () => {
  expect(told([{ type: 'opened', phase: 'challenged' }])).toEqual(['Current state: phase=challenged']);
  expect(told([{ type: 'opened', phase: null }])).toEqual(['Current state: new']);
});

test('preparing a worktree: the beginning where nothing else shows it, and what is to be noted', () => {
  const events: RunEvent[] = [
    { type: 'preparing', what: 'worktree: npm ci' },
    { type: 'prepared', notes: ['warning: .env is not copied'] },
  ];
  const end = [
    '· prepared               the worktree is ready',
    '                         warning: .env is not copied',
  ];
  expect(told(events)).toEqual(end);
  expect(told(events, { beginnings: true })).toEqual(['▸ preparing              worktree: npm ci', ...end]);
});

describe('N1: work and the transition it caused are one line', () => {
  test('a dispatch', () => {
    expect(told([started({ item: 'limits' }), moved('propose', 'reported', 'list_tasks', null), ended()])).toEqual([
      '✓ planner      gemini    propose limits → list tasks                     1.4s   1.5k tok  $0.010',
    ]);
  });

  test('a verdict is named; the change of phase comes after it', () => {
    const dispatch = { role: 'challenger', step: 'challenge', agent: 'codex' };
    expect(
      told([
        { type: 'opened', phase: 'proposed' },
        started({ ...dispatch, model: 'gpt-5' }),
        moved('challenge', 'approved', 'challenged', 'challenged'),
        ended({ ...dispatch, signal: 'approved', usage: { inputTokens: null, outputTokens: null, costUsd: null } }),
      ]),
    ).toEqual([
      'Current state: phase=proposed',
      '✓ challenger   codex gpt-5  challenge: approved → challenged                1.4s      ? tok  cost unknown',
      '◆ phase                     proposed → challenged',
    ]);
  });

  test('a fault shows what went wrong, whole', () => {
    const problem = 'gemini ended with exit code 137\nstderr: \u001B[31mkilled';
    expect(
      told([started(), moved('propose', 'failed', 'propose', null), ended({ signal: 'failed', problem })]),
    ).toEqual([
      '✗ planner      gemini    propose: failed → propose                       1.4s   1.5k tok  $0.010',
      '                         gemini ended with exit code 137',
      '                         stderr: killed',
    ]);
  });

  test('a check, with its notes', () => {
    const notes = ['tests: passed', 'types: not available'];
    expect(
      told([
        { type: 'check.started', check: 'run_checks' },
        checked('run_checks', 'ran', notes),
        moved('run_checks', 'ran', 'review', null),
      ]),
    ).toEqual(['· check                  run checks → review  tests: passed · types: not available']);
  });

  test('many notes are listed, the rest counted', () => {
    const notes = Array.from({ length: 60 }, (_, index) => `High: file.md:${index}: something is wrong here`);
    const lines = told([checked('validate', 'invalid', notes)]);
    expect(lines).toHaveLength(42);
    expect(lines[0]).toBe('· check                  validate: invalid');
    expect(lines.at(-1)).toContain('and 20 more lines');
  });

  test('a dispatch that was not needed', () => {
    expect(
      told([
        { type: 'dispatch.skipped', step: 'implement', why: 'nothing left to do' },
        moved('implement', 'reported', 'tally', null),
      ]),
    ).toEqual(['· skipped                implement  nothing left to do']);
  });
});

test('commands, answers and stops are transitions of their own', () => {
  expect(
    told([
      moved('new', 'plan', 'survey'),
      { type: 'asked', decision: 'revision', question },
      moved('ask_revision', 'continue', 'revise'),
      moved('revise', 'over_budget', 'proposed'),
    ]),
  ).toEqual([
    '◆ phase                  new → proposed',
    '· answer                 continue → revise',
    '· stopped                revise: over budget → proposed',
  ]);
});

test('N3: what only the machine needs is told by a verbose narrator alone', () => {
  const events = [
    moved('new', 'plan', 'survey'),
    checked('survey', 'nothing'),
    moved('survey', 'nothing', 'propose'),
    started(),
    moved('propose', 'reported', 'order'),
    ended(),
    checked('order', 'complete'),
    moved('order', 'complete', 'validate'),
    checked('validate', 'invalid'),
    moved('validate', 'invalid', 'revise'),
    { type: 'asked', decision: 'revision', question } as const,
    moved('ask_revision', 'continue', 'revise'),
  ];
  expect(told(events)).toEqual([
    '◆ phase                  new → proposed',
    '✓ planner      gemini    propose                                         1.4s   1.5k tok  $0.010',
    '· check                  validate: invalid → revise',
    '· answer                 continue → revise',
  ]);
  expect(told(events, { verbose: true })).toEqual([
    '· command                plan: new → survey',
    '◆ phase                  new → proposed',
    '· check                  survey: nothing → propose',
    '✓ planner      gemini    propose → order                                 1.4s   1.5k tok  $0.010',
    '· check                  order: complete → validate',
    '· check                  validate: invalid → revise',
    '· answer                 continue: ask revision → revise',
  ]);
});

const answered = (decision: string, signal: string, to: string): RunEvent => ({
  type: 'moved',
  from: 'asking',
  signal,
  to,
  kind: 'decide',
  phase: null,
  decision,
});

test('one answer of several is told by what it answers; own words by what they were taken for; warnings as such', () => {
  expect(
    told([
      { type: 'asked', decision: 'UD-1', question },
      answered('UD-1', 'noted', 'asking'),
      answered('UD-2', 'noted', 'asking'),
      answered('UD-3', 'answered', 'done'),
      { type: 'understood', decision: 'UD-3', as: 'approved' },
      { type: 'warning', message: 'the state file could not be written' },
    ]),
  ).toEqual([
    '· answer                 noted: UD-1',
    '· answer                 noted: UD-2',
    '· answer                 answered → done',
    '· answer                 UD-3 is understood as: approved',
    '! warning                the state file could not be written',
  ]);
});

test('N2: a transition whose dispatch never ends is told all the same', () => {
  expect(
    told([
      { type: 'opened', phase: 'proposed' },
      started(),
      { type: 'recovered', message: 'propose was cut off' },
      moved('propose', 'interrupted', 'proposed'),
      { type: 'rested', outcome: 'interrupted', phase: 'proposed' },
    ]),
  ).toEqual([
    'Current state: phase=proposed',
    '↻ recovered              propose was cut off',
    '· stopped                propose: interrupted → proposed',
  ]);
});

test("a withdrawn question is nobody's command", () => {
  expect(told([{ type: 'opened', phase: 'proposed' }, moved('ask_revision', 'withdrawn', 'proposed')])).toEqual([
    'Current state: phase=proposed',
    '· withdrawn              ask revision → proposed',
  ]);
});

test('where nothing is redrawn, beginnings and waits are lines too', () => {
  expect(
    told(
      [
        started(),
        { type: 'dispatch.output', id: 'change.x#1', text: 'hello' },
        { type: 'dispatch.usage', id: 'change.x#1', usage: ended().usage },
        { type: 'report.filed', id: 'change.x#1', tool: 'create_proposal' },
        { type: 'waiting', ms: 5_000, attempt: 2, why: 'it failed\nbadly' },
        { type: 'asked', decision: 'revision', question },
        { type: 'notified', by: 'command', problem: null },
        { type: 'notified', by: 'webhook', problem: 'could not be reached' },
      ],
      { beginnings: true },
    ),
  ).toEqual([
    '▸ planner      gemini    propose                                       40 agent calls, $50.00 left',
    '· waiting                retry 2 in 5.0s',
    '? decision               revision is asked',
    '· notify                 the command was told',
    '! notify                 the webhook failed: could not be reached',
  ]);
});

describe('on narrow terminals', () => {
  const events = [
    started({ role: 'challenger', step: 'challenge', model: 'gpt-5-codex' }),
    moved('challenge', 'needs_minor_revision', 'ask_revision', null),
    ended({ role: 'challenger', step: 'challenge', signal: 'needs_minor_revision' }),
  ];

  test('tokens and the model go first, then spaces, then the target', () => {
    expect(told(events, { columns: 90 })).toEqual([
      '✓ challenger   gemini    challenge: needs minor revision → ask revision  1.4s  $0.010',
    ]);
    expect(
      told([events[0]!, moved('challenge', 'needs_minor_revision', 'revise', null), events[2]!], { columns: 80 }),
    ).toEqual(['✓ challenger   gemini    challenge: needs minor revision → revise  1.4s  $0.010']);
    expect(told(events, { columns: 80 })).toEqual([
      '✓ challenger   gemini    challenge: needs minor revision           1.4s  $0.010',
    ]);
  });

  test('then the figures get a line of their own; nothing is cut', () => {
    expect(told(events, { columns: 50 })).toEqual([
      '✓ challenger  gemini  challenge: needs minor revision',
      '    1.4s  $0.010',
    ]);
  });

  test('messages are wrapped at words', () => {
    const message = 'review was cut off and is started again; what it had written is kept';
    expect(told([{ type: 'recovered', message }], { columns: 80 })).toEqual([
      '↻ recovered              review was cut off and is started again; what it had',
      '    written is kept',
    ]);
  });
});
