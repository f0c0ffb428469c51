/** The scripted agent: plays the turns of a YAML script through a real process and the real tool server. */

import type { Infer } from '../../schema/schema.ts';
import type { Agent } from '../agent.ts';
import { launchOwn, requireProgram } from '../own-program.ts';
import { parseScript, turnFor, turnsPlayed } from './script.ts';
import type { turnHandover } from './turn.ts';

export interface ScriptedAgentOptions {
  /** The script's text. */
  readonly script: string;
  /** Where it was read, for messages. */
  readonly file: string;
  /** Path of `scripted-agent.js`. */
  readonly executable: string;
}

/** Throws a DocumentError on a script that cannot be played. */
export function scriptedAgent({ script, file, executable }: ScriptedAgentOptions): Agent {
  const turns = parseScript(script, file);
  return {
    name: 'scripted',
    launch: (request) => {
      requireProgram(executable, 'the scripted agent');
      const { id: dispatch, role, step, tools } = request;
      const index = turnFor(turns, request);
      const turn = index === null ? undefined : turns[index];
      const next = index === null || turn === undefined ? null : { index, turn };
      const handover: Infer<typeof turnHandover> = {
        dispatch,
        role,
        step,
        script: file,
        played: turnsPlayed(turns, request),
        next,
      };
      const log = process.env['PAWL_SCRIPT_LOG'];
      const env = { PAWL_MCP_URL: tools.url, PAWL_MCP_TOKEN: tools.token, ...(log && { PAWL_SCRIPT_LOG: log }) };
      return launchOwn(request, { program: executable, handover, env });
    },
  };
}
