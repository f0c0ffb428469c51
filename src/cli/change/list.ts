/** `change list`: every change of the repository, the latest first. */

import { relative } from 'node:path';
import { nextOf } from '../../workflows/change/summary.ts';
import { findRepository, type Repository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { age } from '../show/age.ts';
import { screenOf } from '../show/screen.ts';
import { aligned, plainLine } from '../show/text.ts';
import { allChanges } from './all-changes.ts';
import { readStateSummaries, type StateSummary } from './known.ts';

export interface ListedChange extends StateSummary {
  readonly next: string | null;
  /** The work tree it lives in, relative to this one; null here. */
  readonly workspace: string | null;
}

export const list: CommandFunction = async ({ flags }) => {
  const archived = flags['archived'] === true;
  const changes = await listChanges(findRepository(process.cwd()), archived);
  screenOf(process.stdout).write(
    flags['json'] ? `${JSON.stringify({ changes })}\n` : listText(changes, { archived, nowMs: Date.now() }),
  );
  return exitCodes.done;
};

export async function listChanges(repository: Repository, archived: boolean): Promise<ListedChange[]> {
  if (archived) {
    const summaries = await readStateSummaries(repository.root, { archived });
    return latestFirst(summaries.map((summary) => ({ ...summary, next: null, workspace: null })));
  }
  const changes = (await allChanges(repository)).filter(({ summary }) => summary.phase !== 'archived');
  return latestFirst(
    changes.map(({ summary, workspace }) => ({
      ...summary,
      next: summary.problem === null ? nextOf(summary.id, summary.phase) : null,
      workspace: workspace === null ? null : relative(repository.root, workspace),
    })),
  );
}

/** A change without a time is broken: it comes first, so that it is seen. */
export function latestFirst<C extends Pick<StateSummary, 'updatedAt'>>(changes: readonly C[]): C[] {
  return changes.toSorted((left, right) => {
    if (left.updatedAt === right.updatedAt) return 0;
    if (left.updatedAt === null || right.updatedAt === null) return left.updatedAt === null ? -1 : 1;
    return left.updatedAt > right.updatedAt ? -1 : 1;
  });
}

function listText(changes: readonly ListedChange[], { archived, nowMs }: { archived: boolean; nowMs: number }): string {
  if (changes.length === 0) {
    return archived
      ? 'Nothing is archived.\n'
      : 'There are no changes. Begin one: pawl change plan <id> "what to change and why"\n';
  }
  const rows = changes.map(({ id, phase, verdict, iteration, updatedAt, next, workspace, problem }) => [
    id,
    problem === null ? (phase ?? 'new') : 'broken',
    plainLine(verdict ?? '-'),
    iteration === null ? '-' : String(iteration),
    age(updatedAt, nowMs),
    plainLine(problem ?? `${next ?? ''}${workspace === null ? '' : ` (in ${workspace})`}`),
  ]);
  const header = ['ID', 'PHASE', 'VERDICT', 'ITERATION', 'UPDATED', ...(archived ? [] : ['NEXT'])];
  return `${aligned([header, ...rows]).join('\n')}\n`;
}
