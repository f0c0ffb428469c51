/** From a description to a plan that was challenged. */

import { checkIn, faults, nextItem } from './steps.ts';

const faulty = faults('proposed');
const check = checkIn('proposed');
const plan = { kind: 'dispatch', phase: 'proposed', role: 'planner', makes: 'plan' } as const;

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

const revise = { when: { left: 'planning' }, to: 'revise', spend: 'planning' } as const;
const changed = { to: 'survey' } as const;

export const planning = {
  survey: check('survey', { nothing: { to: 'propose' }, ...generate }),
  propose: { ...plan, on: { reported: { to: 'order' }, ...faulty } },
  order: check('order', generate),
  specify: { ...plan, each: 'specs', on: { reported: nextItem('specs', 'specify', 'find_tasks'), ...faulty } },
  find_tasks: check('find_tasks', { missing: { to: 'list_tasks' }, present: { to: 'validate' } }),
  list_tasks: { ...plan, on: { reported: { to: 'validate' }, ...faulty } },
  validate: check('validate', {
    valid: { to: 'challenge', set: { repaired: 'no' } },
    invalid: [
      { when: { flag: 'repaired', is: 'no' }, to: 'repair', set: { repaired: 'yes' } },
      { to: 'proposed', set: { repaired: 'no' } },
    ],
  }),
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
  compare_rejected: checkIn('rejected')('compare_rejected', { changed, unchanged: { to: 'rejected' } }),
  compare_approved: checkIn('challenged')('compare_approved', { changed, unchanged: { to: 'challenged' } }),
} as const;
