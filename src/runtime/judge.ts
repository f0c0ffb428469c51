/**
 * Whether a dispatch succeeded. Never decided by the exit code: agents exit 0 with denied tools and on SIGTERM.
 *
 * G1. Success = a clean terminal event, no signal sent by us, the report filed and sufficient, and nothing changed that
 *     the role may not change (see bounds.ts).
 * G2. Everything else is exactly one fault, with a problem a person can read.
 */

import { toneOf, type Fault } from '../engine/machine.ts';
import type { Signal } from '../engine/transition.ts';
import type { DispatchEnd } from '../store/record.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import type { Advice } from './advisor.ts';
import { spentIn, type Turn } from './agent-turn.ts';
import { keepWithinBounds, type Bounded, type Trees } from './bounds.ts';
import { failureOf } from './project-command.ts';
import type { Reports } from './reports.ts';
import type { Run } from './run.ts';

export interface DispatchFault {
  readonly fault: Fault;
  readonly problem: string;
  /** For a rate limit: when it ends, if that is known. */
  readonly until?: string | null;
  /** The command that leads on, where one is known. */
  readonly fix?: string;
}

/** The fault of a process that did not end its turn properly; null when its report may be looked at. */
export function processFault(
  ended: ProcessEnd,
  turn: Turn,
  who: { agent: string; command: string },
): DispatchFault | null {
  const told = (what: string) => `${who.agent} (${who.command}) ${what}${tail(ended)}`;
  // In its own words; how it was started adds nothing to them.
  const explained = (what: string) => `${who.agent}: ${what}`;
  const failure = failureOf(ended, `${Math.round(ended.ms / 100) / 10} s`) ?? 'exited with status 0';
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

export interface Settlement extends Trees {
  readonly ms: number;
  readonly turn: Turn;
  readonly fault: DispatchFault | null;
  /** What was out of bounds in the git directory, in words. */
  readonly inGit: string | null;
  readonly ignored?: DispatchEnd['ignored'];
  readonly reports: Reports;
  /** Where the state has an advisor. */
  readonly advice?: Advice | null;
}

/** Turns what happened into one signal, and moves the run with it. */
export async function settle(run: Run, settlement: Settlement): Promise<void> {
  const { turn, advice } = settlement;
  if (!run.state.open) throw new Error('internal error: no dispatch is open');
  const { started } = run.state.open;
  const { id, role, step, agent, model: asked } = started;
  const bounded = await keepWithinBounds(run, started, settlement);
  const { treeAfter: tree, changed } = bounded;
  run.sync(changed);
  const outcome = await outcomeOf(run, settlement, bounded);
  const digest = await run.digestOf(tree);
  const problem = 'problem' in outcome ? outcome.problem : null;
  const signal = outcome.fault === undefined ? outcome.signal : faultSignal(outcome);
  const { session, model } = turn;
  const { usage } = spentIn(run, agent, asked, turn);
  const ms = Math.round(settlement.ms);
  const { ignored } = settlement;
  const told = {
    ...(ignored && { ignored }),
    ...(problem !== null && { problem }),
    ...(advice && { beside: advice.end }),
  };
  run.move(signal, {
    dispatch: { id, ms, usage, session, model, tree, digest, ...told },
    ...('writes' in outcome && { writes: outcome.writes }),
  });
  // A3.
  if (advice && advice.end.problem !== null && problem === null)
    run.tell('warning', `${step} continues without the advice of the ${advice.end.role}: ${advice.end.problem}`);
  const tone = toneOf(run.workflow.machine, signal.name);
  // A report that was read and refused is not called unparseable to a person.
  const shown = 'refused' in outcome && outcome.refused ? 'refused' : signal.name;
  run.observe({ type: 'dispatch.ended', id, role, step, signal: shown, tone, ms, usage, problem });
}

async function outcomeOf(run: Run, { fault, inGit, reports, advice, treeBefore }: Settlement, bounded: Bounded) {
  const { changed, treeAfter } = bounded;
  if (fault) return fault;
  const problem = bounded.problem ?? (inGit === null ? null : `${inGit}; its report does not count`);
  if (problem !== null) return { fault: 'out_of_bounds', problem } as const;
  if (reports.contradiction !== null) return { fault: 'unparseable', problem: reports.contradiction } as const;
  const { context, filed, staged } = reports.restaged();
  const exceptFolders = run.unjudged;
  const diff = changed.length > 0 && (await run.tree.diff(treeBefore, treeAfter, { exceptFolders }));
  const dispatching = await run.workflow.dispatching();
  const advised = advice?.reports?.restaged();
  const more = { ...(diff && { diff }), ...(advice && { advice: advised?.filed ?? [] }) };
  const conclusion = dispatching.conclude({ ...context, changed, ...more }, filed);
  if ('insufficient' in conclusion) {
    const refused = reports.refusals.map((why) => `refused: ${why}`);
    const problem = [conclusion.insufficient, ...refused].join('\n');
    return { fault: 'unparseable', problem, refused: refused.length > 0 } as const;
  }
  return { signal: conclusion.signal, writes: [...(advised?.staged ?? []), ...staged, ...conclusion.writes] };
}

/** The problem goes along, so that the rest state can say why the run stopped. */
export function faultSignal({ fault, problem, until, fix }: DispatchFault): Signal {
  const more = { ...(typeof until === 'string' && { until }), ...(fix !== undefined && { fix }) };
  return { name: fault, problem: { code: fault, message: problem, ...more } };
}
