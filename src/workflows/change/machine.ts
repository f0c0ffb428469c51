/**
 * The `change` workflow as a transition table.
 *
 * Parked and final states carry the names of the phases in STATE.yaml; a command decides on those alone.
 * Everything a route depends on beyond budgets and flags is found out by a check state and arrives as a signal.
 */

import type { Machine } from '../../engine/machine.ts';
import { archiving } from './machine/archiving.ts';
import { implementing } from './machine/implementing.ts';
import { planning } from './machine/planning.ts';
import { resting } from './machine/resting.ts';
import type { ChangeVocabulary } from './vocabulary.ts';

export const machine: Machine<ChangeVocabulary> = {
  initial: 'new',
  commands: ['plan', 'impl', 'review', 'archive', 'retry', 'undo'],
  budgets: {
    planning: { scope: 'command', limit: 2 },
    implementation: { scope: 'command', limit: 2 },
    archiving: { scope: 'command', limit: 1 },
    retries: { scope: 'visit', limit: 3 },
  },
  flags: { high: 'no', repaired: 'no', stalled: 'no', rereview: 'no' },
  lists: ['specs', 'groups', 'conflicts'],
  states: { ...resting, ...planning, ...implementing, ...archiving },
};
