import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toyMachine } from '../../test/toy.ts';
import { machine as changeMachine } from '../workflows/change/transition-table.ts';
import type { Machine } from './machine.ts';
import { currentItem, evolve, initialSnapshot, type Delta, type Snapshot } from './snapshot.ts';
import { effectOf, transition, type Signal, type Step } from './transition.ts';

const machines: readonly [string, Machine][] = [
  ['toy', toyMachine],
  ['change', changeMachine],
];

/** Any signal the machine knows, and some it does not, each with items for the routes that load a list. */
function signalsOf(machine: Machine): fc.Arbitrary<Signal> {
  const names = new Set(Object.values(machine.states).flatMap((state) => Object.keys(state.on)));
  const items = fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c'))
    .map((ids) => ids.map((id, index) => ({ id, after: index > 0 && ids[0] !== undefined ? [ids[0]] : [] })));
  return fc.record({ name: fc.constantFrom(...names, 'nonsense', 'constructor'), items });
}

/** A walk that follows the moves and skips refusals, as a run does. */
function walk(machine: Machine, signals: readonly Signal[]): { steps: Step[]; last: Snapshot } {
  const steps: Step[] = [];
  let last = initialSnapshot(machine);
  for (const signal of signals) {
    const step = transition(machine, last, signal);
    if (step.kind !== 'step') continue;
    steps.push(step);
    last = step.snapshot;
  }
  return { steps, last };
}

describe.each(machines)('%s', (_name, machine) => {
  const walks = fc.array(signalsOf(machine), { maxLength: 120 });

  test('T1: the same snapshot and signal give the same step', () => {
    fc.assert(
      fc.property(walks, signalsOf(machine), (signals, signal) => {
        const { last } = walk(machine, signals);
        const frozen = structuredClone(last);
        expect(transition(machine, last, signal)).toEqual(transition(machine, frozen, signal));
        expect(last).toEqual(frozen);
      }),
    );
  });

  test('T2: a refusal has neither a snapshot nor an effect', () => {
    fc.assert(
      fc.property(walks, signalsOf(machine), (signals, signal) => {
        const { last } = walk(machine, signals);
        const answer = transition(machine, last, signal);
        if (answer.kind === 'refusal') expect(Object.keys(answer).toSorted()).toEqual(['kind', 'outcome', 'reason']);
      }),
    );
  });

  test('T3: budgets are never negative', () => {
    fc.assert(
      fc.property(walks, (signals) => {
        for (const { snapshot } of walk(machine, signals).steps) {
          expect(Object.values(snapshot.budgets).every((left) => left >= 0)).toBe(true);
        }
      }),
    );
  });

  test('T4: the effect depends only on the snapshot', () => {
    fc.assert(
      fc.property(walks, (signals) => {
        for (const step of walk(machine, signals).steps) expect(effectOf(machine, step.snapshot)).toEqual(step.effect);
      }),
    );
  });

  test('I1: folding the deltas of a journal gives the current snapshot', () => {
    fc.assert(
      fc.property(walks, (signals) => {
        const { steps, last } = walk(machine, signals);
        const written: Delta[] = JSON.parse(JSON.stringify(steps.map(({ delta }) => delta)));
        expect(written.reduce(evolve, initialSnapshot(machine))).toEqual(last);
      }),
    );
  });

  test('no sequence of signals throws', () => {
    fc.assert(
      fc.property(walks, (signals) => {
        expect(() => walk(machine, signals)).not.toThrow();
      }),
    );
  });
});

describe('vocabulary', () => {
  const send = (snapshot: Snapshot, name: string, items: Signal['items'] = []): Snapshot => {
    const step = transition(toyMachine, snapshot, { name, items });
    if (step.kind === 'refusal') throw new Error(step.reason);
    return step.snapshot;
  };
  const begun = send(initialSnapshot(toyMachine), 'go', [
    { id: 'late', after: ['early'] },
    { id: 'early', after: [] },
  ]);

  test('a work list is processed in order of dependencies, one item per visit', () => {
    expect(effectOf(toyMachine, begun)).toMatchObject({ type: 'dispatch', item: { id: 'early' } });
    const second = send(begun, 'written');
    expect(effectOf(toyMachine, second)).toMatchObject({ type: 'dispatch', item: { id: 'late' } });
    expect(send(second, 'written').state).toBe('review');
  });

  test('an item with an unfinished dependency is not ready', () => {
    expect(currentItem({ items: [{ id: 'x', after: ['nowhere'] }], done: [] })).toBeUndefined();
  });

  test('a visit budget lasts for the visit, through `again`, and is renewed by the next', () => {
    const retried = send(begun, 'failed');
    expect(retried.budgets['retries']).toBe(0);
    expect(send(retried, 'failed')).toMatchObject({ state: 'stopped', outcome: 'failed', returnTo: 'write' });
    expect(send(retried, 'written').budgets['retries']).toBe(1);
  });

  test('a command budget is renewed by a command, a run budget never', () => {
    const written = send(send(begun, 'written'), 'written');
    const spent = ['needs_fix', 'written', 'needs_fix', 'written', 'needs_fix'].reduce(
      (at, name) => send(at, name),
      written,
    );
    expect(spent).toMatchObject({ state: 'ask', budgets: { fixes: 0, total: 4 } });
    const again = send(send(spent, 'stop'), 'go');
    expect(again.budgets).toMatchObject({ fixes: 2, total: 4 });
  });

  test('a grant raises a budget by one', () => {
    const asking: Snapshot = { ...begun, state: 'ask', budgets: { ...begun.budgets, fixes: 0 } };
    expect(send(asking, 'again')).toMatchObject({ state: 'write', budgets: { fixes: 0 } });
  });

  test('a decision offers only answers that are not refused', () => {
    const asking: Snapshot = { ...initialSnapshot(changeMachine), state: 'ask_revision' };
    const open = { ...asking, flags: { ...asking.flags, high: 'yes' } };
    expect(effectOf(changeMachine, asking)).toMatchObject({ options: ['implement_anyway', 'continue', 'view'] });
    expect(effectOf(changeMachine, open)).toMatchObject({ options: ['continue', 'view'] });
    expect(transition(changeMachine, open, { name: 'implement_anyway' })).toEqual({
      kind: 'refusal',
      reason: 'HighIssueOpen',
      outcome: 'needs_person',
    });
  });
});
