/** From a description to a plan that was challenged. */

import { faults } from './faults.ts';

const faulty = faults('proposed');
const check = { kind: 'check', phase: 'proposed' } as const;
const plan = { kind: 'dispatch', phase: 'proposed', role: 'planner', makes: 'plan' } as const;

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

const revise = { when: { left: 'planning' }, to: 'revise', spend: 'planning' } as const;

export const planning = {
  survey: { ...check, check: 'survey', on: { nothing: { to: 'propose' }, ...generate } },
  propose: { ...plan, on: { reported: { to: 'order' }, ...faulty } },
  order: { ...check, check: 'order', on: generate },
  specify: {
    ...plan,
    each: 'specs',
    on: {
      reported: [
        { when: { more: 'specs' }, to: 'specify', finish: true },
        { to: 'find_tasks', finish: true },
      ],
      ...faulty,
    },
  },
  find_tasks: { ...check, check: 'find_tasks', on: { missing: { to: 'list_tasks' }, present: { to: 'validate' } } },
  list_tasks: { ...plan, on: { reported: { to: 'validate' }, ...faulty } },
  validate: {
    ...check,
    check: 'validate',
    on: {
      valid: { to: 'challenge', set: { repaired: 'no' } },
      invalid: [
        { when: { flag: 'repaired', is: 'no' }, to: 'repair', set: { repaired: 'yes' } },
        { to: 'proposed', set: { repaired: 'no' } },
      ],
    },
  },
  repair: { ...plan, on: { reported: { to: 'order' }, ...faulty } },
  challenge: {
    kind: 'dispatch',
    phase: 'proposed',
    role: 'challenger',
    on: {
      approved: { to: 'challenged' },
      needs_revision: [revise, { to: 'ask_revision', set: { high: 'yes' } }],
      needs_minor_revision: [revise, { to: 'ask_revision', set: { high: 'no' } }],
      rejected: { to: 'rejected' },
      ...faulty,
    },
  },
  revise: { ...plan, on: { reported: { to: 'order' }, ...faulty } },
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
      withdrawn: { to: 'proposed' },
    },
  },
  compare_rejected: {
    ...check,
    phase: 'rejected',
    check: 'compare_rejected',
    on: { changed: { to: 'survey' }, unchanged: { to: 'rejected' } },
  },
  compare_approved: {
    ...check,
    phase: 'challenged',
    check: 'compare_approved',
    on: { changed: { to: 'survey' }, unchanged: { to: 'challenged' } },
  },
} as const;
