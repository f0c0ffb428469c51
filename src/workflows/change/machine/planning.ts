/** From a description to a plan that was challenged. */

import type { Machine } from '../../../engine/machine.ts';
import type { ChangeVocabulary as V } from '../vocabulary.ts';
import { faults } from './faults.ts';

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

export const planning: Pick<
  Machine<V>['states'],
  | 'survey'
  | 'propose'
  | 'order'
  | 'specify'
  | 'find_tasks'
  | 'list_tasks'
  | 'validate'
  | 'repair'
  | 'challenge'
  | 'revise'
  | 'ask_revision'
  | 'compare_rejected'
  | 'compare_approved'
> = {
  survey: { kind: 'check', check: 'survey', on: { nothing: { to: 'propose' }, ...generate } },
  propose: {
    kind: 'dispatch',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  order: { kind: 'check', check: 'order', on: generate },
  specify: {
    kind: 'dispatch',
    role: 'planner',
    each: 'specs',
    makes: 'plan',
    on: {
      reported: [
        { when: { more: 'specs' }, to: 'specify', finish: true },
        { to: 'find_tasks', finish: true },
      ],
      ...faults('proposed'),
    },
  },
  find_tasks: {
    kind: 'check',
    check: 'find_tasks',
    on: { missing: { to: 'list_tasks' }, present: { to: 'validate' } },
  },
  list_tasks: {
    kind: 'dispatch',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'validate' }, ...faults('proposed') },
  },
  validate: {
    kind: 'check',
    check: 'validate',
    on: {
      valid: { to: 'challenge', set: { repaired: 'no' } },
      invalid: [
        { when: { flag: 'repaired', is: 'no' }, to: 'repair', set: { repaired: 'yes' } },
        { to: 'proposed', set: { repaired: 'no' } },
      ],
    },
  },
  repair: {
    kind: 'dispatch',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  challenge: {
    kind: 'dispatch',
    role: 'challenger',
    on: {
      approved: { to: 'challenged' },
      needs_revision: [
        { when: { left: 'planning' }, to: 'revise', spend: 'planning' },
        { to: 'ask_revision', set: { high: 'yes' } },
      ],
      needs_minor_revision: [
        { when: { left: 'planning' }, to: 'revise', spend: 'planning' },
        { to: 'ask_revision', set: { high: 'no' } },
      ],
      rejected: { to: 'rejected' },
      ...faults('proposed'),
    },
  },
  revise: {
    kind: 'dispatch',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  ask_revision: {
    kind: 'decide',
    question: 'revision',
    on: {
      implement_anyway: [
        { when: { flag: 'high', is: 'yes' }, refuse: 'HighIssueOpen', outcome: 'needs_person' },
        { to: 'challenged' },
      ],
      continue: { to: 'revise', grant: 'planning', spend: 'planning' },
      view: { to: 'again' },
      cancelled: { to: 'proposed' },
    },
  },
  compare_rejected: {
    kind: 'check',
    check: 'compare_rejected',
    on: { changed: { to: 'survey' }, unchanged: { to: 'rejected' } },
  },
  compare_approved: {
    kind: 'check',
    check: 'compare_approved',
    on: { changed: { to: 'survey' }, unchanged: { to: 'challenged' } },
  },
};
