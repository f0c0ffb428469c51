/** For whom runs are worked on: an edge such as the command line, and what it is told beside the events of a run. */

import type { Host } from '../runtime/host.ts';
import type { Opening } from './opening.ts';

export interface Caller {
  readonly host: Host;
  /** Stops the work at hand: aborts `host.interrupted` with this reason. */
  interrupt(reason: string): void;
  notify(notice: Notice): void;
}

export type Notice =
  /** Settings that are not understood. */
  | { readonly kind: 'settings'; readonly warnings: readonly string[] }
  /** A state file that is to be taken over, and what was wrong with it. */
  | { readonly kind: 'foreign_state'; readonly path: string; readonly notes: readonly string[] }
  /** An agent is about to be set to work. */
  | { readonly kind: 'opening'; readonly opening: Opening }
  /** The work pauses until a rate limit ends. */
  | { readonly kind: 'waiting'; readonly until: string; readonly ms: number };
