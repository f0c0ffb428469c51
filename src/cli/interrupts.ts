/** Ctrl-C, and the other signals that end a process. */

import { exitCodes } from './exit-codes.ts';

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupts {
  readonly signal: AbortSignal;
  /** The same for whoever has another reason to stop. */
  abort(reason: string): void;
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
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    close: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
