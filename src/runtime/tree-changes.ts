/** How a run's work tree differs from an earlier one; what this process itself writes there (redirected output) is left out. */

import type { JudgedTree } from '../workflows/workflow.ts';
import { ownOutput } from './own-output.ts';
import type { Run } from './run.ts';

export async function changedPaths(run: Run, from: string, to: string): Promise<readonly string[]> {
  if (from === to) return [];
  const paths = (await run.tree.changed(from, to)).map(({ path }) => path);
  const own = ownOutput(run, paths);
  return paths.filter((path) => !own.has(path));
}

/** What there is to judge: the tree as it is, and how it differs from the one the run began with. */
export async function judgedTree(run: Run): Promise<JudgedTree> {
  const now = await run.tree.snapshot();
  const all = await run.tree.fileChanges(run.state.firstTree ?? now, now);
  const paths = all.map(({ path }) => path);
  const own = ownOutput(run, paths);
  const files = all.filter(({ path }) => !own.has(path) && !path.startsWith(`${run.workflow.controlFolder}/`));
  return { digest: await run.digestOf(now), files };
}
