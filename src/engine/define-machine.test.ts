import { describe, expect, test } from 'vitest';
import { defineMachine, faultRoutes } from './define-machine.ts';
import type { Machine } from './machine.ts';
import { stateOf } from './transition.ts';

const notNow = { refuse: 'NotNow', outcome: 'not_ready' } as const;
const over = { refuse: 'Over', outcome: 'done' } as const;
const empty = { budgets: {}, flags: {}, lists: [], artifacts: [], gates: {} } as const;

describe('refusals', () => {
  const machine = defineMachine({
    ...empty,
    initial: 'idle',
    commands: ['go', 'stop', 'retry'],
    refusals: { stop: notNow, retry: notNow },
    states: {
      idle: { kind: 'parked', outcome: 'not_ready', on: { go: { to: 'look' }, retry: { to: 'look' } } },
      look: { kind: 'check', check: 'look', on: { fine: { to: 'done' } } },
      done: { kind: 'final', outcome: 'done', on: { go: over } },
    },
  });

  test('refuses the commands that a resting state does not name', () => {
    expect(stateOf(machine, 'idle').on).toEqual({ go: { to: 'look' }, stop: notNow, retry: { to: 'look' } });
    expect(stateOf(machine, 'done').on).toEqual({ go: over, stop: notNow, retry: notNow });
  });

  test('adds no refusals to working states, nor to the signals', () => {
    expect(stateOf(machine, 'look').on).toEqual({ fine: { to: 'done' } });
    expect(machine.signals).toEqual({ idle: [], look: ['fine'], done: [] });
  });
});

describe('invalid machines', () => {
  const parked = { kind: 'parked', outcome: 'done' } as const;

  test('rejects a resting state with a route for anything but a command', () => {
    const mistyped = () =>
      defineMachine({
        ...empty,
        initial: 'idle',
        commands: ['go'],
        refusals: { go: notNow },
        states: { idle: { ...parked, on: { og: { to: 'idle' } } } },
      });
    expect(mistyped).toThrow('the state "idle" rests, but "og" is not a command');
  });

  test('the compiler rejects invalid definitions', () => {
    const rejected: (() => Machine)[] = [
      () =>
        defineMachine({
          ...empty,
          initial: 'idle',
          commands: ['go', 'stop'],
          refusals: { stop: notNow },
          // @ts-expect-error -- "go" has neither a route nor a refusal
          states: { idle: { ...parked, on: {} } },
        }),
      () =>
        defineMachine({
          ...empty,
          initial: 'idle',
          commands: ['go'],
          // @ts-expect-error -- "stop" is not a command
          refusals: { go: notNow, stop: notNow },
          states: { idle: { ...parked, on: {} } },
        }),
      () =>
        defineMachine({
          ...empty,
          initial: 'idle',
          commands: ['go'],
          refusals: { go: notNow },
          // @ts-expect-error -- a run that is over does not move
          states: { idle: { kind: 'final', outcome: 'done', on: { go: { to: 'idle' } } } },
        }),
      () =>
        defineMachine({
          ...empty,
          initial: 'idle',
          commands: ['go'],
          // @ts-expect-error -- there is no state "away"
          states: { idle: { ...parked, on: { go: { to: 'away' } } } },
        }),
      () =>
        defineMachine({
          ...empty,
          initial: 'idle',
          commands: ['go'],
          states: {
            idle: { ...parked, on: { go: { to: 'work' } } },
            // @ts-expect-error -- a dispatch handles every fault
            work: { kind: 'dispatch', role: 'writer', on: { failed: { to: 'idle' } } },
          },
        }),
    ];
    expect(rejected).toHaveLength(5);
  });
});

test('retries transient faults and stops with an outcome on the others', () => {
  expect(faultRoutes('again', (outcome) => outcome)).toEqual({
    failed: 'again',
    timed_out: 'again',
    unparseable: 'again',
    out_of_bounds: 'again',
    rate_limited: 'temporary',
    unavailable: 'unavailable',
    over_budget: 'over_budget',
    interrupted: 'interrupted',
  });
});
