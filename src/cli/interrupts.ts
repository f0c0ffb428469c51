/** Ctrl-C, and requests of `pawl pause` and `pawl cancel` from another terminal. */

import { cancelRequest } from '../runtime/drive.ts';
import { take } from '../runtime/inbox.ts';
import { exitCodes } from './exit-codes.ts';

const pollMs = 300;

export interface Interrupts {
  readonly signal: AbortSignal;
  close(): void;
}

/** The first interruption ends the agent and leaves the run in order; a second one ends Pawl at once. */
export function watchInterrupts(runFolder: string): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort('interrupt');
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const timer = setInterval(() => {
    if (take(runFolder, 'cancel')) controller.abort(cancelRequest);
    else if (take(runFolder, 'pause')) controller.abort('pause');
  }, pollMs);
  timer.unref();
  return {
    signal: controller.signal,
    close: () => {
      clearInterval(timer);
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
