/**
 * The advisor of a dispatch: a role that only reads, at work beside the one whose report counts.
 *
 * A1. It is part of the dispatch: one record begins both and one ends both; after a crash both are ended and repeated,
 *     or, where both had filed their closing reports, taken as complete.
 * A2. It is an agent call of its own, with a number, a folder, a token and processes of its own: neither agent reaches
 *     what Pawl writes for the other.
 * A3. Whatever goes wrong with it is noted and told, and stops nothing.
 * A4. Nobody waits for it where the dispatch has failed anyway.
 */

import { AgentUnavailable } from '../agents/agent.ts';
import type { AdvisorEnd } from '../store/record.ts';
import type { Brief, DispatchContext, Dispatching } from '../workflows/workflow.ts';
import { agentFor, agentNamed, fallBack } from './agent-choice.ts';
import { play, reportsOf, type Assignment, type Conditions } from './agent-process.ts';
import { spentIn, type Turn } from './agent-turn.ts';
import { advisorContextFrom, callId } from './dispatch-context.ts';
import { briefOf } from './house-rules.ts';
import { Reports } from './reports.ts';
import type { OpenDispatch } from './run-state.ts';
import { remaining } from './run-budgets.ts';
import type { Run } from './run.ts';

/** What became of the advisor, and its reports where they count. */
export interface Advice {
  readonly end: AdvisorEnd;
  readonly reports: Reports | null;
}

/** The advisor's assignment, or why there is none; null where the workflow wants no advice this time. */
export async function advisorBeside(
  run: Run,
  beside: DispatchContext,
  role: string,
  choice: { readonly agent?: string; readonly script?: string },
): Promise<Assignment | Advice | null> {
  for (;;) {
    const name = agentFor(run, role, choice.agent);
    const context = { ...beside, role, agent: name, dispatch: callId(run, 2) };
    const brief = await briefOf(run, context);
    if ('signal' in brief) return null;
    if (remaining(run.state.spent, run.spendingLimits).dispatches < 2) return without(role, 'no agent call is left');
    try {
      return { context, brief: { ...brief, resume: null }, agent: await agentNamed(run, name, choice) };
    } catch (error) {
      if (!(error instanceof AgentUnavailable)) throw error;
      const fallback = fallBack(run, { role, agent: name, why: error.message }, choice.agent);
      if (!fallback.goesOn) return without(role, fallback.problem);
    }
  }
}

function without(role: string, problem: string): Advice {
  return { end: { role, call: null, problem }, reports: null };
}

/** Plays the advisor's part (A2, A3). */
export async function advise(
  run: Run,
  assignment: Assignment,
  { at, ...conditions }: Conditions & { readonly at: string },
): Promise<Advice> {
  const { context, brief, agent } = assignment;
  const { dispatch: id, role } = context;
  const reports = await reportsOf(run, { ...context, at });
  const { ms, turn, fault } = await play(run, assignment, reports, conditions);
  // Whoever is out of quota, or missing, is not asked again while another can be.
  if (fault?.fault === 'rate_limited' || fault?.fault === 'unavailable') run.unavailable.add(agent.name);
  const problem = fault ? fault.problem : problemIn(reports, brief);
  const call = { id, agent: agent.name, ms: Math.round(ms), ...spentIn(run, agent.name, conditions.model, turn) };
  return { end: { role, call, problem }, reports: problem === null ? reports : null };
}

function problemIn(reports: Reports, { closedBy }: Brief): string | null {
  if (reports.contradiction !== null) return reports.contradiction;
  if (reports.filed.some(({ tool }) => closedBy === undefined || tool === closedBy)) return null;
  return ['it ended without its report', ...reports.refusals.map((why) => `refused: ${why}`)].join('\n');
}

/** A1: the advice of a dispatch that was cut off; null where it is not complete. */
export function adviceOnRecord(
  run: Run,
  { started, advice }: OpenDispatch,
  dispatching: Dispatching,
  { ms, turn }: { readonly ms: number; readonly turn: Turn },
): Advice | null {
  const { beside } = started;
  if (!beside) return null;
  const { id, role, agent, model } = beside;
  const context = advisorContextFrom(run, started, beside);
  const brief = dispatching.brief(context);
  if ('signal' in brief || !advice.some(({ tool }) => tool === brief.closedBy)) return null;
  const reports = Reports.restage(dispatching.tools, context, advice);
  const problem = reports.contradiction;
  const call = { id, agent, ms, ...spentIn(run, agent, model, turn) };
  return { end: { role, call, problem }, reports: problem === null ? reports : null };
}
