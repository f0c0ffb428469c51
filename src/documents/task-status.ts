/**
 * Changes a task's status in place, and the text without any status.
 *
 * E1. Nothing but the status of the one task, and the note why it is blocked, changes, byte for byte.
 * E2. The text without status is the same before and after `setTaskStatus`.
 * E3. Only a status is left out of it: words that are no status stay, so they cannot hide from an approval.
 */

import { findWord } from '../schema/values.ts';
import { DocumentError } from './document-error.ts';
import { fieldEnd, splitFrontMatter } from './front-matter.ts';
import { scanTasks, taskStatuses, type ScannedTask, type TaskStatus } from './task-scan.ts';

/** A line that is left out is null. */
type Lines = (string | null)[];

interface StatusOptions {
  readonly file?: string;
  /** Why it is blocked: a comment behind the status, until that is set again. Only keys in a column have room for it. */
  readonly note?: string | undefined;
}

export function setTaskStatus(
  text: string,
  id: string,
  status: TaskStatus,
  { file = 'tasks.md', note }: StatusOptions = {},
): string {
  const { lines, tasks } = scanTasks(text);
  const ids = tasks.map((each) => blockField(each, lines, 'id')?.value || each.id || `line-${each.line + 1}`);
  const task = tasks[ids.indexOf(id)];
  if (!task) {
    const expected = ids.length === 0 ? 'a task' : `one of ${ids.join(', ')}`;
    throw new DocumentError({ file, line: null }, `there is no task ${id}`, expected);
  }
  const edited = [...lines];
  if (task.block) setInBlock(edited, task, status);
  if (task.block && !layoutOf(task, edited).isFlow) setNote(edited, task, status === 'blocked' ? note : undefined);
  if (!task.block) setInDetails(edited, task, status);
  return edited.join('\n');
}

/** The text an approval is bound to: without statuses and without the counts that follow from them. */
export function tasksWithoutStatus(text: string): string {
  const unix = text.replaceAll('\r\n', '\n');
  const { lines, tasks } = scanTasks(unix);
  const stable: Lines = [...lines];
  dropCounts(stable, splitFrontMatter(unix).bodyLine - 1);
  for (const task of tasks) {
    if (task.block) dropFromBlock(stable, task);
    else dropFromDetails(stable, task);
  }
  return stable.filter((line) => line !== null).join('\n');
}

interface Field {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly value: string;
}

/** Where a top-level key of the yaml block has its value. */
function blockField(task: ScannedTask, lines: readonly (string | null)[], key: keyof typeof BLOCK): Field | undefined {
  const { start, end, margin, isFlow } = layoutOf(task, lines);
  for (let at = start; at < end; at++) {
    const line = lines[at] ?? '';
    const match = (isFlow ? FLOW : BLOCK)[key].exec(line);
    if (!match || (!isFlow && line.search(/\S/) !== margin)) continue;
    const [whole, before = '', raw = ''] = match;
    const from = match.index + before.length;
    return { line: at, from, to: match.index + whole.length, value: raw.replaceAll(/^["']|["']$/g, '') };
  }
  return undefined;
}

const VALUE = String.raw`("[^"]*"|'[^']*'|[^\s,}#"'](?:[^\S\r]*[^\s,}#])*)?`;
const blockPattern = (key: string): RegExp =>
  new RegExp(String.raw`^(\s*["']?${key}["']?\s*:[ \t]*)${VALUE}(?=[ \t]+#|\s*$)`);
const flowPattern = (key: string): RegExp =>
  new RegExp(String.raw`((?:^|[{,])\s*["']?${key}["']?\s*:\s*)${VALUE}(?=\s*(?:[,}#]|$))`);
const BLOCK = { id: blockPattern('id'), status: blockPattern('status'), action: blockPattern('action') };
const FLOW = { id: flowPattern('id'), status: flowPattern('status'), action: flowPattern('action') };

/** The lines inside of a yaml block, and how it is written: one flow map, whose lines cannot be added or removed, or keys in a column. */
function layoutOf({ block, line }: ScannedTask, lines: readonly (string | null)[]) {
  const start = (block?.start ?? line) + 1;
  const end = block?.end ?? start;
  const first = lines.slice(start, end).find((each) => each?.trim() && !each.trim().startsWith('#')) ?? '';
  return { start, end, margin: Math.max(first.search(/\S/), 0), isFlow: first.trim().startsWith('{') };
}

function setInBlock(lines: string[], task: ScannedTask, status: TaskStatus): void {
  const field = blockField(task, lines, 'status');
  if (field) {
    const line = lines[field.line] ?? '';
    const quote = /^["']/.exec(line.slice(field.from))?.[0] ?? '';
    const gap = line.slice(0, field.from).endsWith(':') ? ' ' : '';
    lines[field.line] = `${line.slice(0, field.from)}${gap}${quote}${status}${quote}${line.slice(field.to)}`;
    return;
  }
  const { start, margin, isFlow } = layoutOf(task, lines);
  if (isFlow) {
    const open = lines.findIndex((line, at) => at >= start && line.includes('{'));
    lines[open] = (lines[open] ?? '').replace('{', `{status: ${status}, `);
    return;
  }
  const after = blockField(task, lines, 'action') ?? blockField(task, lines, 'id');
  const ending = lines[start - 1]?.endsWith('\r') ? '\r' : '';
  lines.splice(after ? after.line + 1 : start, 0, `${' '.repeat(margin)}status: ${status}${ending}`);
}

const noteCharsMax = 300;
const NOTE = /[ \t]+# blocked: .*?(?=\r?$)/;

function setNote(lines: string[], task: ScannedTask, note = ''): void {
  const field = blockField(task, lines, 'status');
  if (!field) return;
  const line = (lines[field.line] ?? '').replace(NOTE, '');
  const words = note
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, noteCharsMax);
  lines[field.line] = words === '' ? line : line.replace(/\r?$/, (ending) => `  # blocked: ${words}${ending}`);
}

/** A checkbox says pending and completed by its mark; only the other two need a line. */
function setInDetails(lines: string[], task: ScannedTask, status: TaskStatus): void {
  const said = task.details.find(({ key }) => key === 'status');
  const model = task.details[0];
  const lead = /^\s*(?:[-*+]\s+)?/.exec(model ? (lines[model.line] ?? '') : '')?.[0] ?? '';
  const ending = lines[task.line]?.endsWith('\r') ? '\r' : '';
  if (said) lines.splice(said.line, 1);
  if (task.mark !== null) {
    lines[task.line] = (lines[task.line] ?? '').replace(/\[.\]/, status === 'completed' ? '[x]' : '[ ]');
    if (status === 'pending' || status === 'completed') return;
  } else if (status === 'pending') return;
  const indent = lead !== '' || task.mark === null ? lead : '  ';
  lines.splice(said?.line ?? task.line + 1, 0, `${indent}Status: ${status}${ending}`);
}

function dropFromBlock(lines: Lines, task: ScannedTask): void {
  const field = blockField(task, lines, 'status');
  if (!field || (field.value !== '' && findWord(field.value, taskStatuses) === undefined)) return;
  const line = lines[field.line] ?? '';
  const before = line.slice(0, field.from).replace(/["']?status["']?\s*:\s*$/, '');
  lines[field.line] = layoutOf(task, lines).isFlow ? before + line.slice(field.to).replace(/^\s*,\s*/, '') : null;
}

function dropFromDetails(lines: Lines, task: ScannedTask): void {
  if (task.mark !== null) lines[task.line] = (lines[task.line] ?? '').replace(/\[.\]/, '[ ]');
  for (const { key, value, line } of task.details) {
    if (key === 'status' && findWord(value, taskStatuses) !== undefined) lines[line] = null;
  }
}

/** Counts in `summary` and `layers` change with the statuses, `updated_at` with every rewrite. */
function dropCounts(lines: Lines, bodyStart: number): void {
  const front = lines.slice(0, bodyStart).map((line) => line ?? '');
  for (const [at, line] of front.entries()) {
    if (/^updated_at:\s*["']?\d{4}-\d\d-\d\d[\dTZ:.+ -]*["']?\s*$/.test(line)) lines[at] = null;
    if (!/^(?:summary|layers):/.test(line)) continue;
    const end = fieldEnd(front, at);
    for (let inside = at; inside < end; inside++) {
      lines[inside] = front[inside]?.replaceAll(/(:\s*)\d+(?=\s*(?:[,}#]|$))/g, '$10') ?? null;
    }
  }
}
