/** A session that has no journal here, as its files tell it. What cannot be read is a DocumentError with its line. */

import { isRecord } from '../../schema/values.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { readAcceptance } from '../../workflows/session/files/acceptance-file.ts';
import { readStrategy } from '../../workflows/session/files/answers.ts';
import { acceptancePath, sessionFolder, statusPath, tasksPath } from '../../workflows/session/files/paths.ts';
import { pendingDecisions, readStatus, type Status } from '../../workflows/session/files/status.ts';
import { readTasks } from '../../workflows/session/files/tasks-file.ts';
import { shownCriterion, shownTasks } from './shown-documents.ts';
import type { SessionStatus, ShownBlocker, ShownRepairs, ShownTasks } from './status-shape.ts';

export function statusOfFiles(root: string, run: string): SessionStatus {
  const files = workspaceFiles(root);
  const read = <T>(path: string, parse: (text: string, file: string) => T): T | null => {
    const text = files.read(path);
    return text === undefined ? null : parse(text, path);
  };
  const found = read(statusPath(run), readStatus);
  const status = found?.status ?? null;
  const list = read(tasksPath(run), readTasks);
  const tasks = list && shownTasks(list.tasks, list.tasks.find((task) => task.status === 'in-progress')?.id ?? null);
  const phase = status?.current_state ?? null;
  return {
    workflow: 'session',
    run,
    goal: null,
    mode: status?.mode ?? null,
    state: null,
    phase,
    outcome: phase === 'DONE' ? 'done' : null,
    ...saidOf(run, phase),
    until: null,
    updatedAt: status && Date.parse(status.last_update) > 0 ? status.last_update : null,
    blocked: phase === 'BLOCKED' ? blockerIn(status) : null,
    strategy: strategyIn(status),
    tasks,
    repairs: repairsIn(status, tasks),
    decisions: (status ? pendingDecisions(status) : []).map(({ decision_id: id, question }) => ({
      id,
      title: question,
      detail: '',
      answers: {},
      paths: [],
      answerWith: null,
    })),
    criteria: read(acceptancePath(run), readAcceptance)?.map(shownCriterion) ?? [],
    knownIssues: status?.known_issues ?? [],
    ci: status?.last_ci_result ?? 'unknown',
    dispatches: [],
    open: null,
    usage: null,
    budget: null,
    edited: null,
    putRight: found?.repairs ?? [],
    problems: [],
    owner: null,
    workspace: root,
  };
}

function saidOf(run: string, phase: string | null): Pick<SessionStatus, 'message' | 'next'> {
  if (phase === null)
    return {
      message: `${sessionFolder(run)} has no status.json, so nobody can tell where it is`,
      next: null,
    };
  if (phase === 'DONE') return { message: 'it is finished; its journal is not in this repository', next: null };
  return {
    message: 'it has no journal in this repository: going on with it means that you vouch for its files',
    next: `pawl session resume ${run} --accept-state`,
  };
}

/** As Pawl writes it beside the keys of the format; other tools may do otherwise. */
function blockerIn(status: Status | null): ShownBlocker | null {
  const blocked: unknown = status?.extra?.['blocked'];
  if (!isRecord(blocked)) return null;
  const text = (key: string): string => (typeof blocked[key] === 'string' ? blocked[key] : '');
  return {
    blocker: text('blocker'),
    detail: text('detail'),
    wayOut: text('way_out'),
    from: text('from') === '' ? null : text('from'),
  };
}

function strategyIn(status: Status | null): string | null {
  const answer = status?.user_decisions.find(({ decision_id: id }) => id === 'UD-REVIEW-STRATEGY')?.answer ?? null;
  const strategy = answer === null ? null : readStrategy(answer);
  return typeof strategy === 'string' ? strategy : null;
}

function repairsIn(status: Status | null, tasks: ShownTasks | null): ShownRepairs | null {
  if (!status) return null;
  const scope = tasks?.current ?? 'meta';
  const { FIX_REVIEW = 0, FIX_TESTS = 0, FIX_SECURITY = 0, FIX_BUILD = 0 } = status.retry_counts[scope] ?? {};
  return { scope, counts: { FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD }, limits: null };
}
