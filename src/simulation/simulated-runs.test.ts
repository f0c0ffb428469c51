import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faults, type Machine, type Route } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { transition } from '../engine/transition.ts';
import { toyMachine } from '../../test/toy.ts';
import { explore } from '../verifier/space.ts';
import { machine as changeMachine } from '../workflows/change/transition-table.ts';
import { machine as sessionMachine } from '../workflows/session/transition-table.ts';
import { Chart } from './chart.ts';
import { drawItems, equalOdds, type Odds } from './odds.ts';
import { randomsOf } from './random.ts';
import { simulate, type SimulateOptions, type Simulation } from './simulated-runs.ts';

const toy: Machine = toyMachine;
const change: Machine = changeMachine;
const machines: [string, Machine][] = [
  ['toy', toy],
  ['change', change],
];
const seed = 7;

describe.each(machines)('%s', (_, machine) => {
  test('the same seed gives the same figures, another one others', () => {
    const play = (from: number): Simulation =>
      simulate(machine, equalOdds(machine), { runs: 300, seed: from, faults: true });
    expect(play(seed)).toEqual(play(seed));
    expect(play(seed)).not.toEqual(play(seed + 1));
  });

  test('makes no more dispatches after one command than the verifier says', () => {
    fc.assert(
      fc.property(oddsOf(machine), fc.nat(1_000_000), fc.boolean(), (odds, from, withFaults) => {
        const { afterPerson } = simulate(machine, odds, { runs: 60, seed: from, faults: withFaults });
        expect(afterPerson.length).toBeGreaterThan(0);
        for (const { after, dispatches, atMost } of afterPerson) {
          expect(atMost, after).not.toBeNull();
          expect(dispatches.most, after).toBeLessThanOrEqual(atMost!);
        }
      }),
      { numRuns: 12 },
    );
  });

  test('a walk on the chart is a run of the engine, step by step', () => {
    const chart = new Chart(explore(machine), { odds: withFaults(equalOdds(machine), 0.3), faults: true });
    const [random] = randomsOf(seed, 1);
    let steps = 0;
    for (let run = 0; run < 30; run += 1) {
      let spot = chart.start;
      let snapshot = initialSnapshot(machine);
      for (let open = chart.transitionsFrom(spot); open.length > 0; open = chart.transitionsFrom(spot)) {
        for (const { edge } of open) expect(transition(machine, snapshot, { name: edge.signal }).kind).toBe('step');
        const chosen = open[random!.uint32() % open.length]!;
        const { signal } = chosen.edge;
        const items = chosen.load ? drawItems(chosen.load.odds, chosen.load.least, random!) : 0;
        const sent = Array.from({ length: items }, (__, index) => ({ id: `item-${index}`, after: [] }));
        const step = transition(machine, snapshot, { name: signal, items: sent });
        if (step.kind === 'refusal') throw new Error(`${snapshot.state}.${signal}: ${step.reason}`);
        ({ snapshot } = step);
        spot = chart.follow(chosen, items);
        expect(spot.state).toBe(snapshot.state);
        steps += 1;
      }
      expect(machine.states[snapshot.state]?.kind).toBe('final');
    }
    expect(steps).toBeGreaterThan(100);
  });
});

describe('people', () => {
  test('take the shortest path to the end: nobody withdraws, looks twice or undoes', () => {
    const { afterPerson, ends } = simulate(change, equalOdds(change), { runs: 500, seed, faults: true });
    const done = afterPerson.map(({ after }) => after).toSorted();
    expect(done).toEqual([
      'archive',
      'ask_revision.continue',
      'ask_revision.implement_anyway',
      'impl',
      'lean',
      'plan',
      'retry',
    ]);
    expect(ends).toEqual([{ how: 'ended', state: 'archived', outcome: 'done', runs: 500 }]);
  });

  test('set the flag that opens a guarded path before they take it', () => {
    const { ends, afterPerson } = simulate(lockedMachine, equalOdds(lockedMachine), { runs: 10, seed, faults: false });
    expect(ends).toEqual([{ how: 'ended', state: 'done', outcome: 'done', runs: 10 }]);
    expect(afterPerson.map(({ after, times }) => [after, times])).toEqual([
      ['unlock', 10],
      ['open', 10],
    ]);
  });

  test('do what their odds say, as far as it is not refused', () => {
    const odds = { ...equalOdds(toy), weights: { ...equalOdds(toy).weights, ask: { stop: 3, again: 1 } } };
    const { rests, afterPerson } = simulate(toy, odds, { runs: 20_000, seed, faults: false });
    const asked = rests.find(({ state }) => state === 'ask')!.times;
    const again = afterPerson.find(({ after }) => after === 'ask.again')!.times;
    expect(again / asked).toBeCloseTo(0.25, 1);
    expect(rests.find(({ state }) => state === 'idle')).toEqual({
      state: 'idle',
      asks: false,
      runs: 20_000,
      times: 20_000,
    });
    const refused = { ...odds, weights: { ...odds.weights, ask_revision: { implement_anyway: 1 } } };
    expect(simulate(change, { ...equalOdds(change), ...refused }, { runs: 50, seed, faults: false }).runs).toBe(50);
  });
});

describe('what is known beforehand', () => {
  const runs = 20_000;

  test('tries until one succeeds are distributed geometrically', () => {
    const odds = triesOdds({ ok: 3, no: 7 });
    const { dispatches, afterPerson, ends } = simulate(triesMachine, odds, { runs, seed, faults: false });
    expect(dispatches).toMatchObject({ least: 1, median: 2, p90: 7 });
    expect(Math.abs(dispatches.mean - 1 / 0.3)).toBeLessThan(0.06);
    expect(Math.abs(dispatches.histogram[0]!.count / runs - 0.3)).toBeLessThan(0.01);
    expect(ends).toEqual([{ how: 'ended', state: 'done', outcome: 'done', runs }]);
    expect(afterPerson[0]?.atMost, 'it may go on for ever').toBeNull();
  });

  test('faults come as often as they are said to', () => {
    const odds = { ...triesOdds({ ok: 1 }), faults: { failed: 0.2, unavailable: 0.05 } };
    const { dispatches, ends } = simulate(triesMachine, odds, { runs, seed, faults: true });
    const lost = ends.find(({ state }) => state === 'lost')!.runs / runs;
    expect(Math.abs(dispatches.mean - 1 / 0.8)).toBeLessThan(0.02);
    expect(Math.abs(lost - 0.05 / 0.8)).toBeLessThan(0.01);
    const without = simulate(triesMachine, odds, { runs: 100, seed, faults: false });
    expect(without.dispatches).toMatchObject({ least: 1, most: 1 });
  });

  test('cost and time add up; what is not known is not zero', () => {
    const known = { costUsd: { least: 1, typical: 2, most: 3 }, ms: { least: 10, typical: 10, most: 10 } };
    const options: SimulateOptions = { runs, seed, faults: false };
    const tried = simulate(triesMachine, { ...triesOdds({ ok: 1, no: 1 }), roles: { worker: known } }, options);
    expect(Math.abs(tried.costUsd!.mean - 4)).toBeLessThan(0.06);
    expect(tried.agentMs!.mean).toBe(tried.dispatches.mean * 10);
    expect(tried.roles).toEqual([
      {
        role: 'worker',
        dispatches: tried.dispatches.mean,
        costUsd: expect.closeTo(tried.costUsd!.mean, 9),
        agentMs: tried.agentMs!.mean,
      },
    ]);
    const timeless = { ...triesOdds({ ok: 1, no: 1 }), roles: { worker: { ...known, ms: null } } };
    const unknown = simulate(triesMachine, timeless, options);
    expect(unknown.agentMs).toBeNull();
    expect(unknown.roles[0]?.agentMs).toBeNull();
    expect(unknown.costUsd, 'the cost does not depend on whether the time is known').toEqual(tried.costUsd);
    expect(unknown.dispatches).toEqual(tried.dispatches);
  });

  test('runs beyond the budget of a run are counted', () => {
    const spending = { dispatches: 2, costUsd: 1, agentMs: 1 };
    const { overBudget } = simulate(triesMachine, triesOdds({ ok: 1, no: 1 }), { runs, seed, faults: false, spending });
    expect(Math.abs(overBudget.dispatches! / runs - 0.25)).toBeLessThan(0.01);
    expect(overBudget).toMatchObject({ costUsd: null, agentMs: null });
  });

  test('respects the limits of the machine', () => {
    const rounds = (fixes: number): number =>
      simulate(toy, onlyFixes(), { runs: 20, seed, faults: false, limits: { fixes } }).afterPerson.find(
        ({ after }) => after === 'go',
      )!.dispatches.most;
    expect(rounds(0)).toBeLessThan(rounds(3));
  });
});

test.each([
  ['without faults', 0, false],
  ['with faults', 0.7, true],
])('the bound of the verifier is reached, %s', (_, failed, withThem) => {
  const odds: Odds = { ...onlyFixes(), items: { pages: { mean: 2, most: 2 } }, faults: { failed } };
  const { afterPerson } = simulate(toy, odds, { runs: 20_000, seed, faults: withThem });
  const again = afterPerson.find(({ after }) => after === 'ask.again')!;
  expect(again.dispatches.most).toBe(again.atMost);
  expect(again.atMost).toBe(withThem ? 6 : 3);
});

test('counts walks that do not end and walks that are stuck', () => {
  const options: SimulateOptions = { runs: 3, seed, faults: false };
  expect(simulate(triesMachine, triesOdds({ no: 1 }), options).ends).toEqual([
    { how: 'unended', state: 'try', outcome: null, runs: 3 },
  ]);
  const states = { ...triesMachine.states, idle: { ...triesMachine.states['idle']!, on: { go: refused } } };
  expect(simulate({ ...triesMachine, states }, triesOdds({ ok: 1 }), options).ends).toEqual([
    { how: 'stuck', state: 'idle', outcome: null, runs: 3 },
  ]);
});

test('ten thousand runs take a second or two, not ten', () => {
  const started = performance.now();
  simulate(change, equalOdds(change), { runs: 10_000, seed, faults: true });
  expect(performance.now() - started).toBeLessThan(8_000);
});

const refused = { refuse: 'No', outcome: 'not_ready' } as const;

function toEvery(route: Route): Record<string, Route> {
  return Object.fromEntries(faults.map((fault) => [fault, route]));
}

/** One role tries until it succeeds. */
const triesMachine: Machine = {
  initial: 'idle',
  signals: { idle: [], try: ['ok', 'no'], done: [], lost: [] },
  commands: ['go'],
  budgets: {},
  flags: {},
  lists: [],
  gates: {},
  states: {
    idle: { kind: 'parked', outcome: 'not_ready', on: { go: { to: 'try' } } },
    try: {
      kind: 'dispatch',
      role: 'worker',
      on: { ok: { to: 'done' }, no: { to: 'again' }, ...toEvery({ to: 'again' }), unavailable: { to: 'lost' } },
    },
    done: { kind: 'final', outcome: 'done', on: { go: refused } },
    lost: { kind: 'final', outcome: 'failed', on: { go: refused } },
  },
};

function triesOdds(weights: Readonly<Record<string, number>>): Odds {
  return { ...equalOdds(triesMachine), weights: { try: weights } };
}

/** The door looks near, but does not open before somebody has unlocked it. */
const lockedMachine: Machine = {
  initial: 'outside',
  signals: { outside: [], door: ['tried'], done: [] },
  commands: ['open', 'unlock'],
  budgets: {},
  flags: { locked: 'yes' },
  lists: [],
  gates: {},
  states: {
    outside: {
      kind: 'parked',
      outcome: 'needs_person',
      on: { open: { to: 'door' }, unlock: { to: 'outside', set: { locked: 'no' } } },
    },
    door: {
      kind: 'check',
      check: 'door',
      on: { tried: [{ when: { flag: 'locked', is: 'no' }, to: 'done' }, { to: 'outside' }] },
    },
    done: { kind: 'final', outcome: 'done', on: { open: refused, unlock: refused } },
  },
};

function withFaults(odds: Odds, share: number): Odds {
  return { ...odds, faults: Object.fromEntries(faults.map((fault) => [fault, share / faults.length])) };
}

function onlyFixes(): Odds {
  const odds = equalOdds(toy);
  return { ...odds, weights: { ...odds.weights, review: { needs_fix: 9, approved: 1 } } };
}

/** Weights that push a run hard in some direction, one fault that comes up to nine times of ten, lists of up to four. */
function oddsOf(machine: Machine): fc.Arbitrary<Odds> {
  const usual = equalOdds(machine);
  const weight = fc.constantFrom(1, 20, 400);
  const weights = fc.record(
    Object.fromEntries(
      Object.entries(usual.weights).map(([state, signals]) => [
        state,
        fc.record(Object.fromEntries(Object.keys(signals).map((signal) => [signal, weight]))),
      ]),
    ),
  );
  return fc
    .record({
      weights,
      fault: fc.constantFrom(...faults),
      share: fc.double({ min: 0, max: 0.9, noNaN: true }),
      most: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ weights: given, fault, share, most }) => ({
      ...usual,
      weights: given,
      faults: { [fault]: share },
      items: Object.fromEntries(machine.lists.map((list) => [list, { mean: most, most }])),
    }));
}

describe('session', () => {
  const session: Machine = sessionMachine;
  /** Mostly it goes well: with equal odds every other file would have been edited while nobody looked. */
  const odds = ((): Odds => {
    const equal = equalOdds(session);
    const weights = Object.entries(equal.weights).map(([state, each]) => {
      const [usual = '', ...others] = Object.keys(each);
      return [state, { ...each, [usual]: 4 * others.length + 1 }] as const;
    });
    return { ...equal, weights: Object.fromEntries(weights) };
  })();

  test('ends, with no more dispatches after an act of a person than the verifier says', () => {
    const { ends, afterPerson } = simulate(session, odds, { runs: 300, seed, faults: true });
    expect(ends.map(({ how, state }) => `${how} ${state}`)).toEqual(['ended done']);
    for (const { after, dispatches, atMost } of afterPerson)
      expect(dispatches.most, after).toBeLessThanOrEqual(atMost ?? -1);
  });

  test('asks about a repair only after the attempts are spent', () => {
    const limits = { fix_review: 0, fix_tests: 0, fix_security: 0, fix_build: 0 };
    const asked = (given: Readonly<Record<string, number>>): number =>
      simulate(session, odds, { runs: 200, seed, faults: false, limits: given })
        .rests.filter(({ state }) => state === 'ask_fix_review')
        .reduce((sum, { times }) => sum + times, 0);
    expect(asked({ ...limits, fix_review: 9 })).toBeLessThan(asked(limits) / 4);
  });
});
