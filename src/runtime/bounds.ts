/**
 * Whether a role kept to what it may write.
 *
 * B1. A role that writes nothing must leave the work tree as it is; one that writes may change what its globs name.
 * B2. What an attempt wrote out of bounds, whatever it ended with, stays out of bounds in the attempts that follow it,
 *     until it is put back or a person has looked at it and commanded to go on.
 * B3. The configuration says who judges and what may be spent: no role may write it, whatever its globs say.
 */

import { isFault } from '../engine/machine.ts';
import type { JournalRecord } from '../store/record.ts';
import { pathMatcher } from '../workspace/globs.ts';
import type { Run } from './run.ts';
import { changedPaths } from './tree-changes.ts';

interface Trees {
  readonly treeBefore: string;
  readonly treeAfter: string;
}

/** What was written that the role may not write, in words; null when there is nothing. */
export async function outOfBounds(run: Run, name: string, trees: Trees): Promise<string | null> {
  const role = run.workflow.roles[name];
  const named = role?.mayWrite ? pathMatcher(role.mayWrite) : () => role?.writesTree === true;
  const mayWrite = (path: string): boolean => named(path) && !run.workflow.configPaths.includes(path);
  const isBounded = role?.writesTree || role?.mayWrite !== undefined;
  const changed = isBounded ? await changesOfAttempts(run, trees) : await changes(run, trees);
  const foreign = changed.filter((path) => !mayWrite(path));
  if (foreign.length === 0) return null;
  return role?.writesTree
    ? `the ${name} may not write ${listed(foreign)}: put it back; its report does not count`
    : `files changed while the ${name}, which may change none, was judging them (${listed(foreign)}); its report does not count`;
}

function changes(run: Run, { treeBefore, treeAfter }: Trees): Promise<readonly string[]> {
  return changedPaths(run, treeBefore, treeAfter);
}

/**
 * B2. What the attempts in a row changed, as far as it is still changed; what people changed between them is theirs.
 * Between them Pawl writes its state file and nothing else, so of that only the last attempt counts.
 */
async function changesOfAttempts(run: Run, trees: Trees): Promise<readonly string[]> {
  const last = await changes(run, trees);
  const earlier = earlierAttempts(run.records);
  const [first] = earlier;
  if (!first) return last;
  const written = new Set([...(await Promise.all(earlier.map((each) => changes(run, each)))).flat(), ...last]);
  const stateFile = run.stateFile.path(run.view());
  const changed = await changes(run, { ...trees, treeBefore: first.treeBefore });
  const ours = last.filter((path) => path === stateFile);
  return [...ours, ...changed.filter((path) => written.has(path) && path !== stateFile)];
}

/** B2. The attempts before the present one that came to nothing, in a row and without a person's command, the oldest first. */
export function earlierAttempts(records: readonly JournalRecord[]): readonly Trees[] {
  const attempts: Trees[] = [];
  const ends = new Map<string, string>();
  for (const record of records.toReversed()) {
    if (record.type === 'state.edited') break;
    if (record.type === 'moved') {
      if (!isFault(record.signal) || record.change.state !== undefined) break;
      if (record.dispatch) ends.set(record.dispatch.id, record.dispatch.tree);
    }
    if (record.type !== 'dispatch.started') continue;
    const treeAfter = ends.get(record.id);
    if (treeAfter !== undefined) attempts.unshift({ treeBefore: record.tree, treeAfter });
  }
  return attempts;
}

const listedMax = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length > listedMax ? `, and ${paths.length - listedMax} more` : '';
  return `${paths.slice(0, listedMax).join(', ')}${more}`;
}
