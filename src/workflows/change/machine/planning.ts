/** From a description to a plan that was challenged. */

import { faults } from './faults.ts';

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

export const planning = {
  survey: { kind: 'check', phase: 'proposed', check: 'survey', on: { nothing: { to: 'propose' }, ...generate } },
  propose: {
    kind: 'dispatch',
    phase: 'proposed',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  order: { kind: 'check', phase: 'proposed', check: 'order', on: generate },
  specify: {
    kind: 'dispatch',
    phase: 'proposed',
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
    phase: 'proposed',
    check: 'find_tasks',
    on: { missing: { to: 'list_tasks' }, present: { to: 'validate' } },
  },
  list_tasks: {
    kind: 'dispatch',
    phase: 'proposed',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'validate' }, ...faults('proposed') },
  },
  validate: {
    kind: 'check',
    phase: 'proposed',
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
    phase: 'proposed',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  challenge: {
    kind: 'dispatch',
    phase: 'proposed',
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
    phase: 'proposed',
    role: 'planner',
    makes: 'plan',
    on: { reported: { to: 'order' }, ...faults('proposed') },
  },
  ask_revision: {
    kind: 'decide',
    phase: 'proposed',
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
    phase: 'rejected',
    check: 'compare_rejected',
    on: { changed: { to: 'survey' }, unchanged: { to: 'rejected' } },
  },
  compare_approved: {
    kind: 'check',
    phase: 'challenged',
    check: 'compare_approved',
    on: { changed: { to: 'survey' }, unchanged: { to: 'challenged' } },
  },
} as const;
