/** `undo`: takes back what a run did to the work tree, and says what it cannot take back. */

import { findRun } from '../runs/find.ts';
import { undoRun, type UndoneRun } from '../runs/undo-run.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { quietly } from './quietly.ts';
import type { CommandFunction } from './verb.ts';

export const undo: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, words[0] ?? ''));
  const undone = await quietly((surroundings) => undoRun(repository, { workflow, run }, surroundings));
  process.stdout.write(flags['json'] ? `${JSON.stringify(undone)}\n` : undoneText(undone));
  return exitCodes.done;
};

function undoneText({ run, restored, left, kept, phase, next }: UndoneRun): string {
  return [
    restored.length === 0 ? `${run}: no file had to be put back` : `${run}: put back as before the run:`,
    ...restored.map((path) => `  ${path}`),
    ...(left.length === 0
      ? []
      : ['not touched, because somebody changed them since:', ...left.map((path) => `  ${path}`)]),
    `not taken back: ${kept.join(', ')}`,
    `phase=${phase}`,
    ...(next === null ? [] : [`Next: ${next}`]),
    '',
  ].join('\n');
}
