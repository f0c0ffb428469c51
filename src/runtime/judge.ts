/**
 * Whether a dispatch succeeded. Never decided by the exit code: agents exit 0 with denied tools and on SIGTERM.
 *
 * G1. Success = a clean terminal event, no signal sent by us, the report filed and sufficient, and for a
 *     read-only role an unchanged work tree.
 * G2. Everything else is exactly one fault, with a problem a person can read.
 * B1. A role that writes nothing must leave the work tree as it is; one that writes may change what its globs name.
 * B2. What an attempt wrote out of bounds, whatever it ended with, stays out of bounds in the attempts that follow it,
 *     until it is put back or a person has looked at it and commanded to go on.
 * B3. The configuration says who judges and what may be spent: no role may write it, whatever its globs say.
 */

import { isFault, toneOf, type Fault } from '../engine/machine.ts';
import type { Signal } from '../engine/transition.ts';
import type { JournalRecord } from '../store/record.ts';
import { pathMatcher } from '../workspace/globs.ts';
import type { ProcessEnd } from '../workspace/launcher.ts';
import type { Turn } from './agent-turn.ts';
import { failureOf } from './project-command.ts';
import type { Reports } from './reports.ts';
import type { Run } from './run.ts';
import { changedPaths } from './tree-changes.ts';

export interface DispatchFault {
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
  readonly reports: Reports;
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
  const { session, model } = turn;
  const { agent = '', model: asked = null } = run.state.open?.started ?? {};
  const usage = run.settings.priced(agent, model ?? asked, turn.usage);
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
  const exceptFolders = run.unjudged;
  const diff = changed.length > 0 && (await run.tree.diff(trees.treeBefore, trees.treeAfter, { exceptFolders }));
  const dispatching = await run.workflow.dispatching();
  const conclusion = dispatching.conclude({ ...context, changed, ...(diff && { diff }) }, filed);
  if ('insufficient' in conclusion) {
    const refused = reports.refusals.map((why) => `refused: ${why}`);
    return { fault: 'unparseable', problem: [conclusion.insufficient, ...refused].join('\n') } as const;
  }
  return { signal: conclusion.signal, writes: [...staged, ...conclusion.writes] };
}

/** The problem goes along, so that the rest state can say why the run stopped. */
export function faultSignal({ fault, problem, until }: DispatchFault): Signal {
  return { name: fault, problem: { code: fault, message: problem, ...(typeof until === 'string' && { until }) } };
}

interface Trees {
  readonly treeBefore: string;
  readonly treeAfter: string;
}

/** What was written that the role may not write, in words; null when there is nothing. */
export async function outOfBounds(run: Run, name: string, trees: Trees): Promise<string | null> {
  const role = run.workflow.roles[name];
  const named = role?.mayWrite ? pathMatcher(role.mayWrite) : () => role?.writesTree === true;
  const mayWrite = (path: string): boolean => named(path) && !run.workflow.configPaths.includes(path);
  const isBounded = role?.writesTree || role?.mayWrite !== undefined;
  const changed = isBounded ? await changesOfAttempts(run, trees) : await changes(run, trees);
  const foreign = changed.filter((path) => !mayWrite(path));
  if (foreign.length === 0) return null;
  return role?.writesTree
    ? `the ${name} may not write ${listed(foreign)}: restore it; its report does not count`
    : `files changed while the ${name}, which may change none, was judging them (${listed(foreign)}); its report does not count`;
}

function changes(run: Run, { treeBefore, treeAfter }: Trees): Promise<readonly string[]> {
  return changedPaths(run, treeBefore, treeAfter);
}

/**
 * B2. What the attempts in a row changed, as far as it is still changed; what people changed between them is theirs.
 * Between them Pawl writes its state file and nothing else, so of that only the last attempt counts.
 */
async function changesOfAttempts(run: Run, trees: Trees): Promise<readonly string[]> {
  const last = await changes(run, trees);
  const earlier = earlierAttempts(run.records);
  const [first] = earlier;
  if (!first) return last;
  const written = new Set([...(await Promise.all(earlier.map((each) => changes(run, each)))).flat(), ...last]);
  const stateFile = run.stateFile.path(run.view());
  const changed = await changes(run, { ...trees, treeBefore: first.treeBefore });
  const ours = last.filter((path) => path === stateFile);
  return [...ours, ...changed.filter((path) => written.has(path) && path !== stateFile)];
}

/** B2. The attempts before the present one that came to nothing, in a row and without a person's command, the oldest first. */
export function earlierAttempts(records: readonly JournalRecord[]): readonly Trees[] {
  const attempts: Trees[] = [];
  const ends = new Map<string, string>();
  for (const record of records.toReversed()) {
    if (record.type === 'state.edited') break;
    if (record.type === 'moved') {
      if (!isFault(record.signal) || record.change.state !== undefined) break;
      if (record.dispatch) ends.set(record.dispatch.id, record.dispatch.tree);
    }
    if (record.type !== 'dispatch.started') continue;
    const treeAfter = ends.get(record.id);
    if (treeAfter !== undefined) attempts.unshift({ treeBefore: record.tree, treeAfter });
  }
  return attempts;
}

const listedMax = 5;

function listed(paths: readonly string[]): string {
  const more = paths.length > listedMax ? `, and ${paths.length - listedMax} more` : '';
  return `${paths.slice(0, listedMax).join(', ')}${more}`;
}
