/** What a coding agent is told of the features of a repository when its session begins. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import type { SessionPlace } from '../surface.ts';
import { readMeta, type Meta } from './meta-file.ts';
import { featuresFolder, isFeatureName, metaPath, phaseAfter } from './phases.ts';

const featuresMax = 200;

/** Of the feature that was touched last, of those that are active; null where there is none. */
export function sessionContext(place: SessionPlace): string | null {
  const { files, cwd } = place;
  const names = files.list(featuresFolder).flatMap((path) => {
    const [name = '', file] = path.slice(featuresFolder.length + 1).split('/');
    return file === '.meta.json' && isFeatureName(name) ? [name] : [];
  });
  const latest = names
    .map((run) => ({ run, ms: place.modifiedMs(metaPath(run)) ?? 0 }))
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, featuresMax);
  for (const { run } of latest) {
    const meta = metaIn(place, run);
    if (meta?.status !== 'active') continue;
    const { mode, currentPhase } = meta;
    const done = currentPhase === null ? 'created' : `${currentPhase} done`;
    const next = `pawl feature ${phaseAfter(currentPhase, mode)} ${run}`;
    const worktree = worktreeOf(place, meta);
    const isInside = worktree === null || cwd === worktree || cwd.startsWith(`${worktree}/`);
    const warning = isInside ? '' : `\nWarning: this folder is not the worktree of the feature, which is ${worktree}`;
    return `Feature ${run} (${mode}): ${done}; next: ${next}${warning}`;
  }
  return null;
}

function metaIn({ files }: SessionPlace, run: string): Meta | null {
  const read = attempt(() => readMeta(files.read(metaPath(run)) ?? '', run).meta);
  return read instanceof DocumentError ? null : read;
}

/** It is stored relative to the main work tree, beside which it is. */
function worktreeOf({ main }: SessionPlace, { worktree }: Meta): string | null {
  return worktree === null ? null : `${main.slice(0, main.lastIndexOf('/'))}/${worktree.slice('../'.length)}`;
}
