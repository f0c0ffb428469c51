import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import { exitCodes } from './exit-codes.ts';
import { Problem } from './problem.ts';

/** Agents must not be able to approve: a process started for a dispatch carries its marker and is turned away. */
export function refuseAgents(what: string): void {
  if (process.env[dispatchMarker] === undefined) return;
  throw new Problem('agent_refused', `an agent may not ${what}; only a person may`, {
    exitCode: exitCodes.not_ready,
    fix: 'leave it to the person who runs Pawl',
  });
}
