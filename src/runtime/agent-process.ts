/** One agent at work: its process, its tools, and what it says. */

import { createHash } from 'node:crypto';
import { basename, isAbsolute, join } from 'node:path';
import { AgentUnavailable, type Agent, type DispatchRequest, type Launch } from '../agents/agent.ts';
import { chosenFor } from '../agents/role-choice.ts';
import { orElse } from '../disk/disk-error.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import { allowedEnv } from '../workspace/launcher.ts';
import type { Brief, DispatchContext, DispatchSummary } from '../workflows/workflow.ts';
import { eventsFile, eventSink, TurnListener } from './agent-turn.ts';
import { dispatchBox, tellDenied, watchSettings } from './confinement.ts';
import { dispatchMarker, endOrphans, markerOf } from './dispatch-marker.ts';
import { withGitTools } from './git-tools.ts';
import { processFault, type Settlement } from './judge.ts';
import { redactionFor, withRedaction, type Redact } from './redaction.ts';
import { Reports } from './reports.ts';
import type { Run } from './run.ts';

/** Who works on what. */
export interface Assignment {
  readonly context: DispatchContext;
  readonly brief: Brief & { readonly resume: string | null };
  readonly agent: Agent;
}

export interface Conditions {
  readonly model: string | null;
  readonly level: SandboxLevel;
  /** Aborts when the agent is to be killed: with the run, at the latest. */
  readonly until: AbortSignal;
}

export type Played = Pick<Settlement, 'ms' | 'turn' | 'fault'>;

/** `override` is the person's word for this command: see role-choice.ts. */
export function modelOf(
  run: Run,
  { agent, brief, context }: Pick<Assignment, 'agent' | 'brief' | 'context'>,
  override: string | undefined,
): string | null {
  return chosenFor(override, context.role) ?? run.settings.modelFor(agent.name, brief.complexity);
}

/** What the record of a dispatch says about the prompt of either. */
export function promptDigest({ prompt }: Brief): string {
  return createHash('sha256').update(prompt).digest('hex');
}

/** Reports that are put on record as they are filed. */
export async function reportsOf(run: Run, context: DispatchContext): Promise<Reports> {
  const { tools } = await run.workflow.dispatching();
  const { dispatch } = context;
  return new Reports(tools, context, (report) => {
    run.append({ type: 'report.filed', dispatch, ...report });
    run.observe({ type: 'report.filed', id: dispatch, tool: report.tool });
  });
}

/** Starts the agent with its tools and listens until it has ended and no report can come any more. */
export async function play(
  run: Run,
  assignment: Assignment,
  reports: Reports,
  { model, level, until }: Conditions,
): Promise<Played> {
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
  const listener = new TurnListener(until, { now: () => run.host.now() });
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
    const fault = processFault(ended, listener.turn, { agent: agent.name, command: redact(shortCommand(start)) });
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

const shortCommandCharsMax = 48;

/** How an agent was started, for people: vendors' command lines are long, and hold whole prompts. */
function shortCommand({ command, args }: Launch): string {
  let short = basename(command);
  for (const arg of args) {
    const word = isAbsolute(arg) ? basename(arg) : arg;
    if (short.length + word.length >= shortCommandCharsMax) return `${short} …`;
    short += ` ${word}`;
  }
  return short;
}

/** Files that Pawl writes in the folder of a dispatch while the agent works: not the agent's to replace. */
const ownFiles = ['prompt.md', 'stdout.log', 'stderr.log', eventsFile];

function requestOf(
  run: Run,
  { context: { dispatch: id, role, step }, brief: { prompt, resume, commands } }: Assignment,
  rest: Pick<DispatchRequest, 'folder' | 'model'> & { readonly boxed: boolean },
): Omit<DispatchRequest, 'tools'> {
  const { workspace, workflow, state } = run;
  const access = workflow.writers.includes(role) ? 'write' : 'read';
  const earlier = state.history.flatMap(callsOf);
  return { id, role, step, prompt, resume, workspace, access, earlier, ...(commands && { commands }), ...rest };
}

/** A dispatch, and the part of its advisor. */
function callsOf({ role, step, beside }: DispatchSummary): DispatchRequest['earlier'] {
  return beside?.call
    ? [
        { role, step },
        { role: beside.role, step },
      ]
    : [{ role, step }];
}
