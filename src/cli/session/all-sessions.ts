/**
 * Every session of a repository: those of this work tree, those that live in another one, and folders other tools left.
 *
 * A session is read where its run works. Journals are long, so one is read only where no status.json speaks for it.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { JournalCorrupt } from '../../store/record.ts';
import { controlFolder, sessionIdExpectation, statusPath } from '../../workflows/session/files/paths.ts';
import { pendingIn } from '../../engine/decision.ts';
import { phaseOf } from '../../workflows/session/phases.ts';
import type { Repository } from '../../workspace/git.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import { workspaceOf } from '../run-workspace.ts';
import { sessionNames } from './known.ts';
import { readHead, readTally, unknownHead, type SessionHead, type TaskTally } from './session-head.ts';

export interface KnownSession extends SessionHead {
  readonly run: string;
  readonly tasks: TaskTally | null;
  /** Where it lives; null in this work tree. */
  readonly workspace: string | null;
  /** Its journal's folder; null for one known by its files only. */
  readonly folder: string | null;
}

/** The newest first; what is broken before all, so that it is seen. */
export async function allSessions(repository: Repository): Promise<KnownSession[]> {
  const { root, commonDir } = repository;
  const { runs, folders, others } = sessionNames(repository);
  const begun = new Set(runs);
  const mayBeElsewhere = existsSync(join(commonDir, 'worktrees'));
  const known: KnownSession[] = [];
  for (const run of runs) {
    const folder = runFolder(commonDir, 'session', run);
    const workspace = mayBeElsewhere ? (workspaceOf(folder, repository) ?? root) : root;
    known.push(await sessionAt(workspace, { run, folder, workspace: workspace === root ? null : workspace }));
  }
  for (const run of folders) {
    if (!begun.has(run)) known.push(await sessionAt(root, { run, folder: null, workspace: null }));
  }
  const misnamed = others.filter((name) => existsSync(join(root, controlFolder, name, 'status.json')));
  return [...known, ...misnamed.map(unnamed)].toSorted(newestFirst);
}

type Place = Pick<KnownSession, 'run' | 'folder' | 'workspace'>;

async function sessionAt(root: string, place: Place): Promise<KnownSession> {
  const { run, folder } = place;
  const head = await readHead(root, run);
  // A journal knows it all; what is wrong with the file is said when the session goes on.
  const told = (head?.problem ?? null) === null ? head : undefined;
  const known = told ?? (folder === null ? (head ?? withoutStatus(run)) : fromJournal(folder));
  return { ...place, ...known, tasks: await readTally(root, run) };
}

function withoutStatus(run: string): SessionHead {
  return { ...unknownHead, problem: `${statusPath(run)} is missing` };
}

function fromJournal(folder: string): SessionHead {
  try {
    const state = stateIn(folder);
    if (!state) return unknownHead;
    const { snapshot, changedAt } = state;
    const pending = pendingIn(snapshot).length;
    const phase = phaseOf(snapshot);
    const mode = phase === null ? null : snapshot.flags['course'] === 'lean' ? 'lean' : 'full';
    return { phase, mode, pending, updatedAt: changedAt, problem: null };
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    return { ...unknownHead, problem: error.message };
  }
}

function unnamed(name: string): KnownSession {
  const problem = `${controlFolder}/${name} cannot name a session; rename it to ${sessionIdExpectation}`;
  return { ...unknownHead, run: name, problem, tasks: null, workspace: null, folder: null };
}

/** Without a time, the day in its name tells how old it is. */
function newestFirst(left: KnownSession, right: KnownSession): number {
  const [earlier, later] = [timeOf(left), timeOf(right)];
  return earlier === later ? 0 : earlier > later ? -1 : 1;
}

function timeOf({ updatedAt, problem, run }: KnownSession): string {
  return problem === null ? (updatedAt ?? run) : 'broken';
}

/** The command to run next; null for one that is finished or cannot go on as it is. */
export function nextOf({ run, phase, problem, folder }: KnownSession): string | null {
  if (problem !== null || phase === 'DONE') return null;
  return `pawl session resume ${run}${folder === null ? ' --accept-state' : ''}`;
}
