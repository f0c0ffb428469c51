import { describe, expect, test } from 'vitest';
import type { Machine } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { transition } from '../engine/transition.ts';
import { toyMachine } from '../../test/toy.ts';
import { machine as change } from '../workflows/change/transition-table.ts';
import { addFormulas, fitFormulas, formulaText, valueOf, type Formula, type Sizes } from './formula.ts';
import { groupsOf, shortestPath } from './graph.ts';
import { itemsMax } from './edges.ts';
import { explore } from './space.ts';
import { verify } from './verifier.ts';
import { dispatchesFrom } from './dispatches-from.ts';

const toy: Machine = toyMachine;
/** Small enough to be explored without leaving anything out. */
const tiny: Machine = {
  ...toy,
  budgets: {
    fixes: { scope: 'command', limit: 1 },
    retries: { scope: 'visit', limit: 1 },
    total: { scope: 'run', limit: 1 },
  },
};

describe('the space', () => {
  test('S1: finds every state and signal of a plain exploration, without the values that are not read again', () => {
    const stepsOf = (snapshots: Iterable<readonly [string, string, string]>) => new Set([...snapshots].map(String));
    const reduced = stepsOf(
      explore(tiny).states.flatMap(({ snapshot, steps }) =>
        steps.map(({ edge, to }) => [snapshot.state, edge.signal, to.snapshot.state] as const),
      ),
    );
    expect(reduced).toEqual(stepsOf(plainly(tiny)));
  });

  test('S2: the path to an explored state is a path of the engine, from the start', () => {
    const [start, ...others] = explore(change).states;
    expect(start?.via).toBeNull();
    for (const { snapshot, via } of others) {
      const { from, edge } = via ?? expect.fail('it was found without a step');
      const { signal, loaded } = edge;
      const items = Array.from({ length: loaded?.items ?? 0 }, (_, index) => ({ id: `${index + 1}`, after: [] }));
      const step = transition(change, from.snapshot, loaded ? { name: signal, items } : { name: signal });
      expect(step.kind === 'step' && step.snapshot).toEqual(snapshot);
    }
  });

  test('S3: proves and refutes nothing by absence in a space that is too large', () => {
    const { holds, proofs, space, worstCase } = verify(change, { workflow: 'change', statesMax: 20 });
    expect(space.unexplored).toBeGreaterThan(0);
    expect(holds).toBeNull();
    expect(proofs.every((proof) => proof.holds === null && proof.refutations.length === 0)).toBe(true);
    expect(worstCase).toBeNull();
  });

  test('finds a defect near the start of a space that is too large', () => {
    const broken = { ...change, commands: [...change.commands, 'fly'] };
    const { holds } = verify(broken, { workflow: 'change', statesMax: 20 });
    expect(holds).toBe(false);
  });
});

/** Every step there is, with whole snapshots told apart: slow, and only for small machines. */
function* plainly(machine: Machine): Generator<readonly [string, string, string]> {
  const none = Object.fromEntries(
    Object.keys(machine.budgets).map((name) => [name, machine.budgets[name]?.limit ?? 0]),
  );
  const open = [initialSnapshot(machine, none)];
  const seen = new Set(open.map((snapshot) => JSON.stringify(snapshot)));
  for (const snapshot of open) {
    for (const signal of Object.keys(machine.states[snapshot.state]?.on ?? {})) {
      for (const size of [1, 2, 3]) {
        const items = Array.from({ length: size }, (_, index) => ({ id: `${index + 1}`, after: [] }));
        const step = transition(machine, snapshot, { name: signal, items });
        const next = step.kind === 'step' ? step.snapshot : snapshot;
        yield [snapshot.state, signal, next.state];
        const key = JSON.stringify(next);
        if (seen.has(key)) continue;
        seen.add(key);
        open.push(next);
      }
    }
  }
}

describe('the worst case', () => {
  test('counts three rounds of writing every page and reviewing in the toy, each once more for a fault', () => {
    const { worstCase } = verify(toy, { workflow: 'toy' });
    const told = worstCase?.steps.map(({ after, dispatches, withFaults }) => [
      after,
      formulaText(dispatches),
      formulaText(withFaults),
    ]);
    expect(told).toEqual([
      ['go', '3 + 3·pages', '6 + 6·pages'],
      ['ask.again', '1 + pages', '2 + 2·pages'],
      ['ask.stop', '0', '0'],
      ['ask.withdrawn', '0', '0'],
    ]);
    expect(worstCase?.run).toMatchObject({ commands: ['go'], fewest: 2 });
  });

  test('is reached by the path it shows', () => {
    const { worstCase } = verify(change, { workflow: 'change' });
    for (const { dispatches, path } of worstCase?.steps ?? []) {
      const working = path.filter(({ state }) => change.states[state]?.kind === 'dispatch');
      const sizes = Object.fromEntries(change.lists.map((list) => [list, 1]));
      expect(working).toHaveLength(valueOf(dispatches, sizes));
    }
  });

  test('counts only what is left of a run under way', () => {
    const start = transition(toy, initialSnapshot(toy), { name: 'go', items: [{ id: '1', after: [] }] });
    const snapshot = start.kind === 'step' ? start.snapshot : initialSnapshot(toy);
    const most = dispatchesFrom(toy, { ...snapshot, budgets: { ...snapshot.budgets, fixes: 0 } });
    expect(most && [formulaText(most.dispatches), formulaText(most.withFaults)]).toEqual(['2', '4']);
  });

  test('is given in money where there are prices', () => {
    const prices = { writer: { typical: 1, most: 10 }, reviewer: { typical: 2, most: 20 } };
    const { worstCase } = verify(toy, { workflow: 'toy', prices });
    expect(worstCase?.run?.cost).toEqual({
      expected: [3, { constant: 6, perItem: { pages: 3 } }],
      worst: { constant: 120, perItem: { pages: 60 } },
    });
  });

  test('does not exist where a run can go on for ever', () => {
    const endless = { ...toy, budgets: { ...toy.budgets, fixes: { scope: 'visit', limit: 2 } } } as Machine;
    expect(verify(endless, { workflow: 'toy' })).toMatchObject({ holds: false, worstCase: null });
  });
});

test('lists each loop that a person controls as its shortest round', () => {
  expect(verify(toy, { workflow: 'toy' }).loops).toContainEqual({
    by: 'ask.again',
    states: ['ask', 'write', 'review'],
  });
});

describe('formulas', () => {
  const fitFormula = (lists: readonly string[], measure: (sizes: Sizes) => number): Formula | undefined =>
    fitFormulas(lists, itemsMax, (sizes) => () => measure(sizes))('');

  test('fit what grows evenly, and nothing else', () => {
    const even = fitFormula(['a', 'b'], ({ a = 0, b = 0 }) => 4 + 2 * a + b);
    expect(even && formulaText(even)).toBe('4 + 2·a + b');
    expect(fitFormula(['a'], ({ a = 0 }) => a * a)).toBeUndefined();
    expect(fitFormula(['a', 'b'], ({ a = 0, b = 0 }) => a * b)).toBeUndefined();
  });

  test('are never below what grows less and less', () => {
    expect(fitFormula(['a'], ({ a = 0 }) => Math.min(a, 2))).toEqual({ constant: 2, perItem: { a: 0 } });
  });

  test('add up and print in short form', () => {
    const sum = addFormulas([
      [1, { constant: 1, perItem: { a: 2 } }],
      [1, { constant: -1, perItem: { a: 1, b: 0 } }],
    ]);
    expect(formulaText(sum)).toBe('3·a');
    expect(formulaText({ constant: 0, perItem: {} })).toBe('0');
  });
});

describe('graphs', () => {
  const targets: Readonly<Record<string, readonly string[]>> = { a: ['b'], b: ['c'], c: ['a', 'd'], d: ['e'], e: [] };
  const names = Object.keys(targets);
  const first = names.map((_, at) => names.slice(0, at).reduce((sum, name) => sum + (targets[name]?.length ?? 0), 0));
  const to = Object.values(targets).flatMap((all) => all.map((name) => names.indexOf(name)));

  test('groups nodes that can all reach one another, each group before those that lead to it', () => {
    const groups = (isTaken: (step: number) => boolean): number[] => [
      ...groupsOf(
        Int32Array.from([...first, to.length]),
        Int32Array.from(to),
        Uint8Array.from(to, (_, step) => Number(isTaken(step))),
      ),
    ];
    // Of a to e.
    expect(groups(() => true)).toEqual([2, 2, 2, 1, 0]);
    const back = to.indexOf(0);
    expect(groups((step) => step !== back)).toEqual([4, 3, 2, 1, 0]);
  });

  test('handles a chain of 50,000 nodes', () => {
    const chain = Array.from({ length: 50_000 }, (_, index) => index);
    const last = chain.length - 1;
    const groups = groupsOf(
      Int32Array.from([...chain, last]),
      Int32Array.from(chain.slice(1)),
      new Uint8Array(last).fill(1),
    );
    expect(new Set(groups).size).toBe(chain.length);
  });

  test('finds the shortest path, also back to its start', () => {
    const path = (from: string, goal: string): string[] | undefined =>
      shortestPath(
        from,
        (name) => name === goal,
        (name) => (targets[name] ?? []).map((each) => ({ to: each })),
      )?.map((step) => step.to);
    expect(path('a', 'e')).toEqual(['b', 'c', 'd', 'e']);
    expect(path('a', 'a')).toEqual(['b', 'c', 'a']);
    expect(path('e', 'a')).toBeUndefined();
  });
});
