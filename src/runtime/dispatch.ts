/**
 * One dispatch: intent, process, outcome.
 *
 * D1. The intent is journalled before the process starts; outcome and transition are one record.
 *     What was written before is durable by then, and what the dispatch itself changed before its outcome is on record:
 *     after a power loss, too, the journal tells of nothing that is not there.
 * D2. While the process runs, Pawl writes nothing into the workspace.
 * D3. An interruption leaves the dispatch open; recovery closes it, the same way as after a crash.
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AgentUnavailable, type Agent, type Launch } from '../agents/agent.ts';
import { toneOf } from '../engine/machine.ts';
import type { Effect, Signal } from '../engine/transition.ts';
import { unknownUsage } from '../engine/usage.ts';
import { allowedEnv, type Ended } from '../workspace/launcher.ts';
import type { Brief, DispatchContext, Tools } from '../workflows/workflow.ts';
import { agentFor, loadAgent, putOutOfService } from './agent-choice.ts';
import { outOfBounds } from './bounds.ts';
import { dispatchMarker, markerOf } from './dispatch-marker.ts';
import { Listener, processFault, type FaultFound, type Heard, outageOf } from './judge.ts';
import { eventSink } from './event-sink.ts';
import { endOrphans } from './orphans.ts';
import { SelfExit } from './self-exit.ts';
import { Reports } from './reports.ts';
import type { Run } from './run.ts';
import { secondAttempt, type SecondAttempt } from './second-attempt.ts';
import { exceeded, remaining } from './spending.ts';
import { changedPaths, judgedTree } from './tree-changes.ts';

export type DispatchEffect = Extract<Effect, { type: 'dispatch' }>;

export interface DispatchChoice {
  /** Overrides the configured agent (`--agent`, `retry --agent`). */
  readonly agent?: string;
  /** What an agent plays that plays scripts. */
  readonly script?: string;
  readonly hint?: string;
}

/** Performs the dispatch and moves the run; false when it was interrupted and stays open. */
export async function performDispatch(run: Run, effect: DispatchEffect, choice: DispatchChoice): Promise<boolean> {
  const agentName = agentFor(run, effect.role, choice.agent);
  const overspent = exceeded(run.state.spent, run.spendingLimits);
  if (overspent !== null) return refuseDispatch(run, { fault: 'over_budget', problem: overspent });

  const judges = run.workflow.roles[effect.role]?.judges === true;
  const context: DispatchContext = {
    ...contextOf(run, effect, agentName, choice.hint),
    ...(judges && { judged: await judgedTree(run) }),
  };
  const dispatching = await run.workflow.dispatching();
  const brief = dispatching.brief(context);
  if ('signal' in brief) {
    run.observe({ type: 'dispatch.skipped', step: effect.step, why: brief.why });
    run.move(brief.signal);
    return true;
  }
  let agent: Agent;
  try {
    agent = await loadAgent(run, agentName, choice.script);
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    if (putOutOfService(run, { role: effect.role, agent: agentName, why: error.message }, choice.agent)) return true;
    return refuseDispatch(run, { fault: 'unavailable', problem: error.message });
  }
  const attempt = secondAttempt(run.state.history, { step: effect.step, agent: agent.name, prompt: brief.prompt });
  return workThrough(
    run,
    { effect, context, brief: { ...brief, ...attempt }, agent, tools: dispatching.tools },
    choice,
  );
}

interface Assignment {
  readonly effect: DispatchEffect;
  readonly context: DispatchContext;
  readonly brief: Brief & SecondAttempt;
  readonly agent: Agent;
  readonly tools: Tools;
}

/** The context of a dispatch; its id names the run, so that its processes can be told from all others. */
export function contextOf(run: Run, effect: DispatchEffect, agent: string, hint?: string): DispatchContext {
  const number = run.state.spent.dispatches + run.state.spent.reruns + 1;
  return {
    ...run.view(),
    step: effect.step,
    role: effect.role,
    agent,
    dispatch: `${run.workflow.name}.${run.id}#${number}`,
    ...(effect.item && { item: effect.item }),
    ...(hint !== undefined && { hint }),
  };
}

export function dispatchFolder(run: Run, dispatch: string): string {
  return join(run.folder, 'dispatches', dispatch.slice(dispatch.lastIndexOf('#') + 1));
}

async function workThrough(run: Run, assignment: Assignment, choice: DispatchChoice): Promise<boolean> {
  const { effect, context, brief, agent, tools } = assignment;
  run.project();
  run.makeDurable();
  const tree = await run.tree.snapshot();
  const digest = await run.digestOf(tree);
  const model = run.settings.modelFor(agent.name, brief.complexity);
  const started = run.append({
    type: 'dispatch.started',
    id: context.dispatch,
    role: effect.role,
    step: effect.step,
    agent: agent.name,
    model,
    prompt: createHash('sha256').update(brief.prompt).digest('hex'),
    tree,
    digest,
    ...(effect.item && { item: effect.item }),
    ...(context.hint !== undefined && { hint: context.hint }),
  });
  run.observe({
    type: 'dispatch.started',
    id: context.dispatch,
    role: effect.role,
    step: effect.step,
    item: effect.item?.id ?? null,
    agent: agent.name,
    model,
    remaining: remaining(run.state.spent, run.spendingLimits),
  });
  const reports = new Reports(tools, { ...context, at: started.at }, (report) => {
    run.append({ type: 'report.filed', dispatch: context.dispatch, ...report });
    run.observe({ type: 'report.filed', id: context.dispatch, tool: report.tool });
  });
  const played = await play(run, assignment, reports, model);
  if (run.host.interrupted.aborted) return false;
  const outage = outageOf(played.fault);
  if (outage !== null && putOutOfService(run, { role: effect.role, agent: agent.name, why: outage }, choice.agent)) {
    await handOver(run, outage);
    return true;
  }
  const after = await run.tree.snapshot();
  await settle(run, { ...played, reports, treeBefore: tree, treeAfter: after, digestBefore: digest });
  return true;
}

/** The dispatch is abandoned, and what it wrote taken back, so that the next agent begins where it began. */
async function handOver(run: Run, why: string): Promise<void> {
  if (run.state.open) await (await import('./cut-off.ts')).closeInterrupted(run, run.state.open, why);
}

interface Played {
  readonly ended: Ended;
  readonly heard: Heard;
  readonly fault: FaultFound | null;
}

/** Starts the agent with its tools and listens until it has ended and no report can come any more. */
async function play(
  run: Run,
  { context, brief, agent }: Assignment,
  reports: Reports,
  model: string | null,
): Promise<Played> {
  const folder = dispatchFolder(run, context.dispatch);
  run.disk.mkdir(folder);
  run.disk.writeFile(join(folder, 'prompt.md'), brief.prompt);
  const server = await run.host.toolServer();
  const access = server.open(reports);
  const listener = new Listener();
  const selfExit = new SelfExit(run.host.interrupted);
  const hear = eventSink(run, context.dispatch, { listener, selfExit, log: join(folder, 'events.jsonl') });
  try {
    const start = agent.launch({
      id: context.dispatch,
      role: context.role,
      step: context.step,
      prompt: brief.prompt,
      resume: brief.resume,
      workspace: run.workspace,
      folder,
      tools: { url: server.url, token: access.token },
      access: run.workflow.roles[context.role]?.writesTree ? 'write' : 'read',
      model,
      earlier: run.state.history,
    });
    const ended = await run.host.launch({
      command: start.command,
      args: start.args,
      cwd: run.workspace,
      env: allowedEnv({ ...start.env, [dispatchMarker]: markerOf(run.folder, context.dispatch) }),
      stdin: start.stdin,
      stdoutFile: join(folder, 'stdout.log'),
      stderrFile: join(folder, 'stderr.log'),
      ...run.settings.dispatch,
      signal: selfExit.signal,
      onLine: (line) => hear(start.output.line(line)),
      ...(start.output.errorLine && { onErrorLine: (line) => hear(start.output.errorLine?.(line) ?? []) }),
    });
    await endOrphans(run, context.dispatch, run.settings.dispatch.killGraceMs);
    const { exitCode, signal, stderrTail: stderr } = ended;
    hear(start.output.end?.({ exitCode, signal, stderr }) ?? []);
    const fault = processFault(ended, listener.heard, { agent: agent.name, command: commandOf(start) });
    return { ended, heard: listener.heard, fault };
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    return { ended: neverStarted, heard: listener.heard, fault: { fault: 'unavailable', problem: error.message } };
  } finally {
    selfExit.close();
    await access.close();
  }
}

export interface Settlement {
  readonly ended: Pick<Ended, 'ms'>;
  readonly heard: Heard;
  readonly fault: FaultFound | null;
  readonly reports: Reports;
  readonly treeBefore: string;
  readonly treeAfter: string;
  readonly digestBefore: string;
}

/** Turns what happened into one signal, and moves the run with it. */
export async function settle(run: Run, settlement: Settlement): Promise<void> {
  const { ended, heard, reports, treeBefore, treeAfter } = settlement;
  const { context } = reports;
  const changed = await changedPaths(run, treeBefore, treeAfter);
  run.sync(changed);
  const outcome = await outcomeOf(run, settlement, changed);
  const digest = await run.digestOf(treeAfter);
  const problem = 'problem' in outcome ? outcome.problem : undefined;
  const signal: Signal = 'fault' in outcome ? faultSignal(outcome) : outcome.signal;
  run.move(signal, {
    dispatch: {
      id: context.dispatch,
      ms: Math.round(ended.ms),
      usage: heard.usage,
      session: heard.session,
      model: heard.model,
      tree: treeAfter,
      digest,
      ...(problem !== undefined && { problem }),
    },
    ...('writes' in outcome && { writes: outcome.writes }),
  });
  run.observe({
    type: 'dispatch.ended',
    id: context.dispatch,
    role: context.role,
    step: context.step,
    signal: signal.name,
    tone: toneOf(run.workflow.machine, signal.name),
    ms: Math.round(ended.ms),
    usage: heard.usage,
    problem: problem ?? null,
  });
}

async function outcomeOf(run: Run, settlement: Settlement, changed: readonly string[]) {
  const { fault, reports, treeBefore, treeAfter } = settlement;
  if (fault) return fault;
  const { context } = reports;
  const problem = await outOfBounds(run, context.role, { treeBefore, treeAfter });
  if (problem !== null) return { fault: 'out_of_bounds', problem } as const;
  const { context: atEnd, filed, staged } = reports.restaged();
  const dispatching = await run.workflow.dispatching();
  const conclusion = dispatching.conclude({ ...atEnd, changed }, filed);
  if ('insufficient' in conclusion) {
    const refused = reports.lastRefusal === null ? '' : `; the last report was refused: ${reports.lastRefusal}`;
    return { fault: 'unparseable', problem: `${conclusion.insufficient}${refused}` } as const;
  }
  return { signal: conclusion.signal, writes: [...staged, ...conclusion.writes] };
}

/** The problem goes along, so that the rest state can say why the run stopped. */
function faultSignal({ fault, problem, until }: FaultFound): Signal {
  return { name: fault, problem: { code: fault, message: problem, ...(typeof until === 'string' && { until }) } };
}

/** The dispatch is not even begun: nothing was spent. */
function refuseDispatch(run: Run, found: FaultFound): true {
  run.move(faultSignal(found));
  return true;
}

const commandCharsMax = 120;

function commandOf(start: Launch): string {
  const line = [start.command, ...start.args].join(' ');
  return line.length > commandCharsMax ? `${line.slice(0, commandCharsMax)}…` : line;
}

const neverStarted: Ended = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: false,
  outputExceeded: false,
  spawnError: null,
  stdinError: null,
  ms: 0,
  stderrTail: '',
};

export const nothingHeard: Heard = { finished: null, usage: unknownUsage, session: null, model: null };
