/** `pause` and `cancel`: stopping a run from another terminal, or giving up a step nobody works on. */

import { findRun } from '../runs/find.ts';
import { cancelRun, pauseRun, type Stopped } from '../runs/stop-run.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { quietly } from './quietly.ts';
import type { CommandFunction } from './verb.ts';

export const pause: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, words[0] ?? ''));
  return say(await quietly(() => pauseRun(repository, { workflow, run })), flags['json'] === true);
};

export const cancel: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, words[0] ?? ''));
  const stopped = await quietly((surroundings) => cancelRun(repository, { workflow, run }, surroundings));
  return say(stopped, flags['json'] === true);
};

function say({ run, action, next }: Stopped, json: boolean): number {
  const text = next === null ? `${run}: ${action}` : `${run}: ${action}\nNext: ${next}`;
  process.stdout.write(json ? `${JSON.stringify({ run, action, next })}\n` : `${text}\n`);
  return exitCodes.done;
}
