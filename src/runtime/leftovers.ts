import { endProcesses, findByMarker } from '../workspace/processes.ts';
import { dispatchMarker, markerOf } from './dispatch-marker.ts';

/** Ends whatever of a dispatch or a command still runs: also what left its process group, which some agents' shells do. */
export async function endLeftovers(runFolder: string, purpose: string, graceMs: number): Promise<void> {
  const alive = findByMarker(dispatchMarker, markerOf(runFolder, purpose));
  if (alive.length > 0) await endProcesses(alive, { graceMs });
}
