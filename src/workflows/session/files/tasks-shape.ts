/** What `tasks.yaml` holds, in its own words. */

export const taskStatuses = ['not-started', 'in-progress', 'implemented', 'completed', 'blocked'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskLists = [
  'depends_on',
  'non_goals',
  'context_files',
  'files_expected',
  'acceptance_checks',
  'risk_flags',
  'done_when',
] as const;
type TaskList = (typeof taskLists)[number];

export type SessionTask = {
  readonly id: string;
  readonly status: TaskStatus;
  readonly type: string;
  readonly title: string;
  readonly depends_on: readonly string[];
  readonly goal: string;
  readonly non_goals: readonly string[];
  readonly context_files: readonly string[];
  readonly files_expected: readonly string[];
  readonly acceptance_checks: readonly string[];
  readonly risk_flags: readonly string[];
  readonly done_when: readonly string[];
  /** Lists the file does not have at all, which were read as empty ones. */
  readonly left_out?: readonly TaskList[];
};

export type TasksFile = {
  readonly project: { readonly name: string; readonly definition_of_done: readonly string[] };
  readonly tasks: readonly SessionTask[];
};

export const taskIdExpectation = 'T- and at least three digits, such as T-001';

export const taskIdPattern = /^T-\d{3,9}$/;
