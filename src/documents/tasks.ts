/**
 * tasks.md: what is to be done for a change.
 *
 * K1. Ids are strings: `1.10` is not `1.1`, quoted or not.
 * K2. Nothing is dropped silently: whatever cannot be taken at its word is a finding.
 * K3. Without usable front matter the folder gives the change's id and the headings give the layers.
 */

import { specName } from './spec-names.ts';
import { table } from '../schema/compound.ts';
import { nearest } from '../schema/nearest.ts';
import { check, nameOf, schema, snakeCase, type Infer } from '../schema/schema.ts';
import { findWord, isRecord } from '../schema/values.ts';
import { attempt, DocumentError } from './document-error.ts';
import type { Finding } from './finding.ts';
import type { Fence } from './markdown.ts';
import { documentError, inFile } from './read-document.ts';
import {
  misplaced,
  scanTasks,
  taskActions,
  taskLayers,
  taskStatuses,
  type Detail,
  type Layer,
  type ScannedTask,
  type ScannedTasks,
  type TaskAction,
  type TaskStatus,
} from './task-scan.ts';
import { parseYaml } from './yaml.ts';

export { renderTasks, type NewTask } from './render-documents.ts';
export { taskActions, taskLayers, taskStatuses, type Layer, type TaskAction, type TaskStatus } from './task-scan.ts';
export { setTaskStatus, tasksWithoutStatus } from './task-status.ts';

export interface Task {
  readonly id: string;
  readonly title: string;
  readonly layer: Layer | null;
  readonly action: TaskAction;
  readonly status: TaskStatus;
  readonly file: string | null;
  readonly specRef: string | null;
  readonly dependsOn: readonly string[];
  readonly text: string;
  readonly line: number;
}

export interface TaskList {
  readonly changeId: string;
  /** In document order, those under an unknown heading last. */
  readonly tasks: readonly Task[];
  readonly layers: readonly Layer[];
  /** High where the tasks cannot be worked on before it is mended, else Low. */
  readonly findings: readonly Finding[];
  /** `broken` also stands for front matter without a change_id. */
  readonly front: 'ok' | 'missing' | 'broken';
}

/** Throws a DocumentError only for a broken yaml block of a task. */
export function readTasks(text: string, context: { readonly file: string; readonly changeId: string }): TaskList {
  const scan = scanTasks(text, context.file);
  const { changeId, front } = readFront(scan, context.changeId);
  const tasks = scan.tasks.map((found) => readTask(found, scan));
  reportDuplicates(tasks, scan);
  const sorted = tasks.toSorted((a, b) => Number(a.layer === null) - Number(b.layer === null));
  return { changeId, tasks: sorted, layers: scan.layers, findings: scan.report.findings, front };
}

/** One reference of a task: `auth:R1`, `auth`, `specs/auth.md#R1`; several are separated by commas. */
export interface SpecRef {
  readonly spec: string;
  readonly requirement: string | null;
}

export function specRefParts(ref: string | null): SpecRef[] {
  const parts: SpecRef[] = [];
  for (const piece of ref?.split(/[,;]\s*/) ?? []) {
    const [, named = '', requirement] = /^`?([^:#`]*)(?:[:#]\s*([^`]+))?`?$/.exec(piece.trim()) ?? [];
    const spec = specName(named);
    const before = parts.at(-1);
    if (requirement === undefined && before && REQUIREMENT.test(spec))
      parts.push({ spec: before.spec, requirement: spec });
    else if (spec !== '') parts.push({ spec, requirement: requirement?.trim() ?? null });
  }
  return parts;
}

const REQUIREMENT = /^(?:[A-Za-z][A-Za-z0-9]*-)*R\d+$/;

function readFront(scan: ScannedTasks, folder: string): Pick<TaskList, 'changeId' | 'front'> {
  const { front, frontLine, file, report } = scan;
  const byFolder = (state: TaskList['front'], line: number, problem: string) => {
    misplaced(scan, line - 1, `${problem}; change_id is taken from the folder: ${folder}`);
    return { changeId: folder, front: state };
  };
  if (front === null) return byFolder('missing', 1, 'no front matter');
  const value = attempt(() => parseYaml(front, { file, line: frontLine }, { numbersAsText: true }));
  if (value instanceof DocumentError)
    return byFolder('broken', value.line ?? frontLine, 'the front matter is not valid YAML');
  const changeId = isRecord(value) ? value['change_id'] : undefined;
  if (typeof changeId !== 'string' || changeId === '')
    return byFolder('broken', frontLine, 'the front matter has no change_id');
  if (changeId !== folder) {
    const message = `change_id is "${changeId}" but the folder is "${folder}"`;
    const fix = `set change_id to ${folder}, or move the file to the change it belongs to`;
    report.high('change-id-mismatch', frontLine, message, fix);
  }
  return { changeId, front: 'ok' };
}

function readTask(found: ScannedTask, scan: ScannedTasks): Task {
  const fields = found.block ? readBlock(found.block, found.id, scan) : readDetails(found, scan);
  const line = found.line + 1;
  const id = fields.id ?? found.id ?? `line-${line}`;
  const layer = found.layer ?? findWord(fields.layer, taskLayers) ?? null;
  if (fields.id === null && found.id === null) {
    scan.report.high('task-without-id', line, `the task "${found.title}" has no id`, 'give it an id such as "1.1"');
  } else if (fields.id !== null && found.id !== null && fields.id !== found.id) {
    const message = `the heading says task ${found.id}, its yaml block says ${fields.id}`;
    scan.report.high('task-id-mismatch', line, message, 'use the same id in both');
  }
  if (layer === null) {
    const where = found.section === null ? 'under no layer heading' : `under "${found.section}", which is not a layer`;
    misplaced(scan, found.line, `task ${id} stands ${where}; it goes last`);
  }
  const file = fields.file ?? fields.files;
  const text = textOf(found, scan.lines);
  // What is only to be run leaves no file behind that could be looked for.
  const runs = RUNNING.test(fields.action ?? '');
  return {
    id,
    title: found.title === '' ? (fields.title ?? '') : found.title,
    layer,
    action: readAction(fields.action, id, found.line, scan),
    status: readStatus(found, fields.status, id, scan),
    file: runs ? null : file,
    specRef: fields.specRef,
    dependsOn: fields.dependsOn,
    text: runs && file !== null ? `${fields.action}: ${file}\n${text}`.trim() : text,
    line,
  };
}

const words = schema((value) => wordsOf(value));

const taskBlock = table(
  {
    id: words,
    title: words,
    layer: words,
    action: words,
    status: words,
    file: words,
    files: words,
    specRef: words,
    dependsOn: schema((value) => idsOf(value)),
  },
  { expected: 'a map of keys and values' },
);

type Fields = Infer<typeof taskBlock>;

/** From its yaml block. */
function readBlock(block: Fence, id: string | null, scan: ScannedTasks): Fields {
  const start = block.start + 1;
  const where = { file: scan.file, line: start + 1 };
  const yaml = parseYaml(joined(scan.lines.slice(start, block.end)), where, { numbersAsText: true });
  const read = check(taskBlock, yaml, { unknownKeys: 'warning', spell: snakeCase });
  const locate = inFile(where.file, () => where.line);
  if ('mistakes' in read) throw documentError(read.mistakes, locate);
  for (const { path, known = [] } of read.warnings) {
    const meant = nearest(nameOf(path), known);
    const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
    misplaced(scan, start, `task ${id ?? ''} has the unknown key "${nameOf(path)}"${hint}`);
  }
  return read.value;
}

/** A task in checkbox form, or one whose heading has no yaml block. */
function readDetails({ details, id, level, line }: ScannedTask, scan: ScannedTasks): Fields {
  if (level > 0) misplaced(scan, line, `task ${id ?? ''} has no yaml block`);
  const value = (key: Detail['key']): string | null => details.find((detail) => detail.key === key)?.value || null;
  const named = FILE_ACTION.exec(value('file') ?? '');
  const [file, action] = [named?.input.slice(0, named.index), named?.[1]];
  return {
    id: null,
    title: null,
    layer: null,
    action: value('action') ?? action ?? null,
    status: value('status'),
    file: (file ?? value('file'))?.replaceAll('`', '').trim() || null,
    files: null,
    specRef: value('spec')?.replaceAll('`', '') ?? null,
    dependsOn: idsOf(value('depends')),
  };
}

/** "`src/a.ts` (CREATE)" */
const FILE_ACTION = /[([]([A-Za-z]+)[)\]]$/;

/** A scalar as text; a list as its items separated by commas. */
function wordsOf(value: unknown): string | null {
  if (Array.isArray(value)) return value.map(wordsOf).filter(Boolean).join(', ') || null;
  if (typeof value === 'string') return value.trim() || null;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function idsOf(value: unknown): string[] {
  if (Array.isArray(value) && value.length === 0) return [];
  const words = wordsOf(value)?.replace(/^\[(.*)\]$/, '$1') ?? '';
  if (words === '' || NONE.test(words)) return [];
  return words
    .split(/[,;\s]+(?:and\s+)?/)
    .map((word) => word.replaceAll(/["'`]/g, ''))
    .filter((word) => word !== '' && !/^task$/i.test(word));
}

const NONE = /^(?:none|null|n\/a|-+|—|~)\.?$/i;

function joined(lines: readonly string[]): string {
  const text = lines.join('\n');
  return text.includes('\r') ? text.replaceAll('\r', '') : text;
}

const RUNNING = /^(?:run|test|verify|check|execute)$/i;
const otherActions: Readonly<Record<TaskAction, string>> = {
  CREATE: 'created add added new',
  MODIFY: 'modified update updated edit edited change changed extend refactor run test verify check execute',
  DELETE: 'deleted remove removed',
  RENAME: 'renamed move moved',
};

function readAction(value: string | null, id: string, at: number, scan: ScannedTasks): TaskAction {
  const action = findWord(value, taskActions);
  if (action) return action;
  const fix = `use one of ${taskActions.join(', ')}`;
  const said = value?.toLowerCase() ?? '';
  const meant = taskActions.find((each) => otherActions[each].split(' ').includes(said));
  if (meant) misplaced(scan, at, `task ${id} has the action ${value}; read as ${meant}`);
  if (meant) return meant;
  if (value === null) misplaced(scan, at, `task ${id} names no action; read as MODIFY`);
  else scan.report.high('unknown-action', at + 1, `task ${id} has the unknown action "${value}"`, fix);
  return 'MODIFY';
}

/** A ticked box means completed whatever else is said: a person ticks boxes by hand. */
function readStatus({ mark, line }: ScannedTask, value: string | null, id: string, scan: ScannedTasks): TaskStatus {
  if (mark === 'x' || mark === 'X') return 'completed';
  const status = findWord(value, taskStatuses);
  if (status) return status;
  const unknown = value ?? (mark === null || mark === ' ' ? null : `[${mark}]`);
  const fix = `use one of ${taskStatuses.join(', ')}`;
  if (unknown !== null)
    scan.report.high('unknown-status', line + 1, `task ${id} has the unknown status "${unknown}"`, fix);
  return 'pending';
}

function textOf({ line, end, block, details }: ScannedTask, lines: readonly string[]): string {
  if (block) return joined([...lines.slice(line + 1, block.start), ...lines.slice(block.end + 1, end)]).trim();
  const byLine = new Map(details.map((detail) => [detail.line, detail]));
  const kept = lines.slice(line + 1, end).flatMap((text, index) => {
    const detail = byLine.get(line + 1 + index);
    return detail?.key === 'do' ? detail.value : detail ? [] : text;
  });
  return joined(kept).trim();
}

function reportDuplicates(tasks: readonly Task[], { report }: ScannedTasks): void {
  const fix = 'give every task an id of its own';
  for (const { id, line } of tasks) {
    const first = tasks.find((task) => task.id === id)?.line;
    if (first !== line) report.high('duplicate-task', line, `task ${id} is already defined in line ${first}`, fix);
  }
}
