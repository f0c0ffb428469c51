/** Budgets that every item has anew: symbolic in proofs, counted for the worst case. */

import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../../src/engine/snapshot.ts';
import { transition } from '../../src/engine/transition.ts';
import { machine as sessionMachine } from '../../src/workflows/session/transition-table.ts';
import { dispatchesFrom } from '../../src/verifier/dispatches-from.ts';
import { valueOf } from '../../src/verifier/formula.ts';
import { longestPaths, type LongestPaths } from '../../src/verifier/longest-paths.ts';
import { pathGraph } from '../../src/verifier/path-graph.ts';
import { linearTerms } from '../../src/verifier/path-lengths.ts';
import { assuming, explore, type Space } from '../../src/verifier/space.ts';
import { verify } from '../../src/verifier/verifier.ts';
import { worstCases, type WorstCases } from '../../src/verifier/worst-case.ts';

const session: Machine = sessionMachine;
const repairs = ['fix_review', 'fix_tests', 'fix_security', 'fix_build'];

function limitsOf(numbers: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(repairs.map((name, at) => [name, numbers[at] ?? 0]));
}

const stopped = { refuse: 'No', outcome: 'not_ready' } as const;

/** Every page is written and checked, and repaired while it has attempts left. */
function pages(spent: Machine['states'][string]['on'][string]): Machine {
  return {
    initial: 'idle',
    commands: ['go'],
    signals: { idle: [], write: ['written'], look: ['good', 'bad'], repair: ['written'], waiting: [], done: [] },
    budgets: { repairs: { scope: 'item', limit: 2 }, retries: { scope: 'visit', limit: 1 } },
    flags: {},
    lists: ['pages'],
    gates: {},
    states: {
      idle: { kind: 'parked', outcome: 'not_ready', on: { go: { to: 'write', load: 'pages' } } },
      write: { kind: 'dispatch', role: 'writer', each: 'pages', on: { ...retried, written: { to: 'look' } } },
      look: {
        kind: 'check',
        check: 'look',
        each: 'pages',
        on: {
          good: [
            { when: { more: 'pages' }, to: 'write', finish: true },
            { to: 'done', finish: true },
          ],
          bad: spent,
        },
      },
      repair: { kind: 'dispatch', role: 'fixer', each: 'pages', on: { ...retried, written: { to: 'look' } } },
      waiting: { kind: 'parked', outcome: 'needs_person', on: { go: { to: 'look' } } },
      done: { kind: 'final', outcome: 'done', on: { go: stopped } },
    },
  };
}

const retry = [{ when: { left: 'retries' }, to: 'again', spend: 'retries' }, { to: 'waiting' }] as const;
const wait = { to: 'waiting' } as const;
const retried = {
  failed: retry,
  timed_out: retry,
  unparseable: retry,
  out_of_bounds: retry,
  rate_limited: wait,
  unavailable: wait,
  over_budget: wait,
  interrupted: wait,
};
const repairing = [{ when: { left: 'repairs' }, to: 'repair', spend: 'repairs' }, { to: 'waiting' }] as const;
const book = pages(repairing);

describe('S4: symbolic budgets', () => {
  test('the explored states do not depend on the limits', () => {
    const sizes = [0, 1, 7].map((repairs) => {
      const { states, symbolic } = explore(book, { from: initialSnapshot(book, { repairs }) });
      expect(symbolic).toEqual(['repairs']);
      return states.length;
    });
    expect(new Set(sizes).size).toBe(1);
    expect(explore(session).states.length).toBeLessThan(5_000);
  });

  test('explores both branches, each as an engine step with its assumption', () => {
    const { states } = explore(book);
    const asked = states.flatMap(({ steps }) => steps).filter(({ edge }) => edge.signal === 'bad');
    expect(new Set(asked.map(({ edge }) => `${edge.branch} ${edge.assumed['repairs']}`))).toEqual(
      new Set(['0 1', '1 0']),
    );
    for (const { from, edge, to } of asked) {
      const step = transition(book, assuming(from.snapshot, edge.assumed), { name: edge.signal });
      expect(step.kind === 'step' && step.snapshot.state).toBe(to.snapshot.state);
    }
  });

  test('an exact exploration counts item budgets', () => {
    const exactly = (repairs: number): number =>
      explore(book, { from: initialSnapshot(book, { repairs }), exact: true }).states.length;
    expect(exactly(3)).toBeGreaterThan(exactly(1));
  });
});

describe('endings', () => {
  const refuted = (machine: Machine, id: string): readonly string[] =>
    verify(machine, { workflow: 'book' }).proofs.flatMap((proof) =>
      proof.id === id ? proof.refutations.map(({ what }) => what) : [],
    );

  test('the workflow is proven', () => {
    expect(verify(book, { workflow: 'book' })).toMatchObject({ holds: true });
  });

  test('E1: a branch that needs a remaining budget does not count as a way to an end', () => {
    const stuck = pages([{ when: { left: 'repairs' }, to: 'repair', spend: 'repairs' }, { to: 'waiting' }]);
    const states = { ...stuck.states };
    const only = [{ when: { left: 'repairs' }, to: 'done', spend: 'repairs' }, { to: 'waiting' }] as const;
    const look = { kind: 'check', check: 'look', each: 'pages', on: { good: only, bad: only } } as const;
    expect(refuted({ ...stuck, states: { ...states, look } }, 'ends')).toEqual([
      'from idle no final state can be reached any more',
    ]);
  });

  test('E2: spending a budget bounds a cycle, unless the cycle renews it', () => {
    expect(refuted(book, 'terminates')).toEqual([]);
    const renewed = pages([
      { when: { left: 'repairs' }, to: 'repair', spend: 'repairs', load: 'pages' },
      { to: 'waiting' },
    ]);
    expect(refuted(renewed, 'terminates').join()).toContain('look → repair → look is not bounded');
    const free = pages([{ when: { left: 'repairs' }, to: 'repair' }, { to: 'waiting' }]);
    expect(refuted(free, 'terminates').join()).toContain('is not bounded');
  });

  test('E3: finishing items renews the budget and is not a cycle, because the list gets shorter', () => {
    const again = pages([
      { when: { left: 'repairs' }, to: 'repair', spend: 'repairs' },
      { when: { more: 'pages' }, to: 'write', finish: true },
      { to: 'waiting' },
    ]);
    expect(refuted(again, 'terminates')).toEqual([]);
  });
});

describe('the worst case', () => {
  test('each page is written once and repaired up to its limit', () => {
    const { worstCase } = verify(book, { workflow: 'book' });
    expect(worstCase?.steps.find(({ after }) => after === 'go')).toMatchObject({
      dispatches: { constant: 0, perItem: { pages: 3 } },
      withFaults: { constant: 0, perItem: { pages: 6 } },
      byRole: { writer: { perItem: { pages: 1 } }, fixer: { perItem: { pages: 2 } } },
    });
  });

  const told = (worst: WorstCases | null): unknown =>
    worst?.steps
      .map(({ after, dispatches, withFaults, byRole }) => ({ after, dispatches, withFaults, byRole }))
      .toSorted((one, other) => one.after.localeCompare(other.after));

  test.each([[[1, 0, 0, 1]], [[0, 2, 0, 0]]])(
    'L1: for session limits %j, the count equals the exact exploration',
    (numbers) => {
      const from = initialSnapshot(session, { ...limitsOf(numbers), retries: 1 });
      const exact = worstCases(explore(session, { from, exact: true }), null);
      expect(told(worstCases(explore(session, { from }), null))).toEqual(told(exact));
      expect(exact?.steps.length).toBeGreaterThan(50);
    },
  );

  const space = explore(session, { from: initialSnapshot(session, { retries: 1 }) });
  const measured = counter(space);
  const labels = new Set(space.states.flatMap(({ steps }) => steps.flatMap(({ edge }) => edge.label ?? [])));

  test.each([[[1, 1, 1, 1]], [[2, 2, 2, 2]], [[3, 2, 1, 0]], [[0, 1, 3, 2]], [[4, 0, 0, 1]]])(
    'session %j: the sum over attempts equals the exact count',
    (numbers) => {
      const limits = space.symbolic.map((name) => limitsOf(numbers)[name] ?? 0);
      for (const after of labels)
        for (const withFaults of [false, true])
          for (const tasks of [1, 3]) {
            const measure = (at: readonly number[]): number => measured(at, after, { withFaults, tasks });
            const sum = linearTerms(limits).reduce((total, { factor, counts }) => total + factor * measure(counts), 0);
            expect(sum, `${after} ${tasks}`).toBe(measure(limits));
          }
    },
  );
});

function counter(
  space: Space,
): (limits: readonly number[], after: string, how: { readonly withFaults: boolean; readonly tasks: number }) => number {
  const graph = pathGraph(space);
  const paths = new Map<string, LongestPaths>();
  const known = new Map<string, ReadonlyMap<string, number>>();
  return (limits, after, { withFaults, tasks }) => {
    const own = paths.get(limits.join()) ?? longestPaths(graph, limits) ?? expect.fail('it goes on for ever');
    paths.set(limits.join(), own);
    const key = `${limits.join()} ${withFaults} ${tasks}`;
    const longest = known.get(key) ?? own.longest({ weigh: () => 1, faults: withFaults, sizes: { tasks } });
    known.set(key, longest);
    return longest.get(after) ?? 0;
  };
}

describe('the worst case from the current state of a run', () => {
  const at = (tasks: number, more: Partial<Snapshot> = {}): Snapshot => {
    const snapshot = initialSnapshot(session);
    const items = Array.from({ length: tasks + 2 }, (_, index) => ({
      id: `T-${index}`,
      after: index === 0 ? [] : [`T-${index - 1}`],
    }));
    return {
      ...snapshot,
      state: 'code',
      flags: { ...snapshot.flags, mode: 'per_batch' },
      lists: { tasks: { items, done: ['T-0', 'T-1'] } },
      ...more,
    };
  };
  const most = (snapshot: Snapshot): number => {
    const { dispatches } = dispatchesFrom(session, snapshot) ?? expect.fail('there is no number');
    return valueOf(dispatches, {});
  };

  test('extrapolates linearly from a few tasks to five hundred', () => {
    expect(most(at(500)) - most(at(499))).toBe(most(at(3)) - most(at(2)));
    expect(most(at(500))).toBe(most(at(3)) + 497 * (most(at(3)) - most(at(2))));
  });

  test('counts the remaining attempts of the current task, and all attempts of the next', () => {
    const full = at(2);
    const none = at(2, { budgets: { ...full.budgets, fix_review: 0 } });
    const oneTask = at(1, { budgets: { ...full.budgets, fix_review: 0 } });
    // A repair at the reviewer's, at worst: the coder, the reviewer, QA with new tests, and the reviewer again.
    expect(most(full) - most(none)).toBe(3 * 4);
    expect(most(none) - most(oneTask)).toBe(most(full) - most(at(1)));
  });
});
