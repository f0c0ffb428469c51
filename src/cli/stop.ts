/** `pause` and `cancel`: stopping a run from another terminal, or giving up a step nobody works on. */

import { currentOwner } from '../journal/lease.ts';
import { giveUp } from '../runtime/drive.ts';
import { post } from '../runtime/inbox.ts';
import { recover } from '../runtime/recover.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { withRun } from './held-run.ts';
import { Problem } from './problem.ts';
import { refuseAgents } from './refuse-agents.ts';

const waitMsMax = 30_000;
const pollMs = 100;

export const pause: CommandFunction = async ({ words, flags }) => {
  refuseAgents('pause a run');
  const found = findRun(findRepository(process.cwd()).commonDir, words[0] ?? '');
  if (!currentOwner(found.folder, leaseOptions(false))) {
    throw new Problem('not_running', `nothing is at work on ${found.run}`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl resume ${found.run}`,
    });
  }
  await stopOwner(found.folder, 'pause');
  say(flags['json'] === true, found.run, 'paused', `pawl resume ${found.run}`);
  return exitCodes.done;
};

export const cancel: CommandFunction = async ({ words, flags }) => {
  refuseAgents('cancel a run');
  const found = findRun(findRepository(process.cwd()).commonDir, words[0] ?? '');
  if (currentOwner(found.folder, leaseOptions(false))) {
    await stopOwner(found.folder, 'cancel');
  } else {
    await withRun(words[0] ?? '', async (run) => {
      const recovery = await recover(run, undefined);
      if (recovery.kind !== 'ready')
        throw new Problem('person_needed', recovery.message, { fix: recovery.fix, exitCode: exitCodes.needs_person });
      if (!giveUp(run)) {
        throw new Problem('nothing_to_cancel', `${run.id} rests; there is nothing to cancel`, {
          exitCode: exitCodes.not_ready,
          fix: `pawl log ${run.id}`,
        });
      }
      run.project();
    });
  }
  say(flags['json'] === true, found.run, 'cancelled', null);
  return exitCodes.done;
};

async function stopOwner(folder: string, kind: 'pause' | 'cancel'): Promise<void> {
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
}

function say(json: boolean, run: string, action: string, next: string | null): void {
  const text = next === null ? `${run}: ${action}` : `${run}: ${action}\nNext: ${next}`;
  process.stdout.write(json ? `${JSON.stringify({ run, action, next })}\n` : `${text}\n`);
}
