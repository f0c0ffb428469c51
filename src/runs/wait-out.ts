/** A run that is out of an agent's quota goes on by itself when there is some again. */

import { command, type DriveChoice, type Rest } from '../runtime/drive.ts';
import type { Run } from '../runtime/run.ts';
import { waitsUntil } from '../runtime/run-state.ts';
import type { Caller } from './caller.ts';

const waitsMax = 50;
const firstMs = 60_000;
const unknownMsMax = 30 * 60_000;
const knownMsMax = 24 * 3_600_000;

/** The rest that is not a limit any more, or the last one when the person stops waiting. */
export async function waitOut(run: Run, rest: Rest, choice: DriveChoice, caller: Caller): Promise<Rest> {
  const { host } = caller;
  let last = rest;
  for (let attempt = 0; attempt < waitsMax && last.outcome === 'temporary'; attempt += 1) {
    const ms = pauseMs(run, attempt);
    caller.notify({ kind: 'waiting', until: new Date(host.now() + ms).toISOString(), ms });
    await host.sleep(ms, host.interrupted);
    if (host.interrupted.aborted) return { ...last, outcome: 'interrupted' };
    run.unavailable.clear();
    const signal = run.workflow.enter('retry', {}, run.view());
    if ('fix' in signal) return last;
    last = await command(run, { ...signal, limits: run.settings.limits }, choice);
  }
  return last;
}

/** Until the time the vendor named, or longer and longer when it named none. */
function pauseMs(run: Run, attempt: number): number {
  const until = waitsUntil(run.state.snapshot);
  if (until === null) return Math.min(firstMs * 2 ** attempt, unknownMsMax);
  return Math.min(Math.max(Date.parse(until) - run.host.now(), 1_000), knownMsMax);
}
