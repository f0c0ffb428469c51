/**
 * Changes the status of one task in `tasks.yaml` and nothing else.
 *
 * U1. The result reads as the old file with that status.
 * U2. All other bytes stay: comments, order, blank lines, quoting, line ends.
 * U3. The work is linear in the size of the file.
 */

import { DocumentError } from '../../../documents/document-error.ts';
import { isRecord } from '../../../schema/values.ts';
import { nearest } from '../../../schema/nearest.ts';
import { sameValue } from '../../../documents/same-value.ts';
import { parseSimpleYaml } from '../../../documents/simple-yaml.ts';
import { yaml } from '../../../documents/yaml-package.ts';
import type { TaskStatus } from './tasks-shape.ts';
import { refuseDepth } from './yaml-depth.ts';

export function setTaskStatus(text: string, id: string, status: TaskStatus, file: string): string {
  refuseDepth(text, file);
  return editLine(text, id, status) ?? editDocument(text, { id, status, file });
}

/**
 * In a file the quick reader understands no value goes over a line, so a line is what it looks like.
 * Undefined where the task is not laid out as Pawl does it.
 */
function editLine(text: string, id: string, status: TaskStatus): string | undefined {
  const tasks = text.search(/^tasks:/m);
  const item = text.indexOf(`\n  - id: ${id}\n`, tasks);
  if (tasks === -1 || item === -1 || parseSimpleYaml(text) === undefined) return undefined;
  const isAmongTasks = !/\n[^\s#]/.test(text.slice(tasks, item));
  const line = text.indexOf('\n', item + 1) + 1;
  STATUS_LINE.lastIndex = line;
  const [, before = '', value = ''] = STATUS_LINE.exec(text) ?? [];
  if (!isAmongTasks || value === '') return undefined;
  const at = line + before.length;
  return text.slice(0, at) + status + text.slice(at + value.length);
}

const STATUS_LINE = /( {4}status: )([A-Za-z][\w-]*) *(?:#.*)?$/my;

type Yaml = ReturnType<typeof yaml>;
type Document = ReturnType<Yaml['parseDocument']>;
type YamlMap = InstanceType<Yaml['YAMLMap']>;

interface Edit {
  readonly id: string;
  readonly status: TaskStatus;
  readonly file: string;
}

/** Any other layout: the package tells where the value stands, and the result is read again before it counts. */
function editDocument(text: string, edit: Edit): string {
  const document = yaml().parseDocument(text, READ);
  const values = valuesOf(document, text, edit.file);
  const tasks = isRecord(values) && Array.isArray(values['tasks']) ? values['tasks'] : [];
  const index = tasks.findIndex((task: unknown) => isRecord(task) && task['id'] === edit.id);
  const task: unknown = index === -1 ? undefined : tasks[index];
  const node: unknown = document.getIn(['tasks', index], true);
  if (!isRecord(task)) throw noSuchTask(tasks, edit);
  const wanted = tasks.with(index, { ...task, status: edit.status });
  const edited = yaml().isMap(node) ? spliceStatus(text, node, edit.status) : text;
  if (readsAs(edited, { ...values, tasks: wanted })) return edited;
  throw new DocumentError(
    { file: edit.file, line: yaml().isMap(node) ? lineAt(text, node.range?.[0] ?? 0) : null },
    `the status of ${edit.id} cannot be changed`,
    'a status written out in its own task, without anchors or aliases',
  );
}

const READ = { schema: 'core', prettyErrors: false, logLevel: 'error' } as const;

function valuesOf(document: Document, text: string, file: string): Record<string, unknown> {
  const [error] = document.errors;
  if (error)
    throw new DocumentError({ file, line: lineAt(text, error.pos[0]) }, error.message, 'valid YAML', { cause: error });
  try {
    const values: unknown = document.toJS();
    return isRecord(values) ? values : {};
  } catch (cause) {
    throw new DocumentError({ file, line: null }, String(cause), 'aliases with an anchor, and few of them', { cause });
  }
}

function noSuchTask(tasks: readonly unknown[], { id, file }: Edit): DocumentError {
  const ids = tasks.flatMap((task) => (isRecord(task) && typeof task['id'] === 'string' ? [task['id']] : []));
  const near = nearest(id, ids);
  const expected = near === undefined ? 'the id of a task in the file' : `the id of a task; did you mean ${near}?`;
  return new DocumentError({ file, line: null }, `there is no task ${id}`, expected);
}

function spliceStatus(text: string, task: YamlMap, status: TaskStatus): string {
  const value: unknown = task.get('status', true);
  const range = yaml().isScalar(value) || yaml().isAlias(value) ? value.range : undefined;
  if (!range) return insertStatus(text, task, status);
  const [start, end] = range;
  const [, quote = ''] = /^(["'])[^]*\1$/.exec(text.slice(start, end)) ?? [];
  const gap = /\s/.test(text.charAt(start - 1)) ? '' : ' ';
  const eol = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return `${text.slice(0, start)}${gap}${quote}${status}${quote}${eol}${text.slice(end)}`;
}

/** Behind the task's first key, in its column; in `{…}` in front of it. */
function insertStatus(text: string, task: YamlMap, status: TaskStatus): string {
  const start = task.range?.[0] ?? 0;
  if (task.flow === true) return `${text.slice(0, start + 1)}status: ${status}, ${text.slice(start + 1)}`;
  const first = task.items[0]?.value;
  const lineEnd = text.indexOf('\n', yaml().isNode(first) ? (first.range?.[1] ?? start) : start);
  const at = lineEnd === -1 ? text.length : lineEnd + 1;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const pad = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  return `${text.slice(0, at)}${lineEnd === -1 ? eol : ''}${pad}status: ${status}${eol}${text.slice(at)}`;
}

function readsAs(text: string, wanted: Record<string, unknown>): boolean {
  const document = yaml().parseDocument(text, READ);
  try {
    return document.errors.length === 0 && sameValue(document.toJS(), wanted);
  } catch {
    return false; // An alias whose anchor is gone.
  }
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
