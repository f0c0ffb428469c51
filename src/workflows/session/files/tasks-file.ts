/** `tasks.yaml`: reading is tolerant, writing is strict. */

import { dependencyOrder } from '../../../documents/dependency-order.ts';
import { attempt, DocumentError } from '../../../documents/document-error.ts';
import { inFile, readDocument } from '../../../documents/read-document.ts';
import { editItems } from '../../../documents/yaml-edit.ts';
import { parseYaml, readYamlLines, refuseDepth } from '../../../documents/yaml.ts';
import * as compound from '../../../schema/compound.ts';
import { list, mapped, table, withDefault, type Flaw } from '../../../schema/compound.ts';
import { differing, oneOrMany, unlessNull } from '../../../schema/lenient.ts';
import { didYouMean } from '../../../schema/nearest.ts';
import { leaf, schema, type Infer, type Schema } from '../../../schema/schema.ts';
import { isRecord } from '../../../schema/values.ts';
import { findSynonym, isMap, textOf } from './decisions-file.ts';
import type { Status } from './status-file.ts';

export const taskStatuses = ['not-started', 'in-progress', 'implemented', 'completed', 'blocked'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** What stands for a thing that other tools wrote more about. */
const leads = ['path', 'file', 'id', 'text', 'description', 'title', 'name'];

/** `- cmd: npm test` without quotes is a map to YAML; whoever wrote it meant the text. */
function itemText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const [entry, ...others] = isRecord(value) ? Object.entries(value) : [];
  const named = others.length > 0 && isRecord(value) && leads.find((key) => itemText(value[key]) !== undefined);
  if (named && isRecord(value)) return itemText(value[named]);
  if (entry === undefined || others.length > 0 || isRecord(entry[1])) return undefined;
  const rest = itemText(entry[1]);
  return rest === undefined ? undefined : `${entry[0]}: ${rest}`;
}

const text = withDefault(unlessNull(leaf('a text', itemText)), '');

/** One item for a list of one; empty ones do not count. */
export const texts: Schema<readonly string[]> = mapped(oneOrMany(list(text, 'a list of texts')), (items) =>
  items.filter((item) => item !== ''),
);

/** One text may name several, or say that there is none. */
const dependencies = mapped(texts, (items): readonly string[] => {
  const plain = items.map((item) => item.replaceAll(/\([^()]*\)|:.*/g, ' '));
  const ids = plain.flatMap((item) => item.split(/[\s,]+/)).filter((id) => id !== '' && !/^(?:none|-|n\/a)$/i.test(id));
  return [...new Set(ids.map(taskId))];
});

const kinds = { cmd: 'cmd command run shell', manual: 'manual check description text step' };

/** A check may be a map: `{cmd: …}`, `{type: cmd, command: …}`, or a criterion with how it is verified. */
function checksIn(value: unknown): readonly unknown[] {
  if (!isRecord(value) || Object.keys(value).length < 2) return [value];
  const { verify, type } = value;
  if (verify !== undefined) return Array.isArray(verify) ? verify : [verify];
  const kind = findSynonym(type ?? value['kind'], ['cmd', 'manual'], kinds);
  for (const [own, names] of Object.entries(kinds)) {
    const said = names
      .split(' ')
      .map((name) => itemText(value[name]))
      .find((each) => each !== undefined && each !== '');
    if (said !== undefined) return [/^(?:cmd|manual):/i.test(said) ? said : `${kind ?? own}: ${said}`];
  }
  return [value['id'] ?? JSON.stringify(value)];
}

const checkTexts = compound.prepared(
  (value) => (Array.isArray(value) ? value.flatMap(checksIn) : value === undefined ? value : checksIn(value)),
  texts,
);

/** "done" is what a coder says, so it never counts as more than implemented: only Pawl completes a task. */
const otherStatuses = {
  'not-started': 'todo pending open new ready',
  'in-progress': 'started doing wip',
  implemented: 'done finished complete coded review inreview pendingreview readyforreview',
  blocked: 'stuck',
};

const status = leaf(`one of ${taskStatuses.join(', ')}`, (value) => findSynonym(value, taskStatuses, otherStatuses));

/** The session as a whole has the id `meta`, so a task of that name goes by another one. */
const metaTask = 'T-meta';
const taskId = (id: string): string => (id === 'meta' ? metaTask : id);
const idExpectation = 'an id such as T-001: letters, digits, ".", "_" and "-", at most 64';
const keys = {
  id: leaf(idExpectation, (value) => {
    const id = textOf(value)?.trim() ?? '';
    return /^[A-Za-z0-9][\w.-]{0,63}$/.test(id) ? taskId(id) : undefined;
  }),
  status: withDefault(unlessNull(status), 'not-started'),
  type: text,
  title: text,
  depends_on: dependencies,
  goal: text,
  non_goals: texts,
  context_files: texts,
  files_expected: texts,
  acceptance_checks: checkTexts,
  risk_flags: texts,
  done_when: texts,
};
const taskFields = table(keys, { expected: 'a task: a map with id, title and the rest' });

export type SessionTask = Infer<typeof taskFields> & {
  /** What the file does not have at all: lists were read as empty ones, the status as not-started. */
  readonly left_out?: readonly string[];
};

/** Keys of other planners, where they have none of ours. */
const otherKeys = {
  title: ['name'],
  goal: ['description'],
  depends_on: ['dependencies'],
  files_expected: ['files'],
  acceptance_checks: ['acceptance_criteria'],
  done_when: ['definition_of_done'],
};

function renamed(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const found = Object.entries(otherKeys).flatMap(([key, others]) => {
    const other = (value[key] ?? null) === null && others.find((each) => (value[each] ?? null) !== null);
    return other ? [[key, value[other]] as const] : [];
  });
  return found.length === 0 ? value : { ...value, ...Object.fromEntries(found) };
}

const lists = Object.keys(keys).filter((key) => !['id', 'type', 'title', 'goal'].includes(key));

const task = schema<SessionTask>((given, at) => {
  const value = renamed(given);
  const leftOut = lists.filter((key) => isRecord(value) && (value[key] ?? null) === null);
  const fields = mapped(taskFields, (read) => ({ ...read, ...(leftOut.length > 0 && { left_out: leftOut }) }));
  return fields.read(value, at);
});

const project = compound.prepared(
  (value) => (typeof value === 'string' ? { name: value } : (value ?? {})),
  table({ name: text, definition_of_done: texts }, { expected: 'a map with name and definition_of_done' }),
);

const listed = compound.prepared((value) => value ?? undefined, list(task, 'a list of tasks'));
const tasks = compound.refine(
  differing(listed, 'an id no other task has'),
  (all) => unknownDependency(all) ?? cycle(all),
);

const tasksFile = table(
  { project, tasks },
  { problem: 'the file is not a map', expected: 'the keys project and tasks' },
);
export type TasksFile = Infer<typeof tasksFile>;

export function readTasks(source: string, file: string): TasksFile {
  refuseDepth(source, file);
  const value = parseYaml(source, { file, line: 1 });
  let lines: ReturnType<typeof readYamlLines> | undefined;
  // Lines are worked out for the first mistake only: without one the quick reader is enough.
  const locate = inFile(file, (path) => (path.length === 0 ? 1 : (lines ??= readYamlLines(source, file)).lineOf(path)));
  return readDocument(tasksFile, value, locate, { unknownKeys: 'ignored' });
}

function unknownDependency(all: readonly SessionTask[]): Flaw | undefined {
  const ids = all.map(({ id }) => id);
  for (const [index, { id, depends_on }] of all.entries()) {
    const at = depends_on.findIndex((each) => !ids.includes(each));
    const unknown = depends_on[at];
    if (unknown === undefined) continue;
    const others = ids.filter((each) => each !== id);
    const expected = `the id of another task${didYouMean(unknown, others)}`;
    return { at: [index, 'depends_on', at], problem: `${id} depends on ${unknown}, which is not a task`, expected };
  }
  return undefined;
}

function cycle(all: readonly SessionTask[]): Flaw | undefined {
  const order = dependencyOrder(all.map(({ id, depends_on }) => ({ id, depends: depends_on })));
  if (!('cycle' in order)) return undefined;
  const index = all.findIndex(({ id }) => id === order.cycle[0]);
  const problem = `tasks wait for each other: ${order.cycle.join(' → ')}`;
  return { at: [index, 'depends_on'], problem, expected: 'dependencies without a cycle' };
}

/**
 * Some tools keep the completed tasks in status.json. One that tasks.yaml says nothing of is completed; one that it
 * calls unfinished counts as implemented, so that it is judged again and not made again.
 */
export function withCompleted(all: readonly SessionTask[], { extra = {} }: Pick<Status, 'extra'>) {
  const listed = extra['completed_tasks'] ?? extra['tasks_completed'];
  const ids = (Array.isArray(listed) ? listed : []).map((each) =>
    taskId(textOf(isMap(each) ? each['id'] : each) ?? ''),
  );
  return all.map((each): SessionTask => {
    if (!ids.includes(each.id) || each.status === 'completed') return each;
    return { ...each, status: each.left_out?.includes('status') ? 'completed' : 'implemented' };
  });
}

/** The status of these tasks and nothing else is changed: comments, order, blank lines, quoting and line ends stay. */
export function setTaskStatus(source: string, ids: readonly string[], to: TaskStatus, file: string): string {
  refuseDepth(source, file);
  const own = attempt(() => readTasks(source, file));
  const isOwn = !(own instanceof DocumentError) && renderTasks(own) === source;
  if (!isOwn || ids.some((id) => !own.tasks.some((each) => each.id === id))) {
    const isMeta = ids.includes(metaTask) && !new RegExp(`\\b${metaTask}\\b`).test(source);
    const named = ids.map((id) => (isMeta && id === metaTask ? 'meta' : id));
    return editItems(source, { list: 'tasks', item: 'task', ids: named, key: 'status', value: to }, file);
  }
  const edited = own.tasks.map((each) => (ids.includes(each.id) ? { ...each, status: to } : each));
  return renderTasks({ ...own, tasks: edited });
}

/** In the one form Pawl writes: keys in their order, a list item a line. */
export function renderTasks({ project: { name, definition_of_done: done }, tasks: all }: TasksFile): string {
  const lines = [
    'project:',
    ...rendered('  ', 'name', name),
    ...rendered('  ', 'definition_of_done', done),
    all.length === 0 ? 'tasks: []' : 'tasks:',
    ...all.flatMap((each: Readonly<Record<string, string | readonly string[]>>) => {
      const [first = '', ...rest] = Object.keys(keys).flatMap((key) => rendered('    ', key, each[key] ?? ''));
      return [first.replace('    ', '  - '), ...rest];
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function rendered(pad: string, key: string, value: string | readonly string[]): readonly string[] {
  if (typeof value === 'string') return [`${pad}${key}: ${scalar(value)}`];
  if (value.length === 0) return [`${pad}${key}: []`];
  return [`${pad}${key}:`, ...value.map((item) => `${pad}  - ${scalar(item)}`)];
}

/** Starts with a letter, so it is no number or date; without `: `, ` #` and the indicators. */
const PLAIN = /^[A-Za-z_](?:[\w ./(),-]*[\w./()-])?$/;
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n|e-?\d+)$/i;
// oxlint-disable-next-line no-control-regex -- finding control characters is the point
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g;

/** Quotes are chosen so that the quick reader, which knows no escapes, can take nearly all of them. */
function scalar(value: string): string {
  if (PLAIN.test(value) && !RESERVED.test(value)) return value;
  const isPrintable = value.search(UNPRINTABLE) === -1;
  if (isPrintable && !/["\\]/.test(value)) return `"${value}"`;
  if (isPrintable && !value.includes("'")) return `'${value}'`;
  return JSON.stringify(value).replaceAll(
    UNPRINTABLE,
    (char) => String.raw`\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
