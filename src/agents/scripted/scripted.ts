/** The scripted agent: plays the turns of a YAML script, in order per role, through a real process and the real tool server. */

import { appendFileSync } from 'node:fs';
import { DocumentError } from '../../documents/document-error.ts';
import { inFile, readDocument } from '../../documents/read-document.ts';
import { parseYaml, readYamlLines } from '../../documents/yaml.ts';
import type { Infer } from '../../schema/schema.ts';
import type { Agent, DispatchRequest } from '../agent.ts';
import { launchOwn, requireProgram } from '../own-program.ts';
import { turnSchema, type Turn, type turnHandover } from './turn.ts';

/** Throws a DocumentError on a script that cannot be played. `executable` is the path of `scripted-agent.js`. */
export function scriptedAgent({ script, file, executable }: Record<'script' | 'file' | 'executable', string>): Agent {
  const turns = parseScript(script, file);
  return {
    name: 'scripted',
    launch: (request) => {
      requireProgram(executable, 'the scripted agent');
      const { id: dispatch, role, step, tools } = request;
      const index = turnFor(turns, request);
      const turn = index === null ? undefined : turns[index];
      const next = index === null || turn === undefined ? null : { index, turn };
      const played = turnsPlayed(turns, request);
      const handover: Infer<typeof turnHandover> = { dispatch, role, step, script: file, played, next };
      const log = process.env['PAWL_SCRIPT_LOG'];
      const env = { PAWL_MCP_URL: tools.url, PAWL_MCP_TOKEN: tools.token, ...(log && { PAWL_SCRIPT_LOG: log }) };
      // For tests that count what was played: it is there before it is let into a sandbox.
      if (log) appendFileSync(log, '');
      return launchOwn(request, executable, handover, { env, ...(log && { needs: { write: [log] } }) });
    },
  };
}

export function parseScript(text: string, file: string): Turn[] {
  const turns = parseYaml(text, { file, line: 1 });
  if (!Array.isArray(turns)) {
    const expected = 'a list of turns, each beginning with "- role: …"';
    throw new DocumentError({ file, line: 1 }, 'the script is not a list', expected);
  }
  return turns.map((turn: unknown, index) => {
    const locate = inFile(file, (path) => readYamlLines(text, file).lineOf([index, ...path]));
    return readDocument(turnSchema, turn, locate);
  });
}

type TurnRequest = Pick<DispatchRequest, 'role' | 'step' | 'earlier'>;

/** The index of the turn a dispatch plays: the first unconsumed one of its role that is for any step or for its own. */
export function turnFor(turns: readonly Turn[], { role, step, earlier }: TurnRequest): number | null {
  return consumed(turns, role, [...stepsOf(earlier, role), step]).at(-1) ?? null;
}

/** How many turns of a role the earlier dispatches consumed. */
export function turnsPlayed(turns: readonly Turn[], { role, earlier }: TurnRequest): number {
  return consumed(turns, role, stepsOf(earlier, role)).filter((index) => index !== null).length;
}

function stepsOf(dispatches: TurnRequest['earlier'], role: string): string[] {
  return dispatches.filter((dispatch) => dispatch.role === role).map(({ step }) => step);
}

/** What each of a role's dispatches takes: every turn waits in one queue only, so that this is linear. */
function consumed(turns: readonly Turn[], role: string, steps: readonly string[]): (number | null)[] {
  const anyStep: number[] = [];
  const ownStep = new Map(steps.map((step): [string, number[]] => [step, []]));
  // Backwards, so that the first turn is the last of its queue.
  for (let index = turns.length - 1; index >= 0; index--) {
    const turn = turns[index];
    if (turn?.role === role) (turn.step === undefined ? anyStep : ownStep.get(turn.step))?.push(index);
  }
  return steps.map((step) => {
    const own = ownStep.get(step) ?? [];
    const queue = (own.at(-1) ?? Infinity) < (anyStep.at(-1) ?? Infinity) ? own : anyStep;
    return queue.pop() ?? null;
  });
}
