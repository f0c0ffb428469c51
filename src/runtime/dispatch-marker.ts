import type { Run } from './run.ts';

/** The name of the variable by which a dispatch's processes are found again after a crash. */
export const dispatchMarker = 'PAWL_DISPATCH';

/** What a dispatch's processes carry: unlike its id, it is the dispatch's alone on the whole machine. */
export function markerOf(runFolder: string, dispatch: string): string {
  return `${runFolder}${dispatch.slice(dispatch.lastIndexOf('#'))}`;
}

const orphanGraceMs = 2_000;

/** Ends whatever of a dispatch or a command still runs: also what left its process group, which some agents' shells do. */
export function endOrphans(run: Run, purpose: string, graceMs = orphanGraceMs): Promise<void> {
  return run.host.endMarked({ name: dispatchMarker, value: markerOf(run.folder, purpose) }, graceMs);
}
