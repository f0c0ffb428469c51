/** A script for the scripted agent: a YAML list of turns, consumed in order per role. */

import { DocumentError } from '../../documents/document-error.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { parseTurn, type Turn } from './turn.ts';

export function parseScript(text: string, file: string): Turn[] {
  const turns = parseYaml(text, { file, line: 1 });
  if (!Array.isArray(turns)) {
    throw new DocumentError(
      { file, line: 1 },
      'the script is not a list',
      'a list of turns, each beginning with "- role: …"',
    );
  }
  return turns.map((value: unknown, index) => parseTurn(value, { file, number: index + 1 }));
}

interface Step {
  readonly role: string;
  readonly step: string;
}

export interface TurnRequest extends Step {
  /** Ended dispatches of the run, oldest first; each consumed its turn by the same rule. */
  readonly earlier: readonly Step[];
}

/** The index of the turn a dispatch plays: the first unconsumed one of its role that is for any step or for its own. */
export function turnFor(turns: readonly Turn[], { role, step, earlier }: TurnRequest): number | null {
  return consumed(turns, role, [...stepsOf(earlier, role), step]).at(-1) ?? null;
}

/** How many turns of a role the earlier dispatches consumed. */
export function turnsPlayed(turns: readonly Turn[], { role, earlier }: TurnRequest): number {
  return consumed(turns, role, stepsOf(earlier, role)).filter((index) => index !== null).length;
}

function stepsOf(dispatches: readonly Step[], role: string): string[] {
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
