/** What a run did to the work tree, untracked files included. */

import { join, resolve } from 'node:path';
import { seenOutput } from '../runtime/tree-changes.ts';
import { readRunState } from '../runtime/run-state.ts';
import type { RunKey } from '../store/run-store.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { Refusal } from './refusal.ts';
import { orRefusal } from './refusal-of.ts';
import type { RunRepository } from './run-repository.ts';

export interface RunDiff extends RunKey {
  /** Trees before the first dispatch and after the last; null for a run that dispatched nothing. */
  readonly from: string | null;
  readonly to: string | null;
  readonly diff: string;
  /** The folder that is left out, because it is the workflow's own. */
  readonly controlFolder: string;
}

export function diffRun(
  repository: RunRepository,
  key: RunKey,
  options: { readonly color: boolean },
): Promise<RunDiff | Refusal> {
  return orRefusal(() => difference(repository, key, options));
}

async function difference(
  { store, workflows, commonDir }: RunRepository,
  key: RunKey,
  { color }: { readonly color: boolean },
): Promise<RunDiff> {
  const state = readRunState(store, key);
  const { controlFolder } = await workflows.load(key.workflow);
  const { firstTree: from = null, lastTree: to = null } = state ?? {};
  const workspace = resolve(commonDir, state?.workspace ?? '..');
  const folder = store.folder(key);
  const tree = new WorkTree({ root: workspace, shadowDir: join(folder, 'shadow'), commonDir });
  const exceptFolders = [controlFolder, ...seenOutput({ workspace, folder })];
  const diff = from === null || to === null ? '' : await tree.diff(from, to, { exceptFolders, color });
  return { ...key, from, to, diff, controlFolder };
}
