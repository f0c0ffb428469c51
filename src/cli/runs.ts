/** `runs`: all runs of all workflows. What costs time, the journals, is read only where nothing else tells. */

import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Outcome } from '../engine/machine.ts';
import { readJournal } from '../store/journal.ts';
import { currentOwner, type LeaseOptions } from '../store/lease.ts';
import type { Owner } from '../store/run-store.ts';
import { JournalCorrupt } from '../store/record.ts';
import { replay } from '../runtime/run-state.ts';
import { nextOf } from '../workflows/change/summary.ts';
import { controlFolder, isSessionId } from '../workflows/session/files/paths.ts';
import { findRepository, type Repository } from '../workspace/git.ts';
import { allChanges } from './change/all-changes.ts';
import { latestFirst } from './change/list.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { runsIn, workflowsIn } from './find-run.ts';
import { runFolder, runsFolder } from './run-folders.ts';
import { age } from './show/age.ts';
import { screenOf } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';

export interface ListedRun {
  readonly workflow: string;
  readonly run: string;
  /** Where it is, in the workflow's own words; null for a run that has not begun or cannot be read. */
  readonly phase: string | null;
  /** What it told its caller when it came to rest; null while that is known to its journal only. */
  readonly outcome: Outcome | null;
  readonly updatedAt: string | null;
  /** The process at work on it just now. */
  readonly owner: Owner | null;
  readonly next: string | null;
  /** The work tree it lives in, relative to this one; null here. */
  readonly workspace: string | null;
  readonly problem: string | null;
}

export const runs: CommandFunction = async ({ flags }) => {
  const all = await listRuns(findRepository(process.cwd()), leaseOptions(false));
  screenOf(process.stdout).write(flags['json'] ? `${JSON.stringify({ runs: all })}\n` : runsText(all, Date.now()));
  return exitCodes.done;
};

/** A run at work is among those that changed last, so only so many are asked for their owner. */
const ownersMax = 200;

export async function listRuns(
  repository: Repository,
  lease: Pick<LeaseOptions, 'livenessOf' | 'now'>,
): Promise<ListedRun[]> {
  const found = await changeRuns(repository);
  found.push(...(await sessionRuns(repository)));
  for (const workflow of workflowsIn(repository.commonDir)) {
    if (workflow !== 'change') found.push(...otherRuns(repository.commonDir, workflow));
  }
  return latestFirst(found).map(({ run, folder }, index) =>
    folder === null || index >= ownersMax ? run : { ...run, owner: currentOwner(folder, lease) ?? null },
  );
}

interface FoundRun {
  readonly run: ListedRun;
  readonly updatedAt: string | null;
  readonly folder: string | null;
}

async function changeRuns(repository: Repository): Promise<FoundRun[]> {
  const changes = await allChanges(repository);
  return changes.map(({ summary, workspace, folder, outcome }) => {
    const { id, phase, updatedAt, problem } = summary;
    const run: ListedRun = {
      workflow: 'change',
      run: id,
      phase,
      outcome,
      updatedAt,
      owner: null,
      next: problem === null ? nextOf(id, phase) : null,
      workspace: workspace === null ? null : relative(repository.root, workspace),
      problem,
    };
    return { run, updatedAt, folder };
  });
}

async function sessionRuns(repository: Repository): Promise<FoundRun[]> {
  const { root, commonDir } = repository;
  if (!existsSync(runsFolder(commonDir, 'session')) && !existsSync(join(root, controlFolder))) return [];
  const { allSessions, nextOf: nextOfSession } = await import('./session/all-sessions.ts');
  return (await allSessions(repository)).map((session) => {
    const { run: name, phase, updatedAt, problem, workspace, folder } = session;
    const run: ListedRun = {
      workflow: 'session',
      run: name,
      phase,
      outcome: phase === 'DONE' ? 'done' : null,
      updatedAt,
      owner: null,
      next: nextOfSession(session),
      workspace: workspace === null ? null : relative(root, workspace),
      problem,
    };
    return { run, updatedAt, folder };
  });
}

function otherRuns(commonDir: string, workflow: string): FoundRun[] {
  const names = runsIn(commonDir, workflow).filter((name) => workflow !== 'session' || !isSessionId(name));
  return names.flatMap((name) => {
    const folder = runFolder(commonDir, workflow, name);
    const known = journalSummary(folder);
    if (!known) return [];
    const run = { workflow, run: name, owner: null, next: null, workspace: null, ...known };
    return [{ run, updatedAt: known.updatedAt, folder }];
  });
}

function journalSummary(folder: string): Pick<ListedRun, 'phase' | 'outcome' | 'updatedAt' | 'problem'> | undefined {
  try {
    const state = replay(readJournal(folder) ?? []);
    if (!state) return undefined;
    const { snapshot, changedAt } = state;
    return { phase: snapshot.state, outcome: snapshot.outcome, updatedAt: changedAt, problem: null };
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    return { phase: null, outcome: null, updatedAt: null, problem: error.message };
  }
}

function runsText(all: readonly ListedRun[], nowMs: number): string {
  if (all.length === 0) return 'There are no runs. Begin one: pawl change plan <id> "what to change and why"\n';
  const rows = all.map(({ run, workflow, phase, updatedAt, owner, next, workspace, problem }) => [
    run,
    workflow,
    problem === null ? (phase ?? 'new') : 'broken',
    age(updatedAt, nowMs),
    owner ? `pid ${owner.pid}` : '-',
    plainLine(problem ?? `${next ?? ''}${workspace === null ? '' : ` (in ${workspace})`}`),
  ]);
  return `${aligned([['RUN', 'WORKFLOW', 'PHASE', 'UPDATED', 'AT WORK', 'NEXT'], ...rows]).join('\n')}\n`;
}
