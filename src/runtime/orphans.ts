import { dispatchMarker, markerOf } from './dispatch-marker.ts';
import type { Run } from './run.ts';

/** Ends whatever of a dispatch or a command still runs: also what left its process group, which some agents' shells do. */
export function endOrphans(run: Run, purpose: string, graceMs: number): Promise<void> {
  return run.host.endMarked({ name: dispatchMarker, value: markerOf(run.folder, purpose) }, graceMs);
}
