/** Who calls Pawl: a person, an agent that Pawl itself started, or one that a person works with. */

import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import type { CommandInput } from '../workflows/surface.ts';
import { isBelow } from '../workspace/processes.ts';
import { isCi } from './show/screen.ts';

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

/** For commands that Pawl itself chose, in a repository that it made: whoever asked for them approves nothing by them. */
export function environmentOfDemo(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !agentVariables.includes(name)));
}

/** For commands that a coding agent orders through another way than its shell. */
export function markedAsAgent(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, AI_AGENT: env['AI_AGENT'] || 'mcp' };
}

/** Whether a person can be asked. */
export function isAttended({ flags }: CommandInput): boolean {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY;
  return !flags['json'] && !flags['no-input'] && !isCi() && isTerminal && callingAgent() === null;
}
