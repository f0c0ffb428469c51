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
import { AgentUnavailable, isConversationId } from '../agents/agent.ts';
import type { Agent, DispatchRequest, Launch } from '../agents/agent.ts';
import type { Effect, Signal } from '../engine/transition.ts';
import { orElse } from '../disk/disk-error.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import { allowedEnv } from '../workspace/launcher.ts';
import type { Brief, DispatchContext, DispatchSummary } from '../workflows/workflow.ts';
import { agentFor, fallBack } from './agent-choice.ts';
import { eventsFile, eventSink, TurnListener } from './agent-turn.ts';
import { confinementOf, dispatchBox, tellDenied, watchSettings } from './confinement.ts';
import { dispatchMarker, endOrphans, markerOf } from './dispatch-marker.ts';
import { withGitTools } from './git-tools.ts';
import { faultSignal, processFault, settle, type DispatchFault, type Settlement } from './judge.ts';
import { redactionFor, withRedaction, type Redact } from './redaction.ts';
import { Reports } from './reports.ts';
import type { Run } from './run.ts';
import { exceeded, remaining } from './run-state.ts';
import { judgedTree } from './tree-changes.ts';

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
  const { role, step } = effect;
  const name = agentFor(run, role, choice.agent);
  const overspent = exceeded(run.state.spent, run.spendingLimits);
  if (overspent !== null) return moveOn(run, faultSignal({ fault: 'over_budget', problem: overspent }));

  const judges = run.workflow.roles[role]?.judges === true;
  const context: DispatchContext = {
    ...contextOf(run, effect, name, choice.hint),
    ...(judges && { judged: await judgedTree(run) }),
  };
  const brief = (await run.workflow.dispatching()).brief(context);
  if ('signal' in brief) {
    run.observe({ type: 'dispatch.skipped', step, why: brief.why });
    return moveOn(run, brief.signal);
  }
  let agent: Agent;
  try {
    const part = { script: choice.script ?? null, workflow: run.workflow.name, flags: run.state.snapshot.flags };
    agent = await run.host.agent(name, run.settings.agentOptions(name), part);
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    const fallback = fallBack(run, { role, agent: name, why: error.message }, choice.agent);
    return fallback.goesOn || moveOn(run, faultSignal({ fault: 'unavailable', problem: fallback.problem }));
  }
  const attempt = secondAttempt(run.state.history, { step, agent: agent.name, prompt: brief.prompt });
  return workThrough(run, { context, brief: { ...brief, ...attempt }, agent }, choice);
}

/** The dispatch is not even begun: nothing was spent. */
function moveOn(run: Run, signal: Signal): true {
  run.move(signal);
  return true;
}

interface Assignment {
  readonly context: DispatchContext;
  readonly brief: Brief & ReturnType<typeof secondAttempt>;
  readonly agent: Agent;
}

/** The context of a dispatch; its id names the run, so that its processes can be told from all others. */
export function contextOf(run: Run, effect: DispatchEffect, agent: string, hint?: string): DispatchContext {
  const { step, role, item } = effect;
  const { dispatches, reruns } = run.state.spent;
  const dispatch = `${run.workflow.name}.${run.id}#${dispatches + reruns + 1}`;
  return { ...run.view(), step, role, agent, dispatch, ...(item && { item }), ...(hint !== undefined && { hint }) };
}

async function workThrough(run: Run, assignment: Assignment, choice: DispatchChoice): Promise<boolean> {
  const { context, brief, agent } = assignment;
  const { dispatch: id, role, step, item, hint } = context;
  run.project();
  run.makeDurable();
  const treeBefore = await run.tree.snapshot();
  const model = run.settings.modelFor(agent.name, brief.complexity);
  const { level } = await confinementOf(run);
  const shown = { type: 'dispatch.started', id, role, step, agent: agent.name, model } as const;
  const started = run.append({
    ...shown,
    prompt: createHash('sha256').update(brief.prompt).digest('hex'),
    tree: treeBefore,
    digest: await run.digestOf(treeBefore),
    ...(item && { item }),
    ...(hint !== undefined && { hint }),
    sandbox: level,
  });
  const left = remaining(run.state.spent, run.spendingLimits);
  run.observe({ ...shown, item: item?.id ?? null, remaining: left });
  const { tools } = await run.workflow.dispatching();
  const reports = new Reports(tools, { ...context, at: started.at }, (report) => {
    run.append({ type: 'report.filed', dispatch: id, ...report });
    run.observe({ type: 'report.filed', id, tool: report.tool });
  });
  const played = await play(run, assignment, reports, { model, level });
  if (run.host.interrupted.aborted) return false;
  const fault = played.fault && withFallback(run, role, { agent: agent.name, fault: played.fault }, choice);
  if (fault === 'replaced') {
    // Abandoned and rolled back, so that the next agent begins where this one began.
    const why = played.fault?.problem ?? '';
    if (run.state.open) await (await import('./cut-off.ts')).closeFailed(run, run.state.open, why);
    return true;
  }
  await settle(run, { ...played, fault, reports, treeBefore, treeAfter: await run.tree.snapshot() });
  return true;
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

/** Starts the agent with its tools and listens until it has ended and no report can come any more. */
async function play(
  run: Run,
  assignment: Assignment,
  reports: Reports,
  { model, level }: { readonly model: string | null; readonly level: SandboxLevel },
): Promise<Pick<Settlement, 'ms' | 'turn' | 'fault'>> {
  const { context, brief, agent } = assignment;
  const { dispatch: id } = context;
  const folder = run.dispatchFolder(id);
  const at = (name: string): string => join(folder, name);
  run.disk.mkdir(folder);
  run.disk.writeFile(at('prompt.md'), brief.prompt);
  const server = await run.host.toolServer();
  const request = requestOf(run, assignment, { folder, model, boxed: level !== 'none' });
  const handler = request.access === 'read' ? withGitTools(reports, run.tree.commits) : reports;
  let redact: Redact = (value) => value;
  const access = server.open(withRedaction(handler, (value) => redact(value)));
  const listener = new TurnListener(run.host.interrupted, { now: () => run.host.now() });
  const { noteLastSign } = await import('./cut-off.ts');
  const noteSign = (): void => orElse(undefined, () => noteLastSign(run));
  run.host.interrupted.addEventListener('abort', noteSign, { once: true });
  const sink = eventSink(run, { id, listener, log: at(eventsFile) });
  const hear: typeof sink = (events) => sink(redact(events));
  try {
    const start = agent.launch({ ...request, tools: { url: server.url, token: access.token } });
    redact = redactionFor(start.env);
    const marker = markerOf(run.folder, id);
    const takeBack = level === 'none' ? null : watchSettings(run, folder, start.needs?.settings);
    const { stderrTail, ...rest } = await run.host.launch({
      box: dispatchBox(run, level, { start, access: request.access, folder, toolsUrl: server.url, ownFiles }),
      marker: `${dispatchMarker}=${marker}`,
      command: start.command,
      args: start.args,
      cwd: run.workspace,
      env: allowedEnv({ ...start.env, [dispatchMarker]: marker }),
      stdin: start.stdin,
      stdoutFile: at('stdout.log'),
      stderrFile: at('stderr.log'),
      ...run.settings.dispatch,
      signal: listener.signal,
      onLine: (line) => hear(start.output.line(line)),
      ...(start.output.errorLine && { onErrorLine: (line) => hear(start.output.errorLine?.(line) ?? []) }),
    });
    const ended = { ...rest, stderrTail: redact(stderrTail) };
    await endOrphans(run, id, run.settings.dispatch.killGraceMs);
    tellDenied(run, agent.name, ended);
    takeBack?.();
    const { exitCode, signal, stderrTail: stderr, ms } = ended;
    hear(start.output.end?.({ exitCode, signal, stderr }) ?? []);
    const fault = processFault(ended, listener.turn, { agent: agent.name, command: commandOf(start) });
    return { ms, turn: listener.turn, fault };
  } catch (error) {
    if (!(error instanceof AgentUnavailable)) throw error;
    return { ms: 0, turn: listener.turn, fault: { fault: 'unavailable', problem: error.message } };
  } finally {
    run.host.interrupted.removeEventListener('abort', noteSign);
    listener.close();
    await access.close();
  }
}

/** Files that Pawl writes in the folder of a dispatch while the agent works: not the agent's to replace. */
const ownFiles = ['prompt.md', 'stdout.log', 'stderr.log', eventsFile];

function requestOf(
  run: Run,
  { context: { dispatch: id, role, step }, brief: { prompt, resume } }: Assignment,
  rest: Pick<DispatchRequest, 'folder' | 'model'> & { readonly boxed: boolean },
): Omit<DispatchRequest, 'tools'> {
  const { workspace, workflow, state } = run;
  const access = workflow.writers.includes(role) ? 'write' : 'read';
  return { id, role, step, prompt, resume, workspace, access, earlier: state.history, ...rest };
}

const commandCharsMax = 120;

function commandOf(start: Launch): string {
  const line = [start.command, ...start.args].join(' ');
  return line.length > commandCharsMax ? `${line.slice(0, commandCharsMax)}…` : line;
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
