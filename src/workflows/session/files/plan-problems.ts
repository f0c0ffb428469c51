import { argumentVector } from './argument-vector.ts';
import type { SessionTask, TasksFile } from './tasks-shape.ts';

export interface PlanRules {
  /** Ids of acceptance.json, to which a check may refer. */
  readonly acceptanceIds?: readonly string[];
  /** A lean session has exactly one task. */
  readonly lean?: boolean;
}

/** What a plan that can be read still lacks; each problem is a sentence that says what to do. */
export function planProblems({ tasks }: TasksFile, rules: PlanRules = {}): string[] {
  const problems = tasks.flatMap((task) => taskProblems(task, new Set(rules.acceptanceIds)));
  if (tasks.length === 0) return ['There are no tasks; plan at least one.'];
  if (rules.lean === true && tasks.length > 1) {
    problems.unshift(`A lean session has exactly one task, not ${tasks.length}; put the work into one task.`);
  }
  return problems;
}

function taskProblems(task: SessionTask, acceptanceIds: ReadonlySet<string>): string[] {
  const { id, title, goal, left_out: leftOut = [], acceptance_checks: checks, done_when: done } = task;
  return [
    ...(title === '' && goal === '' ? [`${id} has neither title nor goal; say what it is for.`] : []),
    ...(leftOut.includes('depends_on')
      ? [`${id} does not say what it depends on; add depends_on, [] for nothing.`]
      : []),
    ...(checks.length === 0 ? [`${id} has no acceptance_checks; add one such as "cmd: npm test".`] : []),
    ...checks.flatMap((check) => checkProblems(check, acceptanceIds).map((problem) => `${id}: ${problem}`)),
    ...(done.length === 0 ? [`${id} has no done_when; say by what one sees that it is done.`] : []),
  ];
}

const REFERENCE = /^[A-Z]{1,5}-\d{1,4}$/;

function checkProblems(check: string, acceptanceIds: ReadonlySet<string>): string[] {
  if (REFERENCE.test(check)) {
    return acceptanceIds.has(check)
      ? []
      : [`the acceptance check ${check} is no criterion of acceptance.json; name one of its ids or write "cmd: …".`];
  }
  const [, kind, text = ''] = /^(cmd|manual):\s*(.*)$/s.exec(check) ?? [];
  if (kind === undefined) {
    return [
      `the acceptance check ${JSON.stringify(check)} is neither "cmd: …" nor "manual: …"; begin it with one of them.`,
    ];
  }
  if (text.trim() === '') return [`an acceptance check "${kind}:" is empty; say what is to be checked.`];
  if (kind === 'manual') return [];
  const command = argumentVector(text);
  return 'problem' in command ? [`"cmd: ${text}" cannot be run: ${command.problem}.`] : [];
}
