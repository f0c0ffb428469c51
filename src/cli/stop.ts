/** `pause` and `cancel`: stopping a run from another terminal, or giving up a step nobody works on. */

import { effectOf } from '../engine/transition.ts';
import { currentOwner } from '../store/lease.ts';
import { giveUp } from '../runtime/drive.ts';
import { post, withdraw } from '../store/inbox.ts';
import type { Run } from '../runtime/run.ts';
import { projectOrWarn } from '../runtime/state-writing.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { withRun } from './held-run.ts';
import { Problem } from './problem.ts';

const waitMsMax = 30_000;
const pollMs = 100;

export const pause: CommandFunction = async ({ words, flags }) => {
  const found = findRun(findRepository(process.cwd()).commonDir, words[0] ?? '');
  if (!currentOwner(found.folder, leaseOptions(false)) || !(await stopOwner(found.folder, 'pause'))) {
    throw new Problem('not_running', `nothing is at work on ${found.run}`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl resume ${found.run}`,
    });
  }
  say(flags['json'] === true, found.run, 'paused', `pawl resume ${found.run}`);
  return exitCodes.done;
};

export const cancel: CommandFunction = async ({ words, flags }) => {
  const word = words[0] ?? '';
  const found = findRun(findRepository(process.cwd()).commonDir, word);
  const isOwned = currentOwner(found.folder, leaseOptions(false)) !== undefined;
  const wasStopped = isOwned && (await stopOwner(found.folder, 'cancel'));
  await withRun(word, (run) => giveUpStep(run, wasStopped));
  say(flags['json'] === true, found.run, 'cancelled', null);
  return exitCodes.done;
};

/** The process that was stopped has given the step up itself, unless it was in the middle of a check. */
function giveUpStep(run: Run, wasStopped: boolean): void {
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type === 'rest' && wasStopped) return;
  if (giveUp(run)) {
    projectOrWarn(run);
    return;
  }
  const what =
    effect.type === 'check' ? `${run.id} is stopped in a check, which cannot be given up` : `${run.id} rests`;
  throw new Problem('nothing_to_cancel', `${what}; there is nothing to cancel`, {
    exitCode: exitCodes.not_ready,
    fix: effect.type === 'check' ? `pawl resume ${run.id}` : `pawl log ${run.id}`,
  });
}

/** Returns when the process is gone: true when it went because of the request, false when it had ended by itself. */
async function stopOwner(folder: string, kind: 'pause' | 'cancel'): Promise<boolean> {
  post(folder, { kind });
  const deadline = Date.now() + waitMsMax;
  while (currentOwner(folder, leaseOptions(false))) {
    if (Date.now() > deadline) {
      throw new Problem('still_running', 'the process that works on it has not stopped yet', {
        exitCode: exitCodes.temporary,
        fix: 'try again in a moment',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
  return !withdraw(folder, { kind });
}

function say(json: boolean, run: string, action: string, next: string | null): void {
  const text = next === null ? `${run}: ${action}` : `${run}: ${action}\nNext: ${next}`;
  process.stdout.write(json ? `${JSON.stringify({ run, action, next })}\n` : `${text}\n`);
}
