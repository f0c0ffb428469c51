/**
 * Every change of a repository: those of this work tree, those that live in another one, and the archived ones.
 *
 * A change is read where its run works. Journals are long, so one is read only where no state file speaks for it.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../engine/machine.ts';
import { readJournal } from '../../store/journal.ts';
import { JournalCorrupt } from '../../store/record.ts';
import { replay } from '../../runtime/run-state.ts';
import { archiveFolder, archivesFolder, isId, statePath } from '../../workflows/change/paths.ts';
import { iterationOf, phaseOf, verdictOf } from '../../workflows/change/phases.ts';
import type { Repository } from '../../workspace/git.ts';
import { runsIn } from '../find-run.ts';
import { runsFolder } from '../run-folders.ts';
import { workspaceOf } from '../run-workspace.ts';
import { idsIn, readStateSummaries, readStateSummary, type StateSummary } from './known.ts';

export interface KnownChange {
  /** `id` is the name of its run: `<id>.<n>` for one that was set aside. */
  readonly summary: StateSummary;
  /** Where it lives; null in this work tree. */
  readonly workspace: string | null;
  /** Its journal's folder; null for a change known by its state file only. */
  readonly folder: string | null;
  /** Known only where the journal was read. */
  readonly outcome: Outcome | null;
}

export async function allChanges(repository: Repository): Promise<KnownChange[]> {
  const { root, commonDir } = repository;
  const here = new Map<string, StateSummary>();
  for (const summary of await readStateSummaries(root, { archived: false })) here.set(summary.id, summary);
  const runs = runsIn(commonDir, 'change');
  const top = runsFolder(commonDir, 'change');
  const places: Places = { repository, runs: new Set(runs), archived: new Set(idsIn(join(root, archivesFolder))) };
  const mayBeElsewhere = existsSync(join(commonDir, 'worktrees'));
  const known: KnownChange[] = [];
  for (const run of runs) {
    const folder = `${top}/${run}`;
    const summary = here.get(run);
    here.delete(run);
    const quick = summary !== undefined && !(mayBeElsewhere && workspaceOf(folder, repository) !== root);
    const change = quick ? { summary, workspace: null, folder, outcome: null } : await lookFurther(run, folder, places);
    if (change) known.push(change);
  }
  for (const summary of here.values()) known.push({ summary, workspace: null, folder: null, outcome: null });
  return [...known, ...(await archivedElsewhere(places, here))];
}

/** A fresh clone has the documents of archived changes, and no journals in its git directory. */
async function archivedElsewhere(
  { repository, runs, archived }: Places,
  inWork: ReadonlyMap<string, StateSummary>,
): Promise<KnownChange[]> {
  const known: KnownChange[] = [];
  for (const name of archived) {
    // What was archived under `<id>-2` is the run `<id>`.
    const id = name.replace(/-\d+$/, '');
    if (runs.has(name) || runs.has(id) || inWork.has(name)) continue;
    const summary = await readStateSummary(repository.root, `${archiveFolder(name)}/STATE.yaml`, name);
    if (summary) known.push({ summary, workspace: null, folder: null, outcome: 'done' });
  }
  return known;
}

interface Places {
  readonly repository: Repository;
  readonly runs: ReadonlySet<string>;
  /** Names of the archive's folders. */
  readonly archived: ReadonlySet<string>;
}

async function lookFurther(run: string, folder: string, places: Places): Promise<KnownChange | undefined> {
  const { root } = places.repository;
  if (isArchivedOnce(run, places)) {
    const summary = await readStateSummary(root, `${archiveFolder(run)}/STATE.yaml`, run);
    if (summary) return { summary, workspace: null, folder, outcome: 'done' };
  }
  const workspace = workspaceOf(folder, places.repository);
  const elsewhere = workspace === root || workspace === null ? null : workspace;
  if (elsewhere !== null && isId(run)) {
    const summary = await readStateSummary(elsewhere, statePath(run), run);
    if (summary) return { summary, workspace: elsewhere, folder, outcome: null };
  }
  return fromJournal(run, folder, elsewhere);
}

/** Where an id was used twice, only the journal tells which of its lives this is. */
function isArchivedOnce(run: string, { archived, runs }: Places): boolean {
  return archived.has(run) && !archived.has(`${run}-2`) && !runs.has(`${run}.1`);
}

function fromJournal(run: string, folder: string, workspace: string | null): KnownChange | undefined {
  try {
    const state = replay(readJournal(folder) ?? []);
    if (!state) return undefined;
    const { snapshot, changedAt } = state;
    const summary: StateSummary = {
      id: run,
      phase: phaseOf(snapshot),
      verdict: verdictOf({ snapshot }),
      iteration: iterationOf({ snapshot }),
      updatedAt: changedAt,
      problem: null,
    };
    return { summary, workspace, folder, outcome: snapshot.outcome };
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    const summary = { id: run, phase: null, verdict: null, iteration: null, updatedAt: null, problem: error.message };
    return { summary, workspace, folder, outcome: null };
  }
}
