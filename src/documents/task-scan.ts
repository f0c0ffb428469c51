/**
 * Finds the tasks of a tasks.md by its lines alone, so that reading and editing agree on what a task is.
 *
 * S1. Nothing is dropped silently: what looks like a task and is none is a finding.
 * S2. A task's lines are `line` to `end`; no line belongs to two tasks.
 */

import { readFences, type Fence, headingsIn } from './markdown.ts';
import { Reporter } from './finding.ts';
import { splitFrontMatter, type FrontMatter } from './front-matter.ts';

export const taskLayers = ['data', 'logic', 'integration', 'testing'] as const;
export const taskStatuses = ['pending', 'in_progress', 'completed', 'blocked'] as const;
export const taskActions = ['CREATE', 'MODIFY', 'DELETE', 'RENAME'] as const;
export type Layer = (typeof taskLayers)[number];
export type TaskStatus = (typeof taskStatuses)[number];
export type TaskAction = (typeof taskActions)[number];
const detailKeys = ['file', 'spec', 'do', 'depends', 'status', 'action'] as const;

/** A `File: …` line of a task without yaml block. */
export interface Detail {
  readonly key: (typeof detailKeys)[number];
  readonly value: string;
  readonly line: number;
}

/** All lines are indices into `ScannedTasks.lines`. */
export interface ScannedTask {
  /** What the heading or checkbox says; a yaml block may say otherwise. */
  readonly id: string | null;
  readonly title: string;
  readonly layer: Layer | null;
  /** The `##` heading above; null when there is none. */
  readonly section: string | null;
  readonly line: number;
  end: number;
  /** The heading's level; 0 for a checkbox. */
  readonly level: number;
  /** What stands in the checkbox; null for a heading. */
  readonly mark: string | null;
  block: Fence | null;
  readonly details: Detail[];
}

export interface ScannedTasks extends Pick<FrontMatter, 'front' | 'frontLine'> {
  readonly file: string;
  readonly lines: readonly string[];
  readonly tasks: readonly ScannedTask[];
  /** Known layers in the order of their headings. */
  readonly layers: readonly Layer[];
  readonly report: Reporter;
}

interface Scan extends ScannedTasks {
  readonly tasks: ScannedTask[];
  readonly layers: Layer[];
  task: ScannedTask | null;
  section: string | null;
  layer: Layer | null;
}

export function scanTasks(text: string, file = 'tasks.md'): ScannedTasks {
  const { front, frontLine, bodyLine } = splitFrontMatter(text);
  const scan: Scan = {
    file,
    front,
    frontLine,
    lines: text.split('\n'),
    tasks: [],
    layers: [],
    report: new Reporter(file),
    task: null,
    section: null,
    layer: null,
  };
  const fences = readFences(scan.lines, bodyLine - 1);
  const headings = headingsIn(scan.lines, fences, bodyLine - 1);
  let nextFence = 0;
  let nextHeading = 0;
  for (let at = bodyLine - 1; at < scan.lines.length; at++) {
    const fence = fences[nextFence];
    const heading = headings[nextHeading];
    if (fence?.start === at) {
      nextFence++;
      at = Math.min(fence.end, scan.lines.length - 1);
      scanFence(scan, fence);
    } else if (heading?.line === at + 1) {
      nextHeading++;
      scanHeading(scan, heading.level, heading.text, at);
    } else scanLine(scan, at);
    if (scan.task) scan.task.end = at + 1;
  }
  return scan;
}

function scanHeading(scan: Scan, level: number, text: string, at: number): void {
  if (level <= 2) {
    scan.task = null;
    scan.section = level === 2 ? text : null;
    scan.layer = level === 2 ? layerOf(text) : null;
    if (scan.layer !== null && !scan.layers.includes(scan.layer)) scan.layers.push(scan.layer);
    return;
  }
  if (scan.task && scan.task.level > 0 && level > scan.task.level) return;
  const named = taskHeading(text);
  scan.task = null;
  if (named) openTask(scan, named, { line: at, level, mark: null });
  else if (scan.layer !== null)
    misplaced(scan, at, `the heading "${text}" is not read as a task (expected "### Task 1.1: title")`);
}

/** Low: the rest of the list can be worked on. */
export function misplaced({ report }: Pick<ScannedTasks, 'report'>, at: number, message: string): void {
  const fix = 'write the task as "### Task 1.1: title" with a yaml block, under a layer heading';
  report.low('task-structure', at + 1, message, fix);
}

/** The one layer a heading names; `## Test data` names two, so none. */
export function layerOf(heading: string): Layer | null {
  let found: Layer | null = null;
  for (const word of heading.toLowerCase().split(/[^a-z]+/)) {
    const layer = word === 'test' || word === 'tests' ? 'testing' : taskLayers.find((name) => name === word);
    if (layer === undefined || layer === found) continue;
    if (found !== null) return null;
    found = layer;
  }
  return found;
}

const TASK_NUMBER =
  /^(?:task[\s:#]+(?<id>\d+(?:\.\d+)*[a-z]?)|(?<number>\d+(?:\.\d+)+))(?:\s*[:.)–—-]\s*|\s+|$)(?<title>.*)$/i;
const TASK_NAME = /^task[\s:#]+(?<id>[\w.-]+)\s*:\s*(?<title>.*)$/i;
const TASK_TITLE = /^task\b[\s:#]*(?<title>.*)$/i;

function taskHeading(text: string): Pick<ScannedTask, 'id' | 'title'> | undefined {
  const { groups } = TASK_NUMBER.exec(text) ?? TASK_NAME.exec(text) ?? TASK_TITLE.exec(text) ?? {};
  return groups && { id: groups['id'] ?? groups['number'] ?? null, title: groups['title']?.trim() ?? '' };
}

/** Spelled out field by field: this and reading headings are where the time goes, and spreading is slow. */
function openTask(
  scan: Scan,
  { id, title }: Pick<ScannedTask, 'id' | 'title'>,
  { line, level, mark }: Pick<ScannedTask, 'line' | 'level' | 'mark'>,
): void {
  const { layer, section } = scan;
  const task = { id, title, layer, section, line, end: line + 1, level, mark, block: null, details: [] };
  scan.task = task;
  scan.tasks.push(task);
}

/** The yaml block of a task comes first in it, or at least has one of its keys. */
function scanFence(scan: Scan, fence: Fence): void {
  const { task, lines } = scan;
  const yaml = fence.language === 'yaml' || fence.language === 'yml';
  if (!yaml && fence.language !== '') return;
  if (task && task.level > 0) {
    const isFirst = yaml && lines.slice(task.line + 1, fence.start).every((line) => line.trim() === '');
    if (isFirst || hasTaskKey(lines, fence)) task.block ??= fence;
  } else if (yaml && hasTaskKey(lines, fence)) {
    const expected = '(expected a "### Task 1.1: title" heading above it)';
    misplaced(scan, fence.start, `a yaml block outside a task is left out ${expected}`);
  }
}

function hasTaskKey(lines: readonly string[], { start, end }: Fence): boolean {
  return lines.slice(start + 1, end).some((line) => TASK_KEY.test(line));
}

const TASK_KEY = /^\s*\{?\s*["']?(?:id|action|status|spec_ref|depends_on)["']?\s*:/;

function scanLine(scan: Scan, at: number): void {
  const line = scan.lines[at] ?? '';
  const { task } = scan;
  const checkbox = line.startsWith('[', 2) ? CHECKBOX.exec(line) : null;
  if (task && task.level > 0) {
    if (task.block === null) scanDetail(task, line, at);
    if (checkbox && checkboxId(checkbox[2]?.trimEnd() ?? ''))
      misplaced(scan, at, 'the checkbox belongs to the text of the task above, it is no task of its own');
  } else if (checkbox) {
    scanCheckbox(scan, checkbox[1] ?? ' ', checkbox[2]?.trimEnd() ?? '', at);
  } else if (task && line !== '' && !/^\s/.test(line)) {
    scan.task = null;
  } else if (task) scanDetail(task, line, at);
}

/** These end with `(.*)$` and are trimmed after: to look for the last space in the pattern takes quadratic time. */
const CHECKBOX = /^[-*+] \[([^\r])\][ \t]+(.*)$/s;
const CHECKBOX_ID = /^\**(?:task\s+)?(\d+(?:\.\d+)+[a-z]?|\d+(?=\**[:.)]))\**(?:\s*[:.)–—-]\s*|\s+|$)(.*)$/i;

function checkboxId(text: string): { id: string; title: string } | undefined {
  const [, id, title = ''] = CHECKBOX_ID.exec(text) ?? [];
  return id === undefined ? undefined : { id, title: title.replaceAll('**', '').trim() };
}

/** A checkbox without an id is a task only where tasks are expected; elsewhere it is somebody's check list. */
function scanCheckbox(scan: Scan, mark: string, text: string, at: number): void {
  const named = checkboxId(text) ?? (scan.layer === null ? undefined : { id: null, title: text });
  scan.task = null;
  if (named) openTask(scan, named, { line: at, level: 0, mark });
  else misplaced(scan, at, `the checkbox "${text}" is not read as a task: it has no id such as 1.1`);
}

const DETAIL = /^\s*(?:[-*+]\s+)?\**(file|spec|do|depends|status|action)(?:[ _](?:on|ref))?\**\s*:\s*\**\s*(.*)$/is;

function scanDetail(task: ScannedTask, line: string, at: number): void {
  if (!line.includes(':')) return;
  const [, key, value = ''] = DETAIL.exec(line) ?? [];
  const known = detailKeys.find((name) => name === key?.toLowerCase());
  if (known) task.details.push({ key: known, value: value.trimEnd(), line: at });
}
