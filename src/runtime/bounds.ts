/**
 * Whether a role kept to what it may write.
 *
 * B1. A role that writes nothing must leave the work tree as it is; one that writes may change what its globs name.
 * B2. What an attempt wrote out of bounds, whatever it ended with, stays out of bounds in the attempts that follow it,
 *     until it is put back or a person has looked at it and commanded to go on.
 */

import { isFault } from '../engine/machine.ts';
import type { JournalRecord } from '../journal/record.ts';
import { pathMatcher } from '../workspace/globs.ts';
import type { Run } from './run.ts';

interface Trees {
  readonly treeBefore: string;
  readonly treeAfter: string;
}

/** What was written that the role may not write, in words; null when there is nothing. */
export async function outOfBounds(run: Run, name: string, trees: Trees): Promise<string | null> {
  const role = run.workflow.roles[name];
  if (role?.mayWrite === undefined) return role?.writesTree ? null : unlessUnchanged(name, await changes(run, trees));
  const mayWrite = pathMatcher(role.mayWrite);
  const foreign = (await changesOfAttempts(run, trees)).filter((path) => !mayWrite(path));
  if (!role.writesTree) return unlessUnchanged(name, foreign);
  return foreign.length === 0
    ? null
    : `the ${name} may not write ${listed(foreign)}: put it back; its report does not count`;
}

function unlessUnchanged(name: string, changed: readonly string[]): string | null {
  return changed.length === 0
    ? null
    : `files changed while the ${name}, which may change none, was judging them (${listed(changed)}); its report does not count`;
}

function changes(run: Run, { treeBefore, treeAfter }: Trees): Promise<readonly string[]> {
  return run.changedPaths(treeBefore, treeAfter);
}

/** B2. Between two attempts Pawl writes into its own folder, so there only the last attempt is looked at. */
async function changesOfAttempts(run: Run, trees: Trees): Promise<readonly string[]> {
  const last = await changes(run, trees);
  const treeBefore = treeBeforeAttempts(run.records) ?? trees.treeBefore;
  if (treeBefore === trees.treeBefore) return last;
  const isOurs = (path: string): boolean => path.startsWith(`${run.workflow.controlFolder}/`);
  const all = await changes(run, { ...trees, treeBefore });
  return [...last.filter(isOurs), ...all.filter((path) => !isOurs(path))];
}

/** B2. The tree before the first of the attempts that are made in a row; undefined before there is any. */
export function treeBeforeAttempts(records: readonly JournalRecord[]): string | undefined {
  let tree: string | undefined;
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const record = records[index];
    if (record?.type === 'dispatch.started') tree = record.tree;
    if (record?.type === 'edits.kept' || record?.type === 'state.edited') break;
    if (record?.type === 'moved' && (!isFault(record.signal) || record.change.state !== undefined)) break;
  }
  return tree;
}

const listedMax = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length > listedMax ? `, and ${paths.length - listedMax} more` : '';
  return `${paths.slice(0, listedMax).join(', ')}${more}`;
}
