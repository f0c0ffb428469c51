/** ADR-14: a failed run is not continued. These commands throw its work tree away and begin again. */

import { shellWord } from '../../documents/shell-word.ts';
import type { RunView } from '../workflow.ts';
import { data } from './run-data.ts';

export function recoveryCommands({ run, snapshot }: Pick<RunView, 'run' | 'snapshot'>): readonly string[] {
  const [branch, base] = [data.branch.of(snapshot), data.base.of(snapshot)].map(shellWord);
  const head = data.head.of(snapshot);
  // Commits that the branch had before the run are the person's own.
  const start = head === data.mergeBase.of(snapshot) ? base : head;
  const place = data.place.of(snapshot);
  if (place === null || branch === '' || base === '') return [`pawl issue run ${run}`];
  const [path, main] = [shellWord(place.worktree), shellWord(place.main)];
  // Nothing is lost: what the run left outside of commits goes into the stash, which outlives a worktree.
  const stash = `git stash push --include-untracked --message ${shellWord(`failed run of ${run}`)}`;
  // Also where the base branch is checked out in another worktree.
  if (place.worktree === place.main)
    return [stash, `git switch --force-create ${branch} ${start}`, `pawl issue run ${run} ${base}`];
  return [
    `cd ${path}`,
    stash,
    // A shell cannot stay in a folder that is removed.
    `cd ${main}`,
    `git worktree remove --force ${path}`,
    `git branch --delete --force ${branch}`,
    `git worktree add -b ${branch} ${path} ${start}`,
    `cd ${path}`,
    `pawl issue run ${run} ${base}`,
  ];
}
