/** Every step the verifier explores is compared with XState's reading of the same table. */

import { expect, test } from 'vitest';
import type { Machine } from '../../src/engine/machine.ts';
import { initialSnapshot } from '../../src/engine/snapshot.ts';
import { transition } from '../../src/engine/transition.ts';
import { toyMachine } from '../../src/testing/toy.ts';
import { assuming, explore, itemBudgets, type SpaceStep } from '../../src/verifier/space.ts';
import { machine as change } from '../../src/workflows/change/machine.ts';
import { machine as session } from '../../src/workflows/session/machine.ts';
import { withRoutes } from './plant.fixture.ts';
import { contextOf, renderForXstate, steppedByXstate } from './xstate.fixture.ts';

const machines: readonly (readonly [name: string, machine: Machine])[] = [
  ['change', change],
  ['toy', toyMachine],
  ['session', session],
];

/** What both say about a step, side by side. */
function compare(machine: Machine, oracle: ReturnType<typeof renderForXstate>, step: SpaceStep): [unknown, unknown] {
  const { from, signal, loaded, assumed } = step;
  const snapshot = assuming(from.snapshot, assumed);
  const items = Array.from({ length: loaded?.items ?? 0 }, (_, index) => ({ id: `${index}`, after: [] }));
  const ours = transition(machine, snapshot, { name: signal, items });
  const after = ours.kind === 'step' ? ours.snapshot : snapshot;
  const before = { state: snapshot.state, context: contextOf({ snapshot }, machine) };
  return [
    { state: after.state, context: contextOf({ snapshot: after }, machine) },
    steppedByXstate(oracle, before, { type: signal, items: loaded?.items ?? 0 }),
  ];
}

/**
 * All steps of a small space; of one whose items have budgets, each arm once for everything that matters to it:
 * which state it is in, its flags, what is left of the lists, the return address and what is assumed.
 */
function onceEach(machine: Machine, steps: readonly SpaceStep[]): readonly SpaceStep[] {
  if (itemBudgets(machine).length === 0) return steps;
  const once = new Map<string, SpaceStep>();
  for (const step of steps) {
    const { from, signal, arm, loaded, assumed } = step;
    const { lists, returnTo } = contextOf(from, machine);
    const returned = step.to.snapshot.state === returnTo ? returnTo : '';
    const key = JSON.stringify([
      from.snapshot.state,
      signal,
      arm,
      loaded,
      assumed,
      from.snapshot.flags,
      lists,
      returned,
    ]);
    if (!once.has(key)) once.set(key, step);
  }
  return [...once.values()];
}

test.each(machines)('%s: both agree on every explored step', (_, machine) => {
  const oracle = renderForXstate(machine);
  const limits = Object.fromEntries(Object.keys(machine.budgets).map((name) => [name, 0]));
  const starts = [initialSnapshot(machine), initialSnapshot(machine, limits)];
  const steps = starts.flatMap((from) => explore(machine, { from }).situations.flatMap((situation) => situation.steps));
  expect(steps.length).toBeGreaterThan(500);
  for (const step of onceEach(machine, steps)) {
    const [ours, theirs] = compare(machine, oracle, step);
    expect(theirs, `${step.from.snapshot.state}.${step.signal}`).toEqual(ours);
  }
});

test('they disagree about another table', () => {
  const other = renderForXstate(withRoutes({ 'challenge.approved': { to: 'rejected' } }));
  const steps = explore(change).situations.flatMap((situation) => situation.steps);
  const differing = steps.filter((step) => {
    const [ours, theirs] = compare(change, other, step);
    return JSON.stringify(ours) !== JSON.stringify(theirs);
  });
  expect(new Set(differing.map(({ from, signal }) => `${from.snapshot.state}.${signal}`))).toEqual(
    new Set(['challenge.approved']),
  );
});
