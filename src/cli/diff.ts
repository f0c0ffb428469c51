/** `diff`: what a run did to the work tree. */

import { diffRun } from '../runs/diff-run.ts';
import { findRun } from '../runs/find.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import type { CommandFunction } from './verb.ts';

export const diff: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, words[0] ?? ''));
  const color = process.stdout.isTTY && !process.env['NO_COLOR'] && !flags['json'];
  const { controlFolder, ...found } = accepted(await diffRun(repository, { workflow, run }, { color }));
  const text = found.diff === '' ? `${run} has changed nothing outside ${controlFolder}/\n` : found.diff;
  process.stdout.write(flags['json'] ? `${JSON.stringify(found)}\n` : text);
  return exitCodes.done;
};
