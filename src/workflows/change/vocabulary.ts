/** The closed sets of names the `change` workflow uses. */

/** Each state with the signals it can receive, beside faults, commands and the withdrawal of a question. */
export const signals = {
  new: [],
  // Planning
  survey: ['nothing', 'specs_missing', 'tasks_missing', 'complete', 'invalid'],
  propose: ['reported'],
  order: ['specs_missing', 'tasks_missing', 'complete', 'invalid'],
  specify: ['reported'],
  find_tasks: ['missing', 'present'],
  list_tasks: ['reported'],
  validate: ['valid', 'invalid'],
  repair: ['reported'],
  challenge: ['approved', 'needs_revision', 'needs_minor_revision', 'rejected'],
  revise: ['reported'],
  ask_revision: ['implement_anyway', 'view', 'continue'],
  compare_rejected: ['changed', 'unchanged'],
  compare_approved: ['changed', 'unchanged'],
  proposed: [],
  challenged: [],
  rejected: [],
  // Implementing
  confirm_plan: ['unchanged', 'accepted', 'edited'],
  reconfirm_plan: ['unchanged', 'accepted', 'edited'],
  select_tasks: ['work', 'to_review', 'to_fix', 'approved', 'subset_done', 'blocked', 'invalid'],
  implement: ['reported', 'blocked'],
  tally: ['all_done', 'subset_done', 'blocked'],
  run_checks: ['ran'],
  review: ['approved', 'needs_fix', 'major_issues'],
  fix: ['reported'],
  implementing: [],
  complete: [],
  // Archiving
  confirm_code: ['unchanged', 'changed'],
  reconfirm_code: ['unchanged', 'changed'],
  merge: ['merged', 'conflicts', 'invalid'],
  merge_by_hand: ['reported'],
  review_merge: ['approved', 'needs_fix'],
  finish_merge: ['merged', 'invalid'],
  archived: [],
} as const;

export interface ChangeVocabulary {
  states: { readonly [S in keyof typeof signals]: (typeof signals)[S][number] };
  roles: 'planner' | 'challenger' | 'implementer' | 'reviewer' | 'archivist';
  checks:
    | 'survey'
    | 'order'
    | 'find_tasks'
    | 'validate'
    | 'compare_rejected'
    | 'compare_approved'
    | 'confirm_plan'
    | 'select_tasks'
    | 'tally'
    | 'run_checks'
    | 'confirm_code'
    | 'merge';
  questions: 'revision';
  commands: 'plan' | 'impl' | 'review' | 'archive' | 'retry' | 'undo';
  budgets: 'planning' | 'implementation' | 'archiving' | 'retries';
  lists: 'specs' | 'groups' | 'conflicts';
  artifacts: 'plan' | 'code' | 'merge';
  flags: {
    /** Whether the last review of the plan has a High issue: then nobody may go on with it. */
    high: 'yes' | 'no';
    /** Whether the planner was already sent back for the format of this version of the plan. */
    repaired: 'yes' | 'no';
    /** Whether a fault stopped the run, so that `retry` has a step to go back to. */
    stalled: 'yes' | 'no';
    /** Whether the review under way is a fresh one of a complete change. */
    rereview: 'yes' | 'no';
  };
}
