/** Every step the verifier explores is compared with XState's reading of the same table. */

import { expect, test } from 'vitest';
import type { Machine } from '../../src/engine/machine.ts';
import { initialSnapshot } from '../../src/engine/snapshot.ts';
import { transition } from '../../src/engine/transition.ts';
import { toyMachine } from '../toy.ts';
import { assuming, explore, type SpaceStep } from '../../src/verifier/space.ts';
import { machine as change } from '../../src/workflows/change/transition-table.ts';
import { machine as session } from '../../src/workflows/session/transition-table.ts';
import { withRoutes } from './plant.fixture.ts';
import { contextOf, renderForXstate, steppedByXstate } from './xstate.fixture.ts';

const machines: readonly (readonly [name: string, machine: Machine])[] = [
  ['change', change],
  ['toy', toyMachine],
  ['session', session],
];

/** What both say about a step, side by side. */
function compare(machine: Machine, oracle: ReturnType<typeof renderForXstate>, step: SpaceStep): [unknown, unknown] {
  const { from, edge } = step;
  const { signal, loaded, assumed } = edge;
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

test.each(machines)('%s: the engine and XState agree on every explored step', (_, machine) => {
  const oracle = renderForXstate(machine);
  const limits = Object.fromEntries(Object.keys(machine.budgets).map((name) => [name, 0]));
  const starts = [initialSnapshot(machine), initialSnapshot(machine, limits)];
  const steps = starts.flatMap((from) => explore(machine, { from }).states.flatMap((state) => state.steps));
  expect(steps.length).toBeGreaterThan(500);
  for (const step of steps) {
    const [ours, theirs] = compare(machine, oracle, step);
    // Fifty thousand times; only what differs is told.
    if (JSON.stringify(ours) === JSON.stringify(theirs)) continue;
    expect(theirs, `${step.from.snapshot.state}.${step.edge.signal}`).toEqual(ours);
  }
});

test('the comparison fails for a different table', () => {
  const other = renderForXstate(withRoutes({ 'challenge.approved': { to: 'rejected' } }));
  const steps = explore(change).states.flatMap((state) => state.steps);
  const differing = steps.filter((step) => {
    const [ours, theirs] = compare(change, other, step);
    return JSON.stringify(ours) !== JSON.stringify(theirs);
  });
  expect(new Set(differing.map(({ from, edge }) => `${from.snapshot.state}.${edge.signal}`))).toEqual(
    new Set(['challenge.approved']),
  );
});
