/** Reads `tasks.yaml`, also as sloppier planners write it: lists may be missing, statuses may be spelled otherwise. */

import { dependencyOrder } from '../../../documents/dependency-order.ts';
import { inFile, readDocument } from '../../../documents/read-document.ts';
import { parseYaml } from '../../../documents/yaml.ts';
import { readYamlLines, type YamlLines } from '../../../documents/yaml-lines.ts';
import { list, mapped, matching, prepared, refine, table, withDefault, type Flaw } from '../../../schema/compound.ts';
import { oneOrMany, unlessNull } from '../../../schema/lenient.ts';
import { nearest } from '../../../schema/nearest.ts';
import { leaf, schema, type Schema } from '../../../schema/schema.ts';
import { verbatim } from '../../../schema/simple.ts';
import { findWord, isRecord } from '../../../schema/values.ts';
import {
  taskIdExpectation,
  taskIdPattern,
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
  let lines: YamlLines | undefined;
  // Lines are worked out for the first mistake only: without one the quick reader is enough.
  const locate = inFile(file, (path) => (path.length === 0 ? 1 : (lines ??= readYamlLines(text, file)).lineOf(path)));
  return readDocument(tasksFile, value, locate, { unknownKeys: 'ignored' });
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

const someText = leaf('a text', itemText);
const text = withDefault(unlessNull(someText), '');

/** One item for a list of one; empty ones do not count. */
const texts: Schema<readonly string[]> = mapped(oneOrMany(list(text, 'a list of texts')), (items) =>
  items.filter((item) => item !== ''),
);

/** One text may name several, or say that there is none. */
const dependencies = mapped(texts, (items) => {
  const ids = items.flatMap((item) => item.split(/[\s,]+/)).filter((id) => id !== '' && !/^(?:none|-|n\/a)$/i.test(id));
  return [...new Set(ids)];
});

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

const status = leaf(`one of ${taskStatuses.join(', ')}`, (value) => {
  const folded =
    typeof value === 'string'
      ? value
          .trim()
          .toLowerCase()
          .replaceAll(/[\s_-]/g, '')
      : '';
  return findWord(value, taskStatuses) ?? STATUS_WORDS.get(folded);
});

const taskFields = table(
  {
    id: matching(verbatim(taskIdExpectation), taskIdPattern, taskIdExpectation),
    status: withDefault(unlessNull(status), 'not-started'),
    type: text,
    title: text,
    depends_on: dependencies,
    goal: text,
    non_goals: texts,
    context_files: texts,
    files_expected: texts,
    acceptance_checks: texts,
    risk_flags: texts,
    done_when: texts,
  },
  { expected: 'a task: a map with id, title and the rest' },
);

const task = schema<SessionTask>((value, at) => {
  const leftOut = taskLists.filter((key) => isRecord(value) && (value[key] ?? null) === null);
  return mapped(taskFields, (fields) => ({ ...fields, ...(leftOut.length > 0 && { left_out: leftOut }) })).read(
    value,
    at,
  );
});

const project = prepared(
  (value) => (typeof value === 'string' ? { name: value } : (value ?? {})),
  table({ name: text, definition_of_done: texts }, { expected: 'a map with name and definition_of_done' }),
);

const tasks = refine(
  prepared((value) => value ?? undefined, list(task, 'a list of tasks')),
  (all) => repeated(all) ?? unknownDependency(all) ?? cycle(all),
);

const tasksFile: Schema<TasksFile> = table(
  { project, tasks },
  { problem: 'the file is not a map', expected: 'the keys project and tasks' },
);

function repeated(all: readonly SessionTask[]): Flaw | undefined {
  const seen = new Set<string>();
  for (const [index, { id }] of all.entries()) {
    if (seen.has(id)) return { at: [index, 'id'], found: id, expected: 'an id no other task has' };
    seen.add(id);
  }
  return undefined;
}

function unknownDependency(all: readonly SessionTask[]): Flaw | undefined {
  const ids = new Set(all.map(({ id }) => id));
  for (const [index, { id, depends_on }] of all.entries()) {
    const at = depends_on.findIndex((each) => !ids.has(each));
    const unknown = depends_on[at];
    if (unknown === undefined) continue;
    const near = nearest(
      unknown,
      [...ids].filter((each) => each !== id),
    );
    const expected = near === undefined ? 'the id of another task' : `the id of another task; did you mean ${near}?`;
    return { at: [index, 'depends_on', at], problem: `${id} depends on ${unknown}, which is no task`, expected };
  }
  return undefined;
}

function cycle(all: readonly SessionTask[]): Flaw | undefined {
  const order = dependencyOrder(all.map(({ id, depends_on }) => ({ id, depends: depends_on })));
  if (!('cycle' in order)) return undefined;
  const index = all.findIndex(({ id }) => id === order.cycle[0]);
  return {
    at: [index, 'depends_on'],
    problem: `tasks wait for each other: ${order.cycle.join(' → ')}`,
    expected: 'dependencies without a cycle',
  };
}
