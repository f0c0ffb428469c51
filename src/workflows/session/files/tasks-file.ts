/** Reads `tasks.yaml`, also as sloppier planners write it: lists may be missing, statuses may be spelled otherwise. */

import { dependencyOrder } from '../../../documents/dependency-order.ts';
import { DocumentError } from '../../../documents/document-error.ts';
import { findWord, isRecord } from '../../../documents/fields.ts';
import { nearest } from '../../../documents/nearest.ts';
import { wrong, type Path, type Source } from '../../../documents/settings-fields.ts';
import { parseYaml } from '../../../documents/yaml.ts';
import { readYamlLines, type YamlLines } from '../../../documents/yaml-lines.ts';
import {
  isTaskId,
  taskIdExpectation,
  taskLists,
  taskStatuses,
  type SessionTask,
  type TasksFile,
  type TaskStatus,
} from './tasks-shape.ts';
import { refuseDepth } from './yaml-depth.ts';

export { planProblems } from './plan-problems.ts';
export { renderTasks } from './render-tasks.ts';
export { setTaskStatus } from './set-task-status.ts';
export { taskStatuses, type SessionTask, type TasksFile, type TaskStatus } from './tasks-shape.ts';

export function readTasks(text: string, file: string): TasksFile {
  refuseDepth(text, file);
  const value = parseYaml(text, { file, line: 1 });
  const source = linesWhenNeeded(text, file);
  if (!isRecord(value)) {
    throw new DocumentError({ file, line: 1 }, 'the file is not a map', 'the keys project and tasks');
  }
  const list = value['tasks'] ?? undefined;
  if (!Array.isArray(list)) throw wrong(list, 'a list of tasks', ['tasks'], source);
  const tasks = list.map((task: unknown, index) => readTask(task, ['tasks', index], source));
  refuseRepeated(tasks, source);
  refuseUnknown(tasks, source);
  refuseCycle(tasks, source);
  return { project: readProject(value['project'], source), tasks };
}

/** Lines are worked out for the first mistake only: without one the quick reader is enough. */
function linesWhenNeeded(text: string, file: string): Source {
  let lines: YamlLines | undefined;
  return { file, lineOf: (path) => (lines ??= readYamlLines(text, file)).lineOf(path) };
}

function readProject(value: unknown, source: Source): TasksFile['project'] {
  const project = value ?? {};
  if (typeof project === 'string') return { name: project, definition_of_done: [] };
  if (!isRecord(project)) throw wrong(value, 'a map with name and definition_of_done', ['project'], source);
  return {
    name: readText(project, 'name', ['project'], source),
    definition_of_done: readList(project, 'definition_of_done', ['project'], source),
  };
}

function readTask(value: unknown, path: Path, source: Source): SessionTask {
  if (!isRecord(value)) throw wrong(value, 'a task: a map with id, title and the rest', path, source);
  const { id } = value;
  if (typeof id !== 'string' || !isTaskId(id)) throw wrong(id, taskIdExpectation, [...path, 'id'], source);
  const text = (key: string): string => readText(value, key, path, source);
  const list = (key: string): string[] => readList(value, key, path, source);
  const leftOut = taskLists.filter((key) => value[key] === undefined || value[key] === null);
  return {
    id,
    status: readTaskStatus(value['status'], [...path, 'status'], source),
    type: text('type'),
    title: text('title'),
    depends_on: dependencies(list('depends_on')),
    goal: text('goal'),
    non_goals: list('non_goals'),
    context_files: list('context_files'),
    files_expected: list('files_expected'),
    acceptance_checks: list('acceptance_checks'),
    risk_flags: list('risk_flags'),
    done_when: list('done_when'),
    ...(leftOut.length > 0 && { left_out: leftOut }),
  };
}

/** "done" is what a coder says, so it never counts as more than implemented: only Pawl completes a task. */
const STATUS_WORDS = new Map<string, TaskStatus>([
  ['todo', 'not-started'],
  ['pending', 'not-started'],
  ['open', 'not-started'],
  ['new', 'not-started'],
  ['ready', 'not-started'],
  ['started', 'in-progress'],
  ['doing', 'in-progress'],
  ['wip', 'in-progress'],
  ['done', 'implemented'],
  ['finished', 'implemented'],
  ['complete', 'implemented'],
  ['stuck', 'blocked'],
]);

function readTaskStatus(value: unknown, path: Path, source: Source): TaskStatus {
  if (value === undefined || value === null) return 'not-started';
  const word = findWord(value, taskStatuses);
  if (word !== undefined) return word;
  const meant =
    typeof value === 'string'
      ? STATUS_WORDS.get(
          value
            .trim()
            .toLowerCase()
            .replaceAll(/[\s_-]/g, ''),
        )
      : undefined;
  if (meant !== undefined) return meant;
  throw wrong(value, `one of ${taskStatuses.join(', ')}`, path, source);
}

function readText(map: Record<string, unknown>, key: string, path: Path, source: Source): string {
  const value = map[key] ?? '';
  const text = itemText(value);
  if (text === undefined) throw wrong(value, 'a text', [...path, key], source);
  return text;
}

function readList(map: Record<string, unknown>, key: string, path: Path, source: Source): string[] {
  const value = map[key] ?? [];
  const items: unknown[] = Array.isArray(value) ? value : [value];
  return items.flatMap((item, index) => {
    if (item === null || item === '') return [];
    const text = itemText(item);
    if (text === undefined) throw wrong(item, 'a text', [...path, key, index], source);
    return [text];
  });
}

/** `- cmd: npm test` without quotes is a map to YAML; whoever wrote it meant the text. */
function itemText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const [entry, ...others] = isRecord(value) ? Object.entries(value) : [];
  if (entry === undefined || others.length > 0 || isRecord(entry[1])) return undefined;
  const rest = itemText(entry[1]);
  return rest === undefined ? undefined : `${entry[0]}: ${rest}`;
}

/** One text may name several, or say that there is none. */
function dependencies(items: readonly string[]): string[] {
  const ids = items.flatMap((item) => item.split(/[\s,]+/)).filter((id) => id !== '' && !/^(?:none|-|n\/a)$/i.test(id));
  return [...new Set(ids)];
}

function refuseRepeated(tasks: readonly SessionTask[], source: Source): void {
  const seen = new Set<string>();
  for (const [index, { id }] of tasks.entries()) {
    if (seen.has(id)) throw wrong(id, 'an id no other task has', ['tasks', index, 'id'], source);
    seen.add(id);
  }
}

function refuseUnknown(tasks: readonly SessionTask[], source: Source): void {
  const ids = new Set(tasks.map(({ id }) => id));
  for (const [index, { id, depends_on }] of tasks.entries()) {
    const at = depends_on.findIndex((each) => !ids.has(each));
    if (at === -1) continue;
    const unknown = depends_on[at] ?? '';
    const near = nearest(
      unknown,
      [...ids].filter((each) => each !== id),
    );
    throw new DocumentError(
      { file: source.file, line: source.lineOf(['tasks', index, 'depends_on', at]) },
      `${id} depends on ${unknown}, which is no task`,
      near === undefined ? 'the id of another task' : `the id of another task; did you mean ${near}?`,
    );
  }
}

function refuseCycle(tasks: readonly SessionTask[], source: Source): void {
  const order = dependencyOrder(tasks.map(({ id, depends_on }) => ({ id, depends: depends_on })));
  const cycle = 'cycle' in order ? order.cycle : undefined;
  if (cycle === undefined) return;
  const index = tasks.findIndex(({ id }) => id === cycle[0]);
  throw new DocumentError(
    { file: source.file, line: source.lineOf(['tasks', index, 'depends_on']) },
    `tasks wait for each other: ${cycle.join(' → ')}`,
    'dependencies without a cycle',
  );
}
