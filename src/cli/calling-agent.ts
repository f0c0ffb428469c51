/** Who calls Pawl: a person, an agent that Pawl itself started, or one that a person works with. */

import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import type { CommandInput } from '../workflows/surface.ts';
import { isBelow } from '../workspace/processes.ts';

/** Set by coding agents for the commands that they run. */
const agentVariables = [
  'AI_AGENT',
  'AUGMENT_AGENT',
  'CLAUDECODE',
  'CODEX_CI',
  'CODEX_SANDBOX',
  'CODEX_SANDBOX_NETWORK_DISABLED',
  'CODEX_THREAD_ID',
  'COPILOT_CLI',
  'CURSOR_AGENT',
  'GEMINI_CLI',
  'OPENCODE',
  'OPENCODE_CLIENT',
];

/** The marker of a dispatch counts in any process above this one as well: dropping a variable is easy. */
export function callingAgent(): 'dispatched' | 'outer' | null {
  if (process.env[dispatchMarker] !== undefined || isBelow(dispatchMarker)) return 'dispatched';
  return agentVariables.some((name) => process.env[name]) ? 'outer' : null;
}

/** Whether a person can be asked. */
export function isAttended({ flags }: CommandInput): boolean {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  return !flags['json'] && !flags['no-input'] && isTerminal && callingAgent() === null;
}
