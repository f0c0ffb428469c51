/** Stopping a run that another process works on, and cancelling a step that nobody works on. */

import { setTimeout as wait } from 'node:timers/promises';
import { effectOf } from '../engine/transition.ts';
import { cancelRequest, giveUp } from '../runtime/drive.ts';
import type { Run } from '../runtime/run.ts';
import { projectOrWarn } from '../runtime/state-writing.ts';
import type { Host } from '../runtime/host.ts';
import type { HeldRun, RunKey } from '../store/run-store.ts';
import type { Caller } from './caller.ts';
import { withRunInPlace } from './quiet-work.ts';
import { isRefusal, notReady, orRefusal, refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

const pollMs = 100;
const pollsMax = 300;

export interface Stopped {
  readonly run: string;
  readonly action: 'paused' | 'cancelled';
  readonly next: string | null;
}

/** Stops the process that works on a run; `resume` continues it. */
export function pauseRun({ store }: RunRepository, key: RunKey): Promise<Stopped | Refusal> {
  return orRefusal(async () => {
    const stopped = await stopOwner(store, key, 'pause');
    if (isRefusal(stopped)) return stopped;
    const next = `pawl resume ${key.run}`;
    if (stopped) return { run: key.run, action: 'paused', next };
    return notReady('NotRunning', `no process works on ${key.run}`, next);
  });
}

/** Ends the current step of a run, so that it rests. */
export function cancelRun(repository: RunRepository, key: RunKey, host: Host): Promise<Stopped | Refusal> {
  const { store } = repository;
  return orRefusal(async () => {
    const stopped = await stopOwner(store, key, 'cancel');
    if (isRefusal(stopped)) return stopped;
    return withRunInPlace(repository, key, host, (run) => cancelStep(run, stopped));
  });
}

/** A process that is stopped ends the step itself, unless it is in the middle of a check. */
function cancelStep(run: Run, wasStopped: boolean): Stopped | Refusal {
  const done: Stopped = { run: run.id, action: 'cancelled', next: null };
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type === 'rest' && wasStopped) return done;
  if (giveUp(run)) {
    projectOrWarn(run);
    return done;
  }
  const inCheck = effect.type === 'check';
  const what = inCheck ? `${run.id} is stopped in a check, which cannot be cancelled` : `${run.id} is not running`;
  const fix = inCheck ? `pawl resume ${run.id}` : `pawl log ${run.id}`;
  return notReady('NothingToCancel', `${what}; nothing to cancel`, fix);
}

/** Returns when no process works on it: true when one went because of the request, false when none was to be stopped. */
async function stopOwner(
  store: RunRepository['store'],
  key: RunKey,
  kind: 'pause' | 'cancel',
): Promise<boolean | Refusal> {
  if (!store.owner(key)) return false;
  store.post(key, { kind });
  for (let polls = 0; store.owner(key); polls += 1) {
    if (polls === pollsMax)
      return refusal('StillRunning', `the process that works on ${key.run} has not stopped yet`, {
        outcome: 'temporary',
        fix: `pawl ${kind} ${key.run}`,
      });
    await wait(pollMs);
  }
  return !store.withdraw(key, { kind });
}

const listenMs = 300;

/** The other end: reads requests to stop the work of this process. Returns what ends the listening. */
export function listenForStops(held: Pick<HeldRun<unknown>, 'take'>, caller: Pick<Caller, 'interrupt'>): () => void {
  const timer = setInterval(() => {
    if (held.take('cancel')) caller.interrupt(cancelRequest);
    else if (held.take('pause')) caller.interrupt('pause');
  }, listenMs);
  timer.unref();
  return () => clearInterval(timer);
}
