/**
 * Whether a dispatch succeeded. Never decided by the exit code: agents exit 0 with denied tools and on SIGTERM.
 *
 * G1. Success = a clean terminal event, no signal sent by us, the report filed and sufficient, and for a
 *     read-only role an unchanged work tree.
 * G2. Everything else is exactly one fault, with a problem a person can read.
 */

import { toneOf, type Fault } from '../engine/machine.ts';
import type { Signal } from '../engine/transition.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import type { Turn } from './agent-turn.ts';
import { outOfBounds } from './bounds.ts';
import { failureOf } from './project-command.ts';
import type { Reports } from './reports.ts';
import type { Run } from './run.ts';
import { changedPaths } from './tree-changes.ts';

export interface FaultFound {
  readonly fault: Fault;
  readonly problem: string;
  /** For a rate limit: when it ends, if that is known. */
  readonly until?: string | null;
}

/** The fault of a process that did not end its turn properly; null when its report may be looked at. */
export function processFault(
  ended: ProcessEnd,
  turn: Turn,
  who: { agent: string; command: string },
): FaultFound | null {
  const told = (what: string) => `${who.agent} (${who.command}) ${what}${tail(ended)}`;
  // In its own words; how it was started adds nothing to them.
  const explained = (what: string) => `${who.agent}: ${what}`;
  const failure = failureOf(ended, `${Math.round(ended.ms / 100) / 10} s: no end in sight`) ?? 'exited with status 0';
  if (ended.spawnError) {
    const isMissing = ['ENOENT', 'EACCES'].includes(ended.spawnError.code ?? '');
    return { fault: isMissing ? 'unavailable' : 'failed', problem: told(failure) };
  }
  if (ended.timedOut) return { fault: 'timed_out', problem: told(failure) };
  if (ended.outputExceeded) return { fault: 'failed', problem: told(failure) };
  const error = turn.finished?.error;
  if (error?.kind === 'wait') {
    const { message, until } = error;
    return { fault: 'rate_limited', problem: explained(until === null ? message : `${message} until ${until}`), until };
  }
  if (error?.kind === 'stop') return { fault: 'unavailable', problem: explained(error.message) };
  if (error) return { fault: 'failed', problem: explained(error.message) };
  if (!turn.finished) return { fault: 'failed', problem: told(`${failure} before it finished its turn`) };
  return null;
}

function tail({ stdinError, stderrTail }: ProcessEnd): string {
  return (stdinError ? `; stdin: ${stdinError}` : '') + (stderrTail ? `; stderr: ${stderrTail}` : '');
}

/** Faults that another agent would not have; null for all others. */
export function outageOf(fault: FaultFound | null): string | null {
  return fault?.fault === 'rate_limited' || fault?.fault === 'unavailable' ? fault.problem : null;
}

export interface Settlement {
  readonly ms: number;
  readonly turn: Turn;
  readonly fault: FaultFound | null;
  readonly reports: Reports;
  readonly treeBefore: string;
  readonly treeAfter: string;
}

/** Turns what happened into one signal, and moves the run with it. */
export async function settle(run: Run, settlement: Settlement): Promise<void> {
  const { turn, reports, treeBefore, treeAfter: tree } = settlement;
  const { dispatch: id, role, step } = reports.context;
  const changed = await changedPaths(run, treeBefore, tree);
  run.sync(changed);
  const outcome = await outcomeOf(run, settlement, changed);
  const digest = await run.digestOf(tree);
  const problem = 'problem' in outcome ? outcome.problem : null;
  const signal = 'fault' in outcome ? faultSignal(outcome) : outcome.signal;
  const { usage, session, model } = turn;
  const ms = Math.round(settlement.ms);
  run.move(signal, {
    dispatch: { id, ms, usage, session, model, tree, digest, ...(problem !== null && { problem }) },
    ...('writes' in outcome && { writes: outcome.writes }),
  });
  const tone = toneOf(run.workflow.machine, signal.name);
  run.observe({ type: 'dispatch.ended', id, role, step, signal: signal.name, tone, ms, usage, problem });
}

async function outcomeOf(run: Run, { fault, reports, ...trees }: Settlement, changed: readonly string[]) {
  if (fault) return fault;
  const problem = await outOfBounds(run, reports.context.role, trees);
  if (problem !== null) return { fault: 'out_of_bounds', problem } as const;
  const { context, filed, staged } = reports.restaged();
  const conclusion = (await run.workflow.dispatching()).conclude({ ...context, changed }, filed);
  if ('insufficient' in conclusion) {
    const refused = reports.lastRefusal === null ? '' : `; the last report was refused: ${reports.lastRefusal}`;
    return { fault: 'unparseable', problem: `${conclusion.insufficient}${refused}` } as const;
  }
  return { signal: conclusion.signal, writes: [...staged, ...conclusion.writes] };
}

/** The problem goes along, so that the rest state can say why the run stopped. */
export function faultSignal({ fault, problem, until }: FaultFound): Signal {
  return { name: fault, problem: { code: fault, message: problem, ...(typeof until === 'string' && { until }) } };
}
