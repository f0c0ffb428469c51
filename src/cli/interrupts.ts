/** Ctrl-C, and requests of `pawl pause` and `pawl cancel` from another terminal. */

import { cancelRequest } from '../runtime/drive.ts';
import { take } from '../runtime/inbox.ts';
import { exitCodes } from './exit-codes.ts';

const pollMs = 300;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Reads what is put into the run's inbox: only for the process that holds the run, or messages get lost. */
  listen(runFolder: string): void;
  close(): void;
}

/** The first interruption ends the agent and leaves the run in order; a second one ends Pawl at once. */
export function watchInterrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort('interrupt');
  };
  for (const signal of signals) process.on(signal, onSignal);
  let timer: NodeJS.Timeout | undefined;
  return {
    signal: controller.signal,
    listen: (runFolder) => {
      timer = setInterval(() => {
        if (take(runFolder, 'cancel')) controller.abort(cancelRequest);
        else if (take(runFolder, 'pause')) controller.abort('pause');
      }, pollMs);
      timer.unref();
    },
    close: () => {
      clearInterval(timer);
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
