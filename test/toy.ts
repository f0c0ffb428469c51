/** A workflow small enough to see through: write, have it reviewed, fix it until the budget or a person ends it. */

import { defineMachine } from '../src/engine/define-machine.ts';
import type { Machine } from '../src/engine/machine.ts';

const stop = { to: 'stopped', remember: true, outcome: 'failed' } as const;
const retry = [{ when: { left: 'retries' }, to: 'again', spend: 'retries' }, stop] as const;
const faults = {
  failed: retry,
  timed_out: retry,
  unparseable: retry,
  out_of_bounds: retry,
  rate_limited: stop,
  unavailable: stop,
  over_budget: stop,
  interrupted: stop,
} as const;

export const toyMachine = defineMachine({
  initial: 'idle',
  commands: ['go'],
  budgets: {
    fixes: { scope: 'command', limit: 2 },
    retries: { scope: 'visit', limit: 1 },
    total: { scope: 'run', limit: 5 },
  },
  flags: { asked: ['no', 'yes'] },
  lists: ['pages'],
  artifacts: ['text'],
  gates: { reviewed: { of: 'text', guards: ['done'], passedBy: ['review.approved'] } },
  states: {
    idle: { kind: 'parked', outcome: 'not_ready', on: { go: { to: 'write', load: 'pages' } } },
    write: {
      kind: 'dispatch',
      role: 'writer',
      each: 'pages',
      makes: 'text',
      on: {
        written: [
          { when: { more: 'pages' }, to: 'write', finish: true },
          { to: 'review', finish: true },
        ],
        ...faults,
      },
    },
    review: {
      kind: 'dispatch',
      role: 'reviewer',
      on: {
        approved: { to: 'done' },
        needs_fix: [
          { when: { left: 'fixes' }, to: 'write', spend: 'fixes', load: 'pages' },
          { when: { left: 'total' }, to: 'ask', spend: 'total', set: { asked: 'yes' } },
          { to: 'stopped' },
        ],
        ...faults,
      },
    },
    ask: {
      kind: 'decide',
      question: 'spent',
      on: {
        again: { to: 'write', grant: 'fixes', spend: 'fixes', load: 'pages' },
        stop: { to: 'stopped' },
        withdrawn: { to: 'stopped' },
      },
    },
    stopped: {
      kind: 'parked',
      outcome: 'needs_person',
      on: { go: [{ when: { flag: 'asked', is: 'yes' }, to: 'write', load: 'pages' }, { to: 'review' }] },
    },
    done: { kind: 'final', outcome: 'done', on: { go: { refuse: 'AlreadyDone', outcome: 'done' } } },
  },
});

/** The same with an advisor beside the reviewer. */
export const advisedToy = withAdvisor('simplifier');

export function withAdvisor(beside: string): Machine {
  const { review, ...states } = toyMachine.states;
  if (review?.kind !== 'dispatch') throw new Error('the toy has a review');
  return { ...toyMachine, states: { ...states, review: { ...review, beside } } };
}
