/** A session that has no journal here, as its files tell it. What cannot be read is a DocumentError with its line. */

import { DocumentError } from '../../documents/document-error.ts';
import type { Decision } from '../../engine/decision.ts';
import { isRecord } from '../../schema/values.ts';
import type { Details, FileView, ForeignListing, ForeignReader } from '../workflow.ts';
import { readAcceptance } from './files/acceptance-file.ts';
import { readStrategy } from './answers.ts';
import { acceptancePath, sessionFolder, tasksPath } from './files/paths.ts';
import { readStatus } from './files/read-status.ts';
import type { Status } from './files/status-file.ts';
import { readTasks } from './files/tasks-file.ts';
import { strategyDecision } from './vocabulary.ts';
import { detailsOf, taskTally, type ShownBlocker, type ShownRepairs } from './shown-session.ts';

export const foreign: ForeignReader = {
  listed: (run, files, path) => {
    const status = read(files, path, readStatus)?.status;
    if (!status) throw new DocumentError({ file: path, line: null }, 'it is missing', 'the state the session is in');
    return { ...listingOf(run, status), details: listDetails(run, files, status) };
  },
  status: (run, files, path) => {
    const found = read(files, path, readStatus);
    const status = found?.status ?? null;
    const tasks = read(files, tasksPath(run), readTasks)?.tasks ?? null;
    const current = tasks?.find((task) => task.status === 'in-progress')?.id ?? null;
    const phase = status?.current_state ?? null;
    return {
      ...listingOf(run, status),
      message: messageOf(run, phase),
      details: detailsOf({
        phase,
        unknown: 'state unknown',
        goal: null,
        mode: status?.mode ?? null,
        blocked: phase === 'BLOCKED' ? blockerIn(status) : null,
        strategy: strategyIn(status),
        tasks,
        current,
        repairs: repairsIn(status, current),
        criteria: read(files, acceptancePath(run), readAcceptance) ?? [],
        knownIssues: status?.known_issues ?? [],
        ci: status?.last_ci_result ?? 'unknown',
        repaired: found?.repairs ?? [],
        waiting: pendingOf(status).map(({ id, question }) => ({ id, title: question, detail: '' })),
        problems: [],
      }),
    };
  },
};

function read<T>(files: FileView, path: string, parse: (text: string, file: string) => T): T | null {
  const text = files.read(path);
  return text === undefined ? null : parse(text, path);
}

function listingOf(run: string, status: Status | null): Omit<ForeignListing, 'details'> {
  const phase = status?.current_state ?? null;
  return {
    phase,
    outcome: phase === 'DONE' ? 'done' : null,
    updatedAt: status && Date.parse(status.last_update) > 0 ? status.last_update : null,
    next: phase === null || phase === 'DONE' ? null : `pawl session resume ${run} --accept-state`,
  };
}

function pendingOf(status: Status | null): readonly Decision[] {
  return status?.user_decisions.filter((decision) => decision.status === 'pending') ?? [];
}

/** A list of tasks that cannot be read is told by `status`. */
function listDetails(run: string, files: FileView, status: Status): Details {
  const { mode } = status;
  const pending = pendingOf(status).length;
  try {
    const list = read(files, tasksPath(run), readTasks);
    return { mode, pending, tasks: list && taskTally(list.tasks) };
  } catch (error) {
    if (error instanceof DocumentError) return { mode, pending, tasks: null };
    throw error;
  }
}

function messageOf(run: string, phase: string | null): string {
  if (phase === null) return `${sessionFolder(run)} has no status.json, so nobody can tell where it is`;
  if (phase === 'DONE') return 'it is finished; its journal is not in this repository';
  return 'it has no journal in this repository: going on with it means that you vouch for its files';
}

/** As Pawl writes it beside the keys of the format; other tools may do otherwise. */
function blockerIn(status: Status | null): ShownBlocker | null {
  const blocked: unknown = status?.extra?.['blocked'];
  if (!isRecord(blocked)) return null;
  const text = (key: string): string => (typeof blocked[key] === 'string' ? blocked[key] : '');
  return { blocker: text('blocker'), detail: text('detail'), wayOut: text('way_out'), from: text('from') || null };
}

function strategyIn(status: Status | null): string | null {
  const answer = status?.user_decisions.find(({ id }) => id === strategyDecision.id)?.answer ?? null;
  const strategy = answer === null ? null : readStrategy(answer);
  return typeof strategy === 'string' ? strategy : null;
}

function repairsIn(status: Status | null, current: string | null): ShownRepairs | null {
  if (!status) return null;
  const scope = current ?? 'meta';
  const { FIX_REVIEW = 0, FIX_TESTS = 0, FIX_SECURITY = 0, FIX_BUILD = 0 } = status.retry_counts[scope] ?? {};
  return { scope, counts: { FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD }, limits: null };
}
