/** The closed sets of names the `session` workflow uses. */

/** What any role can come back with beside its own result. */
const worked = ['questions', 'gave_up', 'unfit'] as const;
/** What can become of any question beside its own answers. */
const asked = ['noted', 'deferred', 'unwritten'] as const;
const judged = ['passed', 'unchanged', 'blocked'] as const;

/** Each state with the signals it can receive, beside faults, commands and the withdrawal of a question. */
export const signals = {
  new: [],
  // From a goal to an approved design
  open_session: ['opened'],
  intake: ['reported', 'lean', ...worked],
  ask_lean: ['lean', 'full', ...asked],
  check_intake: ['valid', 'invalid'],
  intake_lean: ['reported', ...worked],
  check_lean: ['valid', 'invalid'],
  research: ['reported', 'not_needed', ...worked],
  architect: ['reported', ...worked],
  design_ui: ['reported', 'not_needed', ...worked],
  check_design: ['valid', 'invalid'],
  approve_design: ['approved', 'change_spec', 'change_architecture', 'change_ui', ...asked],
  reapprove_design: ['approved', 'change_spec', 'change_architecture', 'change_ui', ...asked],
  queue_correction: ['queued'],
  correct_spec: ['reported', ...worked],
  correct_architecture: ['reported', ...worked],
  correct_ui: ['reported', ...worked],
  verify_correction: ['completed', 'incomplete'],
  // From an approved design to a way of working
  plan: ['reported', ...worked],
  check_plan: ['valid', 'invalid'],
  review_strategy: ['per_batch', 'single_final', ...asked],
  // Implementing, task by task
  schedule: ['work', 'none_left', 'stuck', 'invalid'],
  begin_task: ['begun'],
  code: ['reported', 'complex', ...worked],
  review: [...judged, 'notes', ...worked],
  qa: [...judged, 'passed_with_tests', 'tests_wrong', 'not_needed', ...worked],
  security: [...judged, 'decision', 'not_needed', ...worked],
  accept_task: ['accepted'],
  accept_all: ['accepted'],
  // Repairs
  fix_review: ['reported', ...worked],
  fix_tests: ['reported', ...worked],
  fix_own_tests: ['reported', ...worked],
  fix_security: ['reported', ...worked],
  fix_build: ['reported', 'hand_over', ...worked],
  fix_build_code: ['reported', ...worked],
  // Whoever must be asked meanwhile
  ask_questions: ['answered', ...asked],
  ask_notes: ['fix', 'none', ...asked],
  ask_security: ['fix_now', 'settled', ...asked],
  ask_fix_review: ['try_again', 'accept', ...asked],
  ask_fix_tests: ['try_again', 'accept', ...asked],
  ask_fix_security: ['try_again', 'accept', ...asked],
  ask_fix_build: ['try_again', 'accept', ...asked],
  ask_criteria: ['settled', 'unmet', ...asked],
  // From reviewed tasks to the end
  integrate: ['green', 'changed', 'red', 'tasks_left', 'invalid'],
  judge_criteria: ['settled', 'open'],
  docs: ['reported', ...worked],
  release_notes: ['reported', ...worked],
  verify_release: ['green', 'changed', 'red', 'tasks_left', 'invalid'],
  finish: ['complete', 'incomplete'],
  // Going on after a stop
  recheck: ['intact', 'code_changed', 'design_changed', 'no_strategy'],
  blocked: [],
  blocked_asking: [],
  done: [],
} as const;

export interface SessionVocabulary {
  states: { readonly [S in keyof typeof signals]: (typeof signals)[S][number] };
  roles: Role;
  checks:
    | 'open_session'
    | 'check_intake'
    | 'check_lean'
    | 'check_design'
    | 'queue_correction'
    | 'verify_correction'
    | 'check_plan'
    | 'schedule'
    | 'begin_task'
    | 'accept_task'
    | 'accept_all'
    | 'integrate'
    | 'judge_criteria'
    | 'finish'
    | 'recheck';
  questions: 'lean' | 'design' | 'strategy' | 'questions' | 'notes' | 'findings' | 'repair' | 'criteria';
  commands: 'start' | 'start_lean' | 'retry' | 'undo';
  budgets: Repair | 'retries';
  lists: 'tasks';
  artifacts: 'design' | 'plan' | 'code' | 'session';
  flags: {
    /** How the session is carried out: `full` until a person has chosen a review strategy. */
    course: 'full' | 'lean' | 'per_batch' | 'single_final';
    /** What the gates under way judge: one task, the whole session, or what the release changed. */
    round: 'task' | 'final' | 'release';
    /** Judgements the present files still lack beside that of the gate at work: none, the reviewer's, all of them. */
    owed: 'nothing' | 'review' | 'all';
  };
}

export const roles = [
  'SpecAgent',
  'Researcher',
  'Architect',
  'Designer',
  'Planner',
  'Coder',
  'Reviewer',
  'QA',
  'Security',
  'Integrator',
  'Docs',
] as const;
export type Role = (typeof roles)[number];

/** The kinds of repair, each with attempts of its own for every task. */
export const repairs = ['fix_review', 'fix_tests', 'fix_security', 'fix_build'] as const;
export type Repair = (typeof repairs)[number];
