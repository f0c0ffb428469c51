import { describe, expect, test } from 'vitest';
import { pendingDecision, pendingIn, type QuestionBatch, type Decision } from '../engine/decision.ts';
import { defineMachine } from '../engine/define-machine.ts';
import { initialSnapshot, type Snapshot } from '../engine/snapshot.ts';
import { transition, type Signal } from '../engine/transition.ts';
import { openDecisions, withDecisions } from './decisions.ts';

const refused = { refuse: 'NotNow', outcome: 'not_ready' } as const;
const stop = { to: 'stopped', remember: true } as const;
const machine = defineMachine({
  initial: 'idle',
  commands: ['ask', 'approve', 'retry'],
  budgets: {},
  flags: {},
  lists: [],
  artifacts: [],
  gates: {},
  states: {
    idle: {
      kind: 'parked',
      phase: 'PLAN',
      outcome: 'not_ready',
      on: { ask: { to: 'asking' }, approve: { to: 'approving' }, retry: refused },
    },
    asking: {
      kind: 'decide',
      question: 'details',
      phase: 'ASK_USER',
      on: { noted: { to: 'again' }, answered: { to: 'approving' }, withdrawn: stop },
    },
    approving: {
      kind: 'decide',
      question: 'approval',
      phase: 'APPROVE',
      decision: { id: 'UD-APPROVE', question: 'Approved?' },
      on: { noted: { to: 'again' }, approved: { to: 'idle' }, withdrawn: stop },
    },
    stopped: {
      kind: 'parked',
      outcome: 'interrupted',
      on: { ask: refused, approve: refused, retry: { to: 'return' } },
    },
  },
});

const at = '2026-05-01T10:00:00.000Z';
const later = '2026-05-01T11:00:00.000Z';
const start = initialSnapshot(machine);
const batch: QuestionBatch = {
  title: 'Two questions',
  parts: [{ question: 'Which format?' }, { question: 'Which name?' }],
};

function after(before: Snapshot, signal: Signal, time = at): Snapshot {
  const step = transition(machine, before, signal);
  if (step.kind === 'refusal') throw new Error(`refused: ${signal.name}`);
  return withDecisions(machine, before, step, { signal, at: time }).snapshot;
}

const asked = after(start, { name: 'ask', asks: batch });
const known = (id: string, more: Partial<Decision> = {}): Decision => ({
  ...pendingDecision(id, { question: 'x' }, { at, context: 'PLAN' }),
  ...more,
});

test('L1: a question is recorded as pending before it is asked, with the phase that asks [session/decisions/pending-before-asking] [session/decisions/state-context]', () => {
  expect(pendingIn(asked)).toEqual([
    pendingDecision('UD-1', { question: 'Which format?' }, { at, context: 'PLAN' }),
    pendingDecision('UD-2', { question: 'Which name?' }, { at, context: 'PLAN' }),
  ]);
  expect(asked.asked).toEqual({ title: 'Two questions', detail: '', ids: ['UD-1', 'UD-2'] });
});

test('L2: a new id follows the highest one ever used [session/decisions/ids-sequential]', () => {
  const decisions = { 'UD-7': known('UD-7'), 'UD-APPROVE': known('UD-APPROVE') };
  expect(after({ ...start, decisions }, { name: 'ask', asks: batch }).asked?.ids).toEqual(['UD-8', 'UD-9']);
});

test('L2: a state with its own decision reuses the id of that decision [session/decisions/well-known-unique]', () => {
  const answered = known('UD-APPROVE', { status: 'answered', answer: 'yes', extra: { by: 'alice' } });
  const { decisions } = after({ ...start, decisions: { 'UD-APPROVE': answered } }, { name: 'approve' }, later);
  const pending = pendingDecision('UD-APPROVE', { question: 'Approved?' }, { at: later, context: 'APPROVE' });
  expect(decisions).toEqual({ 'UD-APPROVE': { ...pending, extra: { by: 'alice' } } });
});

describe('L3: a decision is resolved', () => {
  const resolving = (...resolves: NonNullable<Signal['resolves']>) => after(asked, { name: 'noted', resolves }, later);

  test('by an answer, with its time [session/decisions/answered]', () => {
    const { decisions } = resolving({ id: 'UD-1', answer: 'csv' });
    expect(decisions['UD-1']).toMatchObject({ status: 'answered', answer: 'csv', resolvedAt: later, reason: null });
    expect(decisions['UD-2']).toEqual(asked.decisions['UD-2']);
  });

  test('by a reason for having no answer [session/decisions/cancelled]', () => {
    const { decisions } = resolving({ id: 'UD-1', reason: 'no response provided' });
    expect(decisions['UD-1']).toMatchObject({
      status: 'cancelled',
      answer: null,
      resolvedAt: later,
      reason: 'no response provided',
    });
  });

  test('only if it exists', () => {
    expect(() => resolving({ id: 'UD-9', answer: 'csv' })).toThrow('there is no decision UD-9');
  });
});

describe('L4: leaving a question', () => {
  const problem = { code: 'cancelled', message: 'cancelled by a person' };

  test('resolves all of its decisions, and changes no others [session/decisions/none-left-pending]', () => {
    const resolves = [{ id: 'UD-1', answer: 'csv' }];
    const other = { ...asked, decisions: { ...asked.decisions, 'UD-9': known('UD-9') } };
    const { decisions } = after(after(other, { name: 'noted', resolves }), { name: 'withdrawn', problem }, later);
    expect(decisions).toMatchObject({
      'UD-1': { status: 'answered' },
      'UD-2': { status: 'cancelled', reason: 'cancelled by a person', resolvedAt: later },
      'UD-9': { status: 'pending' },
    });
  });

  test('resolves the decision of a state that has its own', () => {
    const left = after(after(start, { name: 'approve' }), { name: 'withdrawn', problem }, later);
    expect(left.decisions['UD-APPROVE']).toMatchObject({ status: 'cancelled', reason: 'cancelled by a person' });
    expect(after(left, { name: 'retry' }).decisions['UD-APPROVE']).toMatchObject({ status: 'pending', reason: null });
  });
});

describe('L5: asking again', () => {
  const three = { title: 'Three', parts: [{ question: 'a', binding: true }, { question: 'b' }, { question: 'c' }] };
  const first = after(start, { name: 'ask', asks: three });
  const half = after(first, { name: 'noted', resolves: [{ id: 'UD-1', answer: 'fix-now' }] });
  const again = after(after(half, { name: 'withdrawn' }), { name: 'retry' }, later);

  test('keeps answered decisions, and gives closed ones a new id [session/decisions/ids-sequential]', () => {
    expect(again.asked?.ids.map((id) => [id, again.decisions[id]?.question])).toEqual([
      ['UD-1', 'a'],
      ['UD-4', 'b'],
      ['UD-5', 'c'],
    ]);
    expect(again.decisions['UD-2']).toMatchObject({ status: 'cancelled' });
    expect(openDecisions(machine, again).map(({ id }) => id)).toEqual(['UD-4', 'UD-5']);
  });

  test('keeps the id of a pending decision and the phase that asked first [session/decisions/state-context]', () => {
    const { ids = [] } = again.asked ?? {};
    expect(ids.map((id) => again.decisions[id]?.context)).toEqual(['PLAN', 'PLAN', 'PLAN']);
    const waiting = { ...asked, state: 'stopped', returnTo: 'asking' };
    expect(after(waiting, { name: 'retry' }).asked?.ids).toEqual(['UD-1', 'UD-2']);
  });
});
