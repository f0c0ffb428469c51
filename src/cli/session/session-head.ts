/**
 * What lists show of a session's files, as far as possible without the tolerant readers.
 *
 * Q1. Of a file as Pawl writes it, the quick way and the tolerant readers tell the same.
 * Q2. Whatever is unusual is left to them; what they refuse is said, never guessed.
 */

import { join } from 'node:path';
import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../schema/values.ts';
import { statusPath, tasksPath } from '../../workflows/session/files/paths.ts';
import { decisionStatuses, modes, phases, type Phase } from '../../workflows/session/files/status-shape.ts';
import { taskStatuses } from '../../workflows/session/files/tasks-shape.ts';
import { codeOf } from '../../workspace/entry.ts';
import { FileProblem, readText } from '../../workspace/files.ts';
import { quickText } from '../quick-reading.ts';

export interface SessionHead {
  /** Null when it cannot be read. */
  readonly phase: Phase | null;
  readonly mode: (typeof modes)[number] | null;
  readonly pending: number;
  readonly updatedAt: string | null;
  /** `file:line: what is wrong; expected …` */
  readonly problem: string | null;
}

export interface TaskTally {
  readonly done: number;
  readonly total: number;
}

/** What `status.json` says; undefined when there is none. */
export async function readHead(root: string, session: string): Promise<SessionHead | undefined> {
  const path = statusPath(session);
  try {
    const read = quickly(`${root}/${path}`);
    if (read === undefined) return undefined;
    const quick = read === null ? undefined : scanStatus(read);
    return quick ?? (await fullHead(root, path));
  } catch (error) {
    return { ...unknownHead, problem: problemIn(error) };
  }
}

export const unknownHead: SessionHead = { phase: null, mode: null, pending: 0, updatedAt: null, problem: null };

/** How many tasks are completed; null without a list, or with one that cannot be read. */
export async function readTally(root: string, session: string): Promise<TaskTally | null> {
  const path = tasksPath(session);
  try {
    const read = quickly(`${root}/${path}`);
    if (read === undefined) return null;
    const quick = read === null ? undefined : scanTasks(read);
    return quick ?? (await fullTally(root, path));
  } catch (error) {
    problemIn(error);
    return null;
  }
}

/** Null for a file that takes the longer way. */
function quickly(file: string): string | null | undefined {
  try {
    const read = quickText(file);
    return read && (read.whole ? read.text : null);
  } catch (error) {
    if (codeOf(error) === 'unknown') throw error;
    return null;
  }
}

/** Q1. Keys and words that count are plain ASCII, so it does not matter that a character is a byte here. */
export function scanStatus(text: string): SessionHead | undefined {
  const value = parsed(text);
  if (!isRecord(value)) return undefined;
  const phase = phases.find((each) => each === value['current_state']);
  const mode = modes.find((each) => each === value['mode']);
  const { user_decisions: decisions, last_update: updatedAt } = value;
  if (!phase || !mode || !Array.isArray(decisions) || typeof updatedAt !== 'string' || !ISO.test(updatedAt)) return;
  let pending = 0;
  for (const decision of decisions) {
    const status = isRecord(decision) ? decisionStatuses.find((each) => each === decision['status']) : undefined;
    if (!status) return undefined;
    if (status === 'pending') pending += 1;
  }
  return { phase, mode, pending, updatedAt, problem: null };
}

const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Q1: the form in which Pawl writes the list; texts of several lines could hold anything. */
export function scanTasks(text: string): TaskTally | undefined {
  if (UNUSUAL.test(text)) return undefined;
  const total = text.match(/^ {2}- id: T-\d{3,9}$/gm)?.length ?? 0;
  const statuses = text.match(/^ {4}status: .*$/gm) ?? [];
  if (total === 0 || statuses.length !== total) return undefined;
  const words = statuses.map((line) => line.slice('    status: '.length));
  if (!words.every((word) => taskStatuses.some((status) => status === word))) return undefined;
  return { done: words.filter((word) => word === 'completed').length, total };
}

/** Block texts, tasks in another form, and quotes that do not end on their line. */
const UNUSUAL = /[|>][+-]?[ \t]*$|^ {0,1}-|^ {3}-|^[^"\n]*(?:"[^"\n]*"[^"\n]*)*"[^"\n]*$/m;

async function fullHead(root: string, path: string): Promise<SessionHead | undefined> {
  const text = readText(join(root, path));
  if (text === undefined) return undefined;
  const { readStatus, pendingDecisions } = await import('../../workflows/session/files/status.ts');
  const { status } = readStatus(text, path);
  const known = Date.parse(status.last_update) > 0;
  return {
    phase: status.current_state,
    mode: status.mode,
    pending: pendingDecisions(status).length,
    updatedAt: known ? status.last_update : null,
    problem: null,
  };
}

async function fullTally(root: string, path: string): Promise<TaskTally | null> {
  const text = readText(join(root, path));
  if (text === undefined) return null;
  const { readTasks } = await import('../../workflows/session/files/tasks-file.ts');
  const { tasks } = readTasks(text, path);
  return { done: tasks.filter(({ status }) => status === 'completed').length, total: tasks.length };
}

/** Q2. */
function problemIn(error: unknown): string {
  if (error instanceof DocumentError || error instanceof FileProblem) return error.message;
  throw error;
}
