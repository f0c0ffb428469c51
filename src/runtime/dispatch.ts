/**
 * One dispatch: intent, process, outcome.
 *
 * D1. The intent is journalled before the process starts; outcome and transition are one record.
 *     What was written before is durable by then, and what the dispatch itself changed before its outcome is on record:
 *     after a power loss, too, the journal tells of nothing that is not there.
 * D2. While the process runs, Pawl writes nothing into the workspace.
 * D3. An interruption leaves the dispatch open; recovery closes it, the same way as after a crash.
 */

import { AgentUnavailable, isConversationId, type Agent } from '../agents/agent.ts';
import type { DispatchEffect, Signal } from '../engine/transition.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import type { DispatchContext, DispatchSummary } from '../workflows/workflow.ts';
import { advise, advisorBeside, type Advice } from './advisor.ts';
import { agentFor, agentNamed, fallBack } from './agent-choice.ts';
import { programOnRecord } from './agent-program.ts';
import { modelOf, play, promptDigest, reportsOf, type Assignment } from './agent-process.ts';
import { boundsOnRecord } from './bounds.ts';
import { confinementOf } from './confinement.ts';
import { contextOf } from './dispatch-context.ts';
import { briefOf } from './house-rules.ts';
import { gitBefore, keepGitWithinBounds } from './git-bounds.ts';
import { mainFilesBefore, restoreMainFiles } from './main-files.ts';
import { nestedRepositories, removeNested } from './nested-repositories.ts';
import { ignoredChanges, snapshotAround } from './ignored-changes.ts';
import { faultSignal, settle, type DispatchFault } from './judge.ts';
import type { Reports } from './reports.ts';
import type { Run } from './run.ts';
import { exceeded, remaining } from './run-budgets.ts';
import type { OpenDispatch } from './run-state.ts';
import { judgedBy } from './tree-changes.ts';

export interface DispatchChoice {
  /** Overrides the configured agents (`--agent`), and models (`--model`): see role-choice.ts. */
  readonly agent?: string;
  readonly model?: string;
  /** What an agent plays that plays scripts. */
  readonly script?: string;
  readonly hint?: string;
}

/** Performs the dispatch and moves the run; false when it was interrupted and stays open. */
export async function performDispatch(run: Run, effect: DispatchEffect, choice: DispatchChoice): Promise<boolean> {
  const { role, beside, step } = effect;
  const name = agentFor(run, role, choice.agent);
  const overspent = exceeded(run.state.spent, run.spendingLimits);
  if (overspent !== null) {
    const { message: problem, raise } = overspent;
    return moveOn(run, faultSignal({ fault: 'over_budget', problem, fix: `pawl resume ${run.id} --budget ${raise}` }));
  }

  const judged = await judgedBy(run, [role, beside ?? []].flat());
  const context: DispatchContext = { ...contextOf(run, effect, name, choice.hint), ...judged };
  const brief = await briefOf(run, context);
  if ('signal' in brief) {
    run.observe({ type: 'dispatch.skipped', step, why: brief.why });
    return moveOn(run, brief.signal);
  }
  let agent: Agent;
  try {
    agent = await agentNamed(run, name, choice);
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    const fallback = fallBack(run, { role, agent: name, why: error.message }, choice.agent);
    return fallback.goesOn || moveOn(run, faultSignal({ fault: 'unavailable', problem: fallback.problem }));
  }
  const attempt = secondAttempt(run.state.history, { step, agent: agent.name, prompt: brief.prompt });
  const advisor = beside === undefined ? null : await advisorBeside(run, context, beside, choice);
  return workThrough(run, { main: { context, brief: { ...brief, ...attempt }, agent }, advisor }, choice);
}

/** The dispatch is not even begun: nothing was spent. */
function moveOn(run: Run, signal: Signal): true {
  run.move(signal);
  return true;
}

interface Crew {
  readonly main: Assignment;
  readonly advisor: Awaited<ReturnType<typeof advisorBeside>>;
}

async function workThrough(run: Run, crew: Crew, choice: DispatchChoice): Promise<boolean> {
  const { context, agent } = crew.main;
  run.project();
  run.makeDurable();
  const { level } = await confinementOf(run);
  const around = { role: context.role, sandbox: level };
  // Both only look.
  const [{ tree: treeBefore, ignored }, git] = await Promise.all([snapshotAround(run, around), gitBefore(run, level)]);
  const nested = nestedRepositories(run);
  const inMain = mainFilesBefore(run, level);
  const started = await begin(run, crew, { treeBefore, level, git, model: choice.model });
  const reports = await reportsOf(run, { ...context, at: started.at });
  const { played, advice } = await playBoth(run, crew, reports, started);
  if (run.host.interrupted.aborted) return false;
  const fault = played.fault && withFallback(run, context.role, { agent: agent.name, fault: played.fault }, choice);
  if (fault === 'replaced') {
    // Abandoned and rolled back, so that the next agent begins where this one began.
    const why = played.fault?.problem ?? '';
    if (run.state.open) await (await import('./cut-off.ts')).closeFailed(run, run.state.open, why);
    return true;
  }
  const after = await snapshotAround(run, around);
  const { role, dispatch: id } = context;
  const writes = run.workflow.writers.includes(role);
  const folder = run.dispatchFolder(id);
  const made = removeNested(run, nested, { role, folder }) ?? restoreMainFiles(run, inMain, { role, folder });
  const inGit = (await keepGitWithinBounds(run, started.git, { name: role, writes, folder })) ?? made;
  const beside = ignoredChanges(run, role, ignored, after.ignored);
  await settle(run, { ...played, fault, inGit, ignored: beside, reports, advice, treeBefore, treeAfter: after.tree });
  return true;
}

type Started = OpenDispatch['started'];

interface Conditions {
  readonly treeBefore: string;
  readonly level: SandboxLevel;
  readonly git: Awaited<ReturnType<typeof gitBefore>>;
  /** As the person chose it. */
  readonly model: string | undefined;
}

/** D1. */
async function begin(run: Run, { main, advisor }: Crew, conditions: Conditions): Promise<Started> {
  const { treeBefore, level, git, model } = conditions;
  const { context, brief, agent } = main;
  const { dispatch: id, role, step, item, hint } = context;
  const beside = advisor && 'agent' in advisor ? onRecord(run, advisor, model) : undefined;
  const shown = { id, role, step, agent: agent.name, model: modelOf(run, main, model), ...(beside && { beside }) };
  const entry = {
    type: 'dispatch.started',
    ...shown,
    prompt: promptDigest(brief),
    tree: treeBefore,
    digest: await run.digestOf(treeBefore),
    ...programOnRecord(run, agent.name),
    ...(item && { item }),
    ...(hint !== undefined && { hint }),
    ...boundsOnRecord(run, context),
    sandbox: level,
    ...(git !== undefined && { git }),
  } as const;
  const { seq, epoch, at } = run.append(entry);
  const left = remaining(run.state.spent, run.spendingLimits);
  run.observe({ type: 'dispatch.started', ...shown, item: item?.id ?? null, remaining: left });
  return { ...entry, seq, epoch, at };
}

function onRecord(run: Run, advisor: Assignment, model: string | undefined): NonNullable<Started['beside']> {
  const { context, brief, agent } = advisor;
  const { dispatch: id, role } = context;
  const shown = { id, role, agent: agent.name, model: modelOf(run, advisor, model) };
  return { ...shown, prompt: promptDigest(brief), ...programOnRecord(run, agent.name) };
}

/** A4: the advisor is ended where the dispatch has failed. */
async function playBoth(run: Run, { main, advisor }: Crew, reports: Reports, { at, model, beside, sandbox }: Started) {
  const over = new AbortController();
  const { interrupted } = run.host;
  const level = sandbox ?? 'none';
  const playMain = async () => {
    try {
      const played = await play(run, main, reports, { model, level, until: interrupted });
      if (played.fault) over.abort();
      return played;
    } catch (error) {
      over.abort();
      throw error;
    }
  };
  const playAdvisor = async (): Promise<Advice | null> => {
    if (!advisor || 'end' in advisor) return advisor;
    const until = AbortSignal.any([interrupted, over.signal]);
    return advise(run, advisor, { at, model: beside?.model ?? null, level, until });
  };
  const [played, advice] = await Promise.allSettled([playMain(), playAdvisor()]);
  if (played.status === 'rejected') throw played.reason;
  if (advice.status === 'rejected') throw advice.reason;
  return { played: played.value, advice: advice.value };
}

/** The fault as it stays where nobody replaces the agent. */
function withFallback(
  run: Run,
  role: string,
  { agent, fault }: { readonly agent: string; readonly fault: DispatchFault },
  choice: DispatchChoice,
): DispatchFault | 'replaced' {
  if (fault.fault !== 'rate_limited' && fault.fault !== 'unavailable') return fault;
  const fallback = fallBack(run, { role, agent, why: fault.problem }, choice.agent);
  return fallback.goesOn ? 'replaced' : { ...fault, problem: fallback.problem };
}

/** Mistakes an agent can learn from; crashes and limits teach it nothing. */
const mistakes = ['unparseable', 'out_of_bounds'];

/** After a mistake the agent is told of it, in the same conversation where there was one (`resume`). */
export function secondAttempt(
  history: readonly DispatchSummary[],
  { step, agent, prompt }: { readonly step: string; readonly agent: string; readonly prompt: string },
): { readonly prompt: string; readonly resume: string | null } {
  const last = history.at(-1);
  if (!last || last.step !== step || last.problem === null || !mistakes.includes(last.signal))
    return { prompt, resume: null };
  const heading = '## Your last attempt did not count';
  const told = [heading, last.problem, 'Do better this time. The task again:', prompt];
  return {
    prompt: told.join('\n\n'),
    resume: last.agent === agent && isConversationId(last.session) ? last.session : null,
  };
}
