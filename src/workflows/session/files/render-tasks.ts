import type { SessionTask, TasksFile } from './tasks-shape.ts';

/** `tasks.yaml` in the one form Pawl writes: keys in their order, a list item a line. */
export function renderTasks({ project, tasks }: TasksFile): string {
  const lines = [
    'project:',
    `  name: ${scalar(project.name)}`,
    ...list('  ', 'definition_of_done', project.definition_of_done),
    tasks.length === 0 ? 'tasks: []' : 'tasks:',
    ...tasks.flatMap(renderTask),
  ];
  return `${lines.join('\n')}\n`;
}

function renderTask(task: SessionTask): string[] {
  return [
    `  - id: ${scalar(task.id)}`,
    `    status: ${task.status}`,
    `    type: ${scalar(task.type)}`,
    `    title: ${scalar(task.title)}`,
    ...list('    ', 'depends_on', task.depends_on),
    `    goal: ${scalar(task.goal)}`,
    ...list('    ', 'non_goals', task.non_goals),
    ...list('    ', 'context_files', task.context_files),
    ...list('    ', 'files_expected', task.files_expected),
    ...list('    ', 'acceptance_checks', task.acceptance_checks),
    ...list('    ', 'risk_flags', task.risk_flags),
    ...list('    ', 'done_when', task.done_when),
  ];
}

function list(pad: string, key: string, items: readonly string[]): string[] {
  if (items.length === 0) return [`${pad}${key}: []`];
  return [`${pad}${key}:`, ...items.map((item) => `${pad}  - ${scalar(item)}`)];
}

/** Starts with a letter, so it is no number or date; without `: `, ` #` and the indicators. */
const PLAIN = /^[A-Za-z_](?:[\w ./(),-]*[\w./()-])?$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|e-?\d+)$/i;
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;

/** Quotes are chosen so that the quick reader, which knows no escapes, can take nearly all of them. */
function scalar(text: string): string {
  if (PLAIN.test(text) && !RESERVED.test(text)) return text;
  const isPrintable = text.search(UNPRINTABLE) === -1;
  if (isPrintable && !/["\\]/.test(text)) return `"${text}"`;
  if (isPrintable && !text.includes("'")) return `'${text}'`;
  return JSON.stringify(text).replaceAll(
    UNPRINTABLE,
    (char) => String.raw`\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
