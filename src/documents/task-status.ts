/**
 * Changes a task's status in place, and the text without any status.
 *
 * E1. Nothing but the status of the one task changes, byte for byte.
 * E2. The text without status is the same before and after `setTaskStatus`.
 * E3. Only a status is left out of it: words that are no status stay, so they cannot hide from an approval.
 */

import { DocumentError } from './document-error.ts';
import { findWord } from '../schema/values.ts';
import { fieldEnd } from './front-matter.ts';
import { splitFrontMatter } from './front-matter.ts';
import { scanTasks, taskStatuses, type ScannedTask, type TaskStatus } from './task-scan.ts';

export function setTaskStatus(text: string, id: string, status: TaskStatus, file = 'tasks.md'): string {
  const { lines, tasks } = scanTasks(text);
  const edited = [...lines];
  const task = tasks.find((found) => idOf(found, lines) === id);
  if (!task) {
    const known = tasks.map((found) => idOf(found, lines)).join(', ');
    throw new DocumentError(
      { file, line: null },
      `there is no task ${id}`,
      known === '' ? 'a task' : `one of ${known}`,
    );
  }
  if (task.block) setInBlock(edited, task, status);
  else setInDetails(edited, task, status);
  return edited.join('\n');
}

/** The text an approval is bound to: without statuses and without the counts that follow from them. */
export function tasksWithoutStatus(text: string): string {
  const unix = text.replaceAll('\r\n', '\n');
  const { lines, tasks } = scanTasks(unix);
  const kept: (string | null)[] = [...lines];
  dropCounts(kept, splitFrontMatter(unix).bodyLine - 1);
  for (const task of tasks) {
    if (task.block) dropFromBlock(kept, task);
    else dropFromDetails(kept, task);
  }
  return kept.filter((line) => line !== null).join('\n');
}

function idOf(task: ScannedTask, lines: readonly string[]): string {
  const field = blockField(task, lines, 'id');
  return field?.value || task.id || `line-${task.line + 1}`;
}

interface Field {
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly value: string;
  /** The whole `{…}` is one flow map, so lines cannot be added or removed. */
  readonly flow: boolean;
}

/** Where a top-level key of the yaml block has its value. */
function blockField(
  { block }: ScannedTask,
  lines: readonly (string | null)[],
  key: 'id' | 'status' | 'action',
): Field | undefined {
  if (!block) return undefined;
  const flow = isFlow(lines, block.start + 1, block.end);
  const pattern = flow ? FLOW[key] : BLOCK[key];
  const margin = flow ? -1 : indentOf(lines, block.start + 1, block.end);
  for (let at = block.start + 1; at < block.end; at++) {
    const line = lines[at] ?? '';
    const match = pattern.exec(line);
    if (!match || (!flow && line.search(/\S/) !== margin)) continue;
    const [whole, before = '', raw = ''] = match;
    const from = match.index + before.length;
    return { line: at, from, to: from + whole.length - before.length, value: raw.replaceAll(/^["']|["']$/g, ''), flow };
  }
  return undefined;
}

const VALUE = String.raw`("[^"]*"|'[^']*'|[^\s,}#"'][^,}#\r]*?)?`;
const blockPattern = (key: string): RegExp =>
  new RegExp(String.raw`^(\s*["']?${key}["']?\s*:[ \t]*)${VALUE}(?=[ \t]+#|\s*$)`);
const flowPattern = (key: string): RegExp =>
  new RegExp(String.raw`((?:^|[{,])\s*["']?${key}["']?\s*:\s*)${VALUE}(?=\s*(?:[,}#]|$))`);
const BLOCK = { id: blockPattern('id'), status: blockPattern('status'), action: blockPattern('action') };
const FLOW = { id: flowPattern('id'), status: flowPattern('status'), action: flowPattern('action') };

function isFlow(lines: readonly (string | null)[], from: number, to: number): boolean {
  return (
    lines
      .slice(from, to)
      .find((line) => line?.trim())
      ?.trim()
      .startsWith('{') ?? false
  );
}

function indentOf(lines: readonly (string | null)[], from: number, to: number): number {
  return (
    lines
      .slice(from, to)
      .find((line) => line?.trim() && !line.trim().startsWith('#'))
      ?.search(/\S/) ?? 0
  );
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
  const start = (task.block?.start ?? task.line) + 1;
  const end = task.block?.end ?? start;
  if (isFlow(lines, start, end)) {
    const open = lines.findIndex((line, at) => at >= start && line.includes('{'));
    lines[open] = (lines[open] ?? '').replace('{', `{${flowStatus(status)}`);
    return;
  }
  const after = blockField(task, lines, 'action') ?? blockField(task, lines, 'id');
  const ending = lines[start - 1]?.endsWith('\r') ? '\r' : '';
  lines.splice(
    after ? after.line + 1 : start,
    0,
    `${' '.repeat(indentOf(lines, start, end))}status: ${status}${ending}`,
  );
}

const flowStatus = (status: string): string => `status: ${status}, `;

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

function dropFromBlock(lines: (string | null)[], task: ScannedTask): void {
  const field = blockField(task, lines, 'status');
  if (!field || (field.value !== '' && findWord(field.value, taskStatuses) === undefined)) return;
  const line = lines[field.line] ?? '';
  if (!field.flow) lines[field.line] = null;
  else
    lines[field.line] =
      line.slice(0, field.from).replace(/["']?status["']?\s*:\s*$/, '') + line.slice(field.to).replace(/^\s*,\s*/, '');
}

function dropFromDetails(lines: (string | null)[], task: ScannedTask): void {
  if (task.mark !== null) lines[task.line] = (lines[task.line] ?? '').replace(/\[.\]/, '[ ]');
  for (const { key, value, line } of task.details) {
    if (key === 'status' && findWord(value, taskStatuses) !== undefined) lines[line] = null;
  }
}

/** Counts in `summary` and `layers` change with the statuses, `updated_at` with every rewrite. */
function dropCounts(lines: (string | null)[], bodyStart: number): void {
  const front = lines.slice(0, bodyStart).map((line) => line ?? '');
  for (const [at, line] of front.entries()) {
    if (/^updated_at:\s*["']?\d{4}-\d\d-\d\d[\dTZ:.+ -]*["']?\s*$/.test(line)) lines[at] = null;
    if (!/^(?:summary|layers):/.test(line)) continue;
    for (let inside = at; inside < fieldEnd(front, at); inside++) {
      lines[inside] = front[inside]?.replaceAll(/(:\s*)\d+(?=\s*(?:[,}#]|$))/g, '$10') ?? null;
    }
  }
}
