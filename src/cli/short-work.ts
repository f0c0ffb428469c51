/** `pause`, `cancel`, `undo` and `diff`: short pieces of work on a run. Nobody is asked, no agent starts. */

import { diffRun } from '../runs/diff-run.ts';
import { findRun } from '../runs/find.ts';
import type { Refusal } from '../runs/refusal.ts';
import { cancelRun, pauseRun, type Stopped } from '../runs/stop-run.ts';
import { undoRun, type UndoneRun } from '../runs/undo-run.ts';
import type { RunEvent, Host } from '../runtime/host.ts';
import { compose } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { plainText } from './show/text.ts';
import type { CommandFunction } from './verb.ts';

/** What had to be cleared up before is said. */
export async function quietly<T>(work: (host: Host) => Promise<T | Refusal>): Promise<T> {
  const interrupted = new AbortController().signal;
  const host = compose({ surfaces: [], person: null, observe: tell, interrupted });
  try {
    return accepted(await work(host));
  } finally {
    await host.close();
  }
}

function tell(event: RunEvent): void {
  if (event.type === 'recovered' || event.type === 'warning') process.stderr.write(`${plainText(event.message)}\n`);
}

/** From another terminal. */
export const pause: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const key = accepted(findRun(repository, words[0] ?? ''));
  return sayStopped(accepted(await pauseRun(repository, key)), flags['json'] === true);
};

export const cancel: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const key = accepted(findRun(repository, words[0] ?? ''));
  const stopped = await quietly((host) => cancelRun(repository, key, host));
  return sayStopped(stopped, flags['json'] === true);
};

function sayStopped({ run, action, next }: Stopped, json: boolean): number {
  const text = next === null ? `${run}: ${action}` : `${run}: ${action}\nNext: ${next}`;
  process.stdout.write(json ? `${JSON.stringify({ run, action, next })}\n` : `${text}\n`);
  return exitCodes.done;
}

export const undo: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const key = accepted(findRun(repository, words[0] ?? ''));
  const undone = await quietly((host) => undoRun(repository, key, host));
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

export const diff: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, words[0] ?? ''));
  const color = process.stdout.isTTY && !process.env['NO_COLOR'] && !flags['json'];
  const { controlFolder, ...found } = accepted(await diffRun(repository, { workflow, run }, { color }));
  const text = found.diff === '' ? `${run} has changed nothing outside ${controlFolder}/\n` : found.diff;
  process.stdout.write(flags['json'] ? `${JSON.stringify(found)}\n` : text);
  return exitCodes.done;
};
