import { describe, expect, test } from 'vitest';
import { designDigest } from './gates.ts';
import * as paths from './files/session-paths.ts';
import {
  at,
  after,
  answeredDecision,
  askedOf,
  checkOf,
  decisionOf,
  dispatched,
  later,
  ledger,
  plannedFiles,
  questionIn,
  run,
  statusFile,
  viewOf,
  type CheckSetting,
} from './session.fixture.ts';
import { answerOnDisk, checks, strategyOnDisk } from './checks.ts';

const approved = { ...answeredDecision('UD-APPROVE-DESIGN', 'approved'), context: 'APPROVE_DESIGN' };
const approvedDesign = designDigest(viewOf({ files: plannedFiles }));
const working: CheckSetting = {
  state: 'recheck',
  returnTo: 'review',
  files: plannedFiles,
  flags: { mode: 'per_batch' },
  decisions: ledger(approved),
  data: { approvedDesign, runtime: { instructions: false, checkedAt: at } },
};

test('what is as it was approved lets the work go on', async () => {
  expect((await checks.recheck(checkOf(working))).signal).toEqual({ name: 'intact', data: {} });
});

describe('a design that is not the approved one', () => {
  const edited = { ...plannedFiles, [paths.specPath(run)]: '# Something else\n' };

  test('is approved again, the decision pending on record [session/design/bound]', async () => {
    const { signal } = await checks.recheck(checkOf({ ...working, files: edited }));
    expect(signal.name).toBe('design_changed');
    expect(after(viewOf(working), signal).snapshot.decisions['UD-APPROVE-DESIGN']).toMatchObject({ status: 'pending' });
  });

  test('nor is one whose approval was put off since, or is another answer now [session/design/bound]', async () => {
    const deferred = { ...approved, status: 'cancelled', answer: null, reason: 'deferred' } as const;
    const changes = { ...approved, answer: 'changes-requested: cut it' };
    const kept = { ...deferred, answer: 'approved' };
    for (const decision of [deferred, kept, changes]) {
      const { signal } = await checks.recheck(checkOf({ ...working, decisions: ledger(decision) }));
      expect(signal.name).toBe('design_changed');
    }
  });

  test.each([
    ['before there is an approval', { returnTo: 'architect' }],
    ['in a lean session', { flags: { mode: 'lean' } }],
  ])('is none %s', async (_, setting) => {
    expect((await checks.recheck(checkOf({ ...working, files: edited, ...setting }))).signal.name).toBe('intact');
  });
});

test('a strategy that is gone, or not canonical, is chosen again [session/strategy/re-read]', async () => {
  const files = { ...plannedFiles, ...statusFile({ user_decisions: [approved] }) };
  const { signal } = await checks.recheck(checkOf({ ...working, files }));
  expect(signal.name).toBe('no_strategy');
  const asked = after(viewOf(working), signal).snapshot;
  expect(asked.decisions['UD-REVIEW-STRATEGY']).toMatchObject({ status: 'pending' });
  expect((await checks.recheck(checkOf({ ...working, files, returnTo: 'plan' }))).signal.name).toBe('intact');
});

test('files that changed since they were judged are judged again [session/review/edited-while-waiting]', async () => {
  const history = [dispatched('review', { tree: 'tree' })];
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'tree' }))).signal.name).toBe('intact');
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'other' }))).signal.name).toBe('code_changed');
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'other', returnTo: 'plan' }))).signal.name).toBe(
    'intact',
  );
});

test('nobody knows what was changed meanwhile, so every gate looks at it [session/review/edited-while-waiting]', async () => {
  const history = [dispatched('review', { tree: 'tree' })];
  const touched = { behaviour: true, risky: true };
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'other' }))).signal.data).toMatchObject({
    touched,
  });
  expect((await checks.recheck(checkOf({ ...working, history }))).signal.data).not.toHaveProperty('touched');
});

test('what an attempt left behind that came to nothing was judged by nobody [session/review/edited-while-waiting]', async () => {
  const failed = dispatched('fix_review', { tree: 'other', signal: 'timed_out', problem: 'took too long' });
  const history = [dispatched('review', { tree: 'tree' }), failed];
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'other' }))).signal.name).toBe('code_changed');
  expect((await checks.recheck(checkOf({ ...working, history, tree: 'tree' }))).signal.name).toBe('intact');
});

describe('where the way leads to a question, it is pending on record', () => {
  test.each([
    ['approve_design', 'UD-APPROVE-DESIGN'],
    ['review_strategy', 'UD-REVIEW-STRATEGY'],
  ])('%s [session/decisions/pending-before-asking]', async (returnTo, id) => {
    const { signal } = await checks.recheck(checkOf({ ...working, returnTo }));
    expect(after(viewOf({ ...working, returnTo }), signal).snapshot.decisions[id]).toMatchObject({ status: 'pending' });
  });

  test('who shall correct is asked again after a deferral, not whether it is approved [session/table/gate-deferred]', async () => {
    const proposed = { proposedCorrection: { summary: 'cut it', role: 'Architect' } };
    const context = checkOf({ ...working, returnTo: 'approve_design', data: { ...working.data, ...proposed } });
    const { data } = (await checks.recheck(context)).signal;
    const asked = viewOf({
      state: 'approve_design',
      files: plannedFiles,
      decisions: ledger(decisionOf({ id: 'UD-APPROVE-DESIGN' })),
      data: { ...context.snapshot.data, ...data },
    });
    expect(questionIn(asked)).toMatchObject({
      title: 'Who should correct the design?',
      detail: 'You asked for: cut it',
    });
  });

  test('a batch keeps what was answered, so that it still counts [session/decisions/security-never-cancelled]', async () => {
    const parts = [
      { question: 'a', binding: true },
      { question: 'b', binding: true },
    ];
    const asked = askedOf('ask_security', parts, working);
    const half = after(asked, { name: 'noted', resolves: [{ id: 'UD-1', answer: 'fix-now' }] });
    const stopped = after(half, { name: 'withdrawn', problem: { code: 'cancelled', message: 'by a person' } });
    const going = after(stopped, { name: 'retry' }).snapshot;
    const { signal } = await checks.recheck(checkOf({ ...working, ...going }));
    const again = after({ ...stopped, snapshot: going }, signal).snapshot;
    expect(again).toMatchObject({
      state: 'ask_security',
      asked: { ids: ['UD-1', 'UD-3'] },
      decisions: { 'UD-3': { question: 'b', status: 'pending', context: 'IMPLEMENT_LOOP' } },
    });
  });
});

test('flags of the host are looked at again where they are missing [session/flags/detected]', async () => {
  const files = { ...plannedFiles, 'AGENTS.md': 'x' };
  const { approvedDesign: digest } = working.data ?? {};
  for (const runtime of [undefined, { instructions: false, checkedAt: null }]) {
    const data = { approvedDesign: digest ?? null, ...(runtime && { runtime }) };
    const { signal } = await checks.recheck(checkOf({ ...working, files, data, at: later }));
    expect(signal.data).toEqual({ runtime: { instructions: true, checkedAt: later } });
  }
});

describe('status.json on disk', () => {
  const decide = (answer: string, status: 'answered' | 'pending' = 'answered') => {
    const decision = answeredDecision('UD-REVIEW-STRATEGY', answer);
    const pending = { ...decision, status, answer: null, resolvedAt: null };
    return viewOf({ files: statusFile({ user_decisions: [status === 'pending' ? pending : decision] }) });
  };

  test.each([
    ['per-batch', 'per-batch'],
    ['single-final', 'single-final'],
    ['per batch', null],
    ['one big review', null],
  ])('a strategy %j is %j: only canonical words count [session/table/review-strategy]', (answer, strategy) => {
    expect(strategyOnDisk(decide(answer))).toBe(strategy);
  });

  test('nothing counts that is pending, missing or malformed [session/reading/malformed-status]', () => {
    expect(strategyOnDisk(decide('per-batch', 'pending'))).toBeNull();
    expect(strategyOnDisk(viewOf())).toBeNull();
    expect(answerOnDisk(viewOf({ files: { [paths.statusPath(run)]: '{' } }), 'UD-1')).toBeNull();
  });
});

test('[rule 121] [session/files/runtime-flags-current] project instructions that appear later are on record', async () => {
  const files = { ...plannedFiles, 'AGENTS.md': '# Rules\n' };
  const { signal } = await checks.recheck(checkOf({ ...working, files }));
  expect(signal.data).toEqual({ runtime: { instructions: true, checkedAt: at } });
});

test('[rule 121] instructions that are gone are gone on record; when they were last seen stays', async () => {
  const data = { ...working.data, runtime: { instructions: true, checkedAt: at } };
  const { signal } = await checks.recheck(checkOf({ ...working, data, at: later }));
  expect(signal.data).toEqual({ runtime: { instructions: false, checkedAt: at } });
});
