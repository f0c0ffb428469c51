/** The scripted agent: plays the turns of a YAML script through a real process and the real tool server. */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AgentUnavailable, type Agent, type DispatchRequest, type Launch } from '../agent.ts';
import { eventLines } from '../event-lines.ts';
import type { Handover } from './handover.ts';
import { parseScript, turnFor, turnsPlayed } from './script.ts';
import type { Turn } from './turn.ts';

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
      if (!existsSync(executable)) {
        throw new AgentUnavailable(
          `the scripted agent is missing: there is no ${executable}. Install Pawl again, or build it.`,
        );
      }
      return launch(request, { executable, handover: handoverOf(turns, file, request) });
    },
  };
}

function handoverOf(turns: readonly Turn[], script: string, request: DispatchRequest): Handover {
  const index = turnFor(turns, request);
  const turn = index === null ? undefined : turns[index];
  return {
    dispatch: request.id,
    role: request.role,
    step: request.step,
    script,
    played: turnsPlayed(turns, request),
    next: index === null || turn === undefined ? null : { index, turn },
  };
}

function launch(
  request: DispatchRequest,
  { executable, handover }: { executable: string; handover: Handover },
): Launch {
  const file = join(request.folder, 'turn.json');
  mkdirSync(request.folder, { recursive: true });
  writeFileSync(file, `${JSON.stringify(handover, null, 2)}\n`);
  const log = process.env['PAWL_SCRIPT_LOG'];
  return {
    command: process.execPath,
    args: [executable],
    env: {
      PAWL_MCP_URL: request.tools.url,
      PAWL_MCP_TOKEN: request.tools.token,
      PAWL_TURN: file,
      ...(log !== undefined && { PAWL_SCRIPT_LOG: log }),
    },
    stdin: request.prompt,
    output: eventLines(),
  };
}
