/** Where a change is, and whether the command may begin it. */

import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { hasBegun } from '../../store/journal.ts';
import { archiveFolder, changeFolder, configPath, statePath } from '../../workflows/change/paths.ts';
import { nextOf } from '../../workflows/change/summary.ts';
import { readText } from '../../workspace/files.ts';
import type { Repository } from '../../workspace/git.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Given } from '../options.ts';
import { Problem } from '../problem.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import type { PlannedWorktree } from '../worktree.ts';
import { changeSurface } from '../../workflows/change/surface.ts';
import { usageRefusal } from '../../runs/refusal.ts';
import { refused } from '../problem.ts';

export async function findPlace(
  repository: Repository,
  run: string,
  { command, given }: { command: string; given: Given },
): Promise<Place> {
  const { root, commonDir } = repository;
  const folder = runFolder(commonDir, 'change', run);
  const known = hasBegun(folder);
  const archived = known ? mayBegin(given) && isArchived(folder) : isArchivedOnly(root, run);
  if (given.flags['new']) setAside(folder, run, { archived, known });
  else if (archived && !known) return archivedElsewhere(run, command, given);
  else if (archived && given.words[1] !== undefined) {
    throw new Problem('archived', `${run} is archived; a description begins a new change`, {
      fix: `choose another id, or begin anew under this one: pawl change plan ${run} --new "…"`,
    });
  }
  const begins = command === 'plan' && (!known || given.flags['new'] === true);
  if (!known && command !== 'plan' && !existsSync(join(root, statePath(run))))
    throw refused(usageRefusal(changeSurface.notFound(run, { near: undefined, none: false })));
  return { workspace: root, ...(begins && { worktree: () => worktreeFor(repository, run, given) }) };
}

interface Place {
  readonly workspace: string;
  /** For a change that may begin: the worktree it shall have, if any. */
  readonly worktree?: () => Promise<PlannedWorktree | null>;
}

async function worktreeFor(repository: Repository, run: string, given: Given): Promise<PlannedWorktree | null> {
  const [{ readConfig }, { worktreeSettings }] = await Promise.all([
    import('../../workflows/change/config.ts'),
    import('../../workflows/run-config.ts'),
  ]);
  const { config } = readConfig(readText(join(repository.root, configPath)), configPath);
  if (!given.flags['worktree'] && config.workflow.workspace !== 'worktree') return null;
  const { planWorktree } = await import('../worktree.ts');
  return planWorktree(repository, { workflow: 'change', run }, worktreeSettings(config));
}

/** Only then does it matter here whether a run is archived; its journal is long, and read again when it is opened. */
function mayBegin({ flags, words }: Given): boolean {
  return flags['new'] !== undefined || words[1] !== undefined;
}

function isArchived(folder: string): boolean {
  return stateIn(folder)?.snapshot.state === 'archived';
}

function isArchivedOnly(root: string, run: string): boolean {
  return !existsSync(join(root, changeFolder(run))) && existsSync(join(root, archiveFolder(run), 'STATE.yaml'));
}

/** An archived change of a fresh clone has no journal here, and needs none. */
function archivedElsewhere(run: string, command: string, given: Given): never {
  const reuse = { fix: `begin anew under this id: pawl change plan ${run} --new "…"` };
  if (command === 'plan' && given.words[1] !== undefined) throw new Problem('archived', `${run} is archived`, reuse);
  const exitCode = command === 'plan' || command === 'archive' ? exitCodes.done : exitCodes.not_ready;
  throw new Problem('archived', `${run} is archived`, { ...reuse, exitCode });
}

/** The journal of the archived change keeps its place beside the new one. */
function setAside(folder: string, run: string, { archived, known }: { archived: boolean; known: boolean }): void {
  if (!archived) {
    throw new Problem('not_archived', `--new reuses the id of an archived change, and ${run} is not archived`, {
      fix: nextOf(run, null) ?? '',
    });
  }
  if (!known) return;
  let number = 1;
  while (existsSync(`${folder}.${number}`)) number += 1;
  renameSync(folder, `${folder}.${number}`);
}
