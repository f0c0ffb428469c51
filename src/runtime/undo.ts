/**
 * Takes back what a run did to the work tree.
 *
 * N1. Only files that still are what the run left are put back; what somebody changed since stays and is named.
 * N2. The files are put back before the run moves, so an undo that was cut off can be repeated.
 */

import type { Run } from './run.ts';

export interface Undone {
  readonly restored: readonly string[];
  /** Changed by somebody after the run: left as they are. */
  readonly left: readonly string[];
}

export async function undoRun(run: Run): Promise<Undone> {
  const { firstTree, lastTree } = run.state;
  if (firstTree === null || lastTree === null) return { restored: [], left: [] };
  const outside = (path: string): boolean => !path.startsWith(`${run.workflow.controlFolder}/`);
  const done = (await run.tree.changed(firstTree, lastTree)).map(({ path }) => path).filter(outside);
  const now = await run.tree.snapshot();
  const since = new Set((await run.tree.changed(lastTree, now)).map(({ path }) => path));
  const different = new Set((await run.tree.changed(firstTree, now)).map(({ path }) => path));
  // A file that is already back was put there by an undo that was cut off.
  const left = done.filter((path) => since.has(path) && different.has(path));
  const restored = done.filter((path) => !left.includes(path));
  await run.tree.restore(now, firstTree, { paths: restored });
  run.move(
    { name: 'undo', data: { undone: restored } },
    { by: { who: run.surroundings.user, how: 'command' }, writes: run.workflow.undoWrites(run.view()) },
  );
  run.project();
  return { restored, left };
}
