import { describe, expect, test } from 'vitest';
import { asking, cancelled } from '../decisions.ts';
import { designDigest } from '../digest.ts';
import * as paths from '../files/paths.ts';
import {
  at,
  answeredDecision,
  checkOf,
  dispatched,
  later,
  plannedFiles,
  recorded,
  run,
  statusFile,
  viewOf,
  type CheckSetting,
} from '../session.fixture.ts';
import { designQuestion } from '../questions/gates.ts';
import { answerOnDisk, recheck, strategyOnDisk } from './rechecking.ts';

const approved = { ...answeredDecision('UD-APPROVE-DESIGN', 'approved'), state_context: 'APPROVE_DESIGN' as const };
const approvedDesign = designDigest(viewOf({ files: plannedFiles }));
const working: CheckSetting = {
  state: 'recheck',
  returnTo: 'review',
  files: plannedFiles,
  flags: { course: 'per_batch' },
  data: { approvedDesign, ...recorded(approved), runtime: { instructions: false, checkedAt: at } },
};

test('what is as it was approved lets the work go on', async () => {
  expect((await recheck(checkOf(working))).signal).toEqual({ name: 'intact', data: {} });
});

describe('a design that is not the approved one', () => {
  const edited = { ...plannedFiles, [paths.specPath(run)]: '# Something else\n' };

  test('is approved again, the decision pending on record [session/design/bound]', async () => {
    const { signal } = await recheck(checkOf({ ...working, files: edited }));
    expect(signal).toMatchObject({
      name: 'design_changed',
      data: { 'decision:UD-APPROVE-DESIGN': { status: 'pending' } },
    });
  });

  test('nor is one whose approval was put off since, or is another answer now [session/design/bound]', async () => {
    const deferred = { ...approved, status: 'cancelled', answer: null, resolution_reason: 'deferred' } as const;
    const changes = { ...approved, answer: 'changes-requested: cut it' };
    const kept = { ...deferred, answer: 'approved' };
    for (const decision of [deferred, kept, changes]) {
      const data = { ...working.data, ...recorded(decision) };
      const { signal } = await recheck(checkOf({ ...working, data }));
      expect(signal).toMatchObject({
        name: 'design_changed',
        data: { 'decision:UD-APPROVE-DESIGN': { status: 'pending' } },
      });
    }
  });

  test.each([
    ['before there is an approval', { returnTo: 'architect' }],
    ['in a lean session', { flags: { course: 'lean' } }],
  ])('is none %s', async (_, setting) => {
    expect((await recheck(checkOf({ ...working, files: edited, ...setting }))).signal.name).toBe('intact');
  });
});

test('a strategy that is gone, or not canonical, is chosen again [session/strategy/re-read]', async () => {
  const files = { ...plannedFiles, ...statusFile({ user_decisions: [approved] }) };
  const { signal } = await recheck(checkOf({ ...working, files }));
  expect(signal).toMatchObject({ name: 'no_strategy', data: { 'decision:UD-REVIEW-STRATEGY': { status: 'pending' } } });
  expect((await recheck(checkOf({ ...working, files, returnTo: 'plan' }))).signal.name).toBe('intact');
});

test('files that changed since they were judged are judged again [session/review/edited-while-waiting]', async () => {
  const history = [dispatched('review', { tree: 'tree' })];
  expect((await recheck(checkOf({ ...working, history, tree: 'tree' }))).signal.name).toBe('intact');
  expect((await recheck(checkOf({ ...working, history, tree: 'other' }))).signal.name).toBe('code_changed');
  expect((await recheck(checkOf({ ...working, history, tree: 'other', returnTo: 'plan' }))).signal.name).toBe('intact');
});

test('nobody knows what was changed meanwhile, so every gate looks at it [session/review/edited-while-waiting]', async () => {
  const history = [dispatched('review', { tree: 'tree' })];
  const touched = { behaviour: true, risky: true };
  expect((await recheck(checkOf({ ...working, history, tree: 'other' }))).signal.data).toMatchObject({ touched });
  expect((await recheck(checkOf({ ...working, history }))).signal.data).not.toHaveProperty('touched');
});

test('what an attempt left behind that came to nothing was judged by nobody [session/review/edited-while-waiting]', async () => {
  const failed = dispatched('fix_review', { tree: 'other', signal: 'timed_out', problem: 'took too long' });
  const history = [dispatched('review', { tree: 'tree' }), failed];
  expect((await recheck(checkOf({ ...working, history, tree: 'other' }))).signal.name).toBe('code_changed');
  expect((await recheck(checkOf({ ...working, history, tree: 'tree' }))).signal.name).toBe('intact');
});

describe('where the way leads to a question, it is pending on record', () => {
  test.each([
    ['approve_design', 'UD-APPROVE-DESIGN'],
    ['review_strategy', 'UD-REVIEW-STRATEGY'],
  ])('%s [session/decisions/pending-before-asking]', async (returnTo, id) => {
    const { signal } = await recheck(checkOf({ ...working, returnTo }));
    expect(signal.data).toMatchObject({ [`decision:${id}`]: { status: 'pending' } });
  });

  test('who shall correct is asked again after a deferral, not whether it is approved [session/table/gate-deferred]', async () => {
    const proposed = { proposedCorrection: { summary: 'cut it', role: 'Architect' } };
    const context = checkOf({ ...working, returnTo: 'approve_design', data: { ...working.data, ...proposed } });
    const { data = {} } = (await recheck(context)).signal;
    const later_ = viewOf({ files: plannedFiles, data: { ...context.snapshot.data, ...data } });
    expect(designQuestion(later_)).toMatchObject({
      title: 'Who shall correct the design?',
      detail: 'You asked for: cut it',
    });
  });

  test('a batch keeps what was answered, so that it still counts [session/decisions/security-never-cancelled]', async () => {
    const { snapshot } = viewOf();
    const batch = {
      title: 'Security',
      queries: [
        { question: 'a', binding: true },
        { question: 'b', binding: true },
      ],
    };
    const asked = asking(batch, { snapshot, at, context: 'IMPLEMENT_LOOP' });
    const fixNow = recorded({ ...answeredDecision('UD-1', 'fix-now'), question: 'a' });
    const stopped = cancelled(viewOf({ data: asked }).snapshot, ['UD-2'], 'cancelled by a person', later);
    const data = { ...working.data, ...asked, ...fixNow, ...stopped };
    const { signal } = await recheck(checkOf({ ...working, returnTo: 'ask_security', data }));
    expect(signal.data).toMatchObject({
      asking: { parts: [{ id: 'UD-1' }, { id: 'UD-3' }] },
      'decision:UD-3': { question: 'b', status: 'pending', state_context: 'IMPLEMENT_LOOP' },
    });
  });
});

test('flags of the surroundings are looked at again where they are missing [session/flags/detected]', async () => {
  const files = { ...plannedFiles, 'AGENTS.md': 'x' };
  const { approvedDesign: digest } = working.data ?? {};
  for (const runtime of [undefined, { instructions: false, checkedAt: null }]) {
    const data = { approvedDesign: digest ?? null, ...recorded(approved), ...(runtime && { runtime }) };
    const { signal } = await recheck(checkOf({ ...working, files, data, at: later }));
    expect(signal.data).toEqual({ runtime: { instructions: true, checkedAt: later } });
  }
});

describe('status.json on disk', () => {
  const decide = (answer: string, status: 'answered' | 'pending' = 'answered') => {
    const decision = answeredDecision('UD-REVIEW-STRATEGY', answer);
    const pending = { ...decision, status, answer: null, resolved_at: null };
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
