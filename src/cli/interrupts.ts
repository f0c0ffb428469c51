/** Ctrl-C, and requests of `pawl pause` and `pawl cancel` from another terminal. */

import { cancelRequest } from '../runtime/drive.ts';
import type { HeldRun } from '../store/run-store.ts';
import { exitCodes } from './exit-codes.ts';

const pollMs = 300;
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Reads messages to the process that holds the run. */
  listen(held: Pick<HeldRun<unknown>, 'take'>): void;
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
    listen: (held) => {
      timer = setInterval(() => {
        if (held.take('cancel')) controller.abort(cancelRequest);
        else if (held.take('pause')) controller.abort('pause');
      }, pollMs);
      timer.unref();
    },
    close: () => {
      clearInterval(timer);
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
