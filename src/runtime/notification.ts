/**
 * Tells a person who is elsewhere that a run asks or has stopped: a bell, a command, a webhook.
 *
 * N1. What becomes of it never changes the run.
 * N2. It says what Pawl itself knows, in Pawl's own words: nothing that an agent wrote.
 * N3. The desktop of the user is reached by programs of the computer only: an agent may have written one of the
 *     repository. Such a program gets no desktop, and the others see nothing of the repository.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Outcome } from '../engine/machine.ts';
import type { NotifyEvent } from '../workflows/workflow.ts';
import { mainWorkTree, ownVariables } from '../workspace/git.ts';
import { allowedEnv } from '../workspace/launcher.ts';
import { commandBox, confinementOf, tellDenied } from './confinement.ts';
import { exitCodes } from './exit-codes.ts';
import { failureOf, markedFor } from './project-command.ts';
import type { Run } from './run.ts';

/** Its keys are a promise to those who read it. */
export interface Notification {
  readonly event: NotifyEvent;
  readonly workflow: string;
  readonly run: string;
  readonly state: string;
  readonly message: string;
  /** The command to go on with. */
  readonly next: string | null;
  /** The id of the decision that is asked. */
  readonly decision: string | null;
  /** Null while the run is still at work: it asks at a terminal. */
  readonly exitCode: number | null;
  readonly costUsd: number;
  readonly cwd: string;
}

interface Occasion {
  readonly outcome: Outcome;
  readonly decision: string | null;
  /** The command goes on: somebody is asked at its terminal. */
  readonly asking?: true;
}

const events: Readonly<Record<Outcome, NotifyEvent | null>> = {
  done: 'done',
  failed: 'failure',
  unavailable: 'failure',
  not_ready: 'failure',
  needs_person: 'decision',
  over_budget: 'budget',
  temporary: 'rate_limit',
  // Whoever stopped it knows.
  interrupted: null,
};

/** N1. */
export async function notify(run: Run, occasion: Occasion): Promise<void> {
  const event = events[occasion.outcome];
  const { on, bell, command, webhook } = run.settings.notify;
  if (event === null || !on.includes(event)) return;
  if (bell) run.observe({ type: 'attention', bell });
  const notification = notificationOf(run, event, occasion);
  const tell = async (by: 'command' | 'webhook', work: Promise<string | null>): Promise<void> => {
    const problem = await work.catch((error: unknown) => (error instanceof Error ? error.message : String(error)));
    // A question on the screen is disturbed only by what went wrong.
    if (problem !== null || !occasion.asking) run.observe({ type: 'notified', by, problem });
  };
  await Promise.all([
    ...(command === null ? [] : [tell('command', runCommand(run, command, notification))]),
    ...(webhook === null ? [] : [tell('webhook', post(webhook, notification))]),
  ]);
}

/** N2. */
function notificationOf(run: Run, event: NotifyEvent, { outcome, decision, asking }: Occasion): Notification {
  const { id, workflow, workspace: cwd } = run;
  const { snapshot, spent } = run.state;
  const stops: Readonly<Record<NotifyEvent, string>> = {
    decision: decision === null ? 'needs a person' : `waits for an answer: ${decision}`,
    failure: `has failed${snapshot.problem === null ? '' : `: ${snapshot.problem.code.replaceAll('_', ' ')}`}`,
    budget: 'has spent its budget',
    rate_limit: 'is rate-limited',
    done: `is done: ${run.phase ?? snapshot.state}`,
  };
  return {
    event,
    workflow: workflow.name,
    run: id,
    state: snapshot.state,
    message: `${id} ${stops[event]}`,
    next:
      decision === null
        ? workflow.summarize(run.view(), { outcome, refusal: null }).next
        : `pawl answer ${id} ${decision} <answer>`,
    decision,
    exitCode: asking ? null : exitCodes[outcome],
    costUsd: spent.costUsd,
    cwd,
  };
}

const limits = { timeoutMs: 10_000, killGraceMs: 1_000, outputBytesMax: 1024 * 1024 };
const desktop = ['DISPLAY', 'WAYLAND_DISPLAY', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'];

async function runCommand(run: Run, command: readonly string[], notification: Notification) {
  const folder = join(run.folder, 'notify');
  run.disk.mkdir(folder);
  const [program = '', ...args] = command;
  const isOwn = namesOwnFile(run, command);
  const { level } = await confinementOf(run);
  const usual = commandBox(run, level, 'read');
  const hidden = [run.root, mainWorkTree({ root: run.workspace, commonDir: run.commonDir })];
  const apart = { workspace: folder, readOnly: [], hidden };
  const box = isOwn || usual === null ? usual : { ...usual, ...apart, read: [...usual.read, ...sockets()] };
  const ended = await run.host.launch({
    box,
    command: program,
    args,
    cwd: isOwn ? run.root : folder,
    stdin: `${JSON.stringify(notification)}\n`,
    env: allowedEnv({
      ...markedFor(run, '#notify'),
      ...(isOwn ? {} : ownVariables(desktop)),
      PAWL_EVENT: notification.event,
      PAWL_WORKFLOW: notification.workflow,
      PAWL_RUN: notification.run,
      PAWL_STATE: notification.state,
      PAWL_MESSAGE: notification.message,
      ...(notification.next !== null && { PAWL_NEXT: notification.next }),
    }),
    stdoutFile: join(folder, 'stdout.log'),
    stderrFile: join(folder, 'stderr.log'),
    ...limits,
  });
  tellDenied(run, program, ended);
  return failureOf(ended, `${limits.timeoutMs / 1000} s`);
}

/** N3. */
function namesOwnFile({ root }: Run, command: readonly string[]): boolean {
  return command.some((word) => {
    const path = resolve(root, word);
    return path.startsWith(`${root}/`) && existsSync(path);
  });
}

/** Through which programs reach the desktop; those that are missing are left out. */
function sockets(): string[] {
  const { DISPLAY = '', WAYLAND_DISPLAY = '', DBUS_SESSION_BUS_ADDRESS = '', XDG_RUNTIME_DIR = '' } = process.env;
  const bus = /unix:path=([^,;]+)/.exec(DBUS_SESSION_BUS_ADDRESS)?.[1];
  const screen = /^:(\d+)/.exec(DISPLAY)?.[1];
  return [
    ...(bus === undefined ? [] : [bus]),
    ...(screen === undefined ? [] : [`/tmp/.X11-unix/X${screen}`]),
    ...(WAYLAND_DISPLAY === '' ? [] : [resolve(XDG_RUNTIME_DIR, WAYLAND_DISPLAY)]),
  ];
}

/** Its address may hold a secret, so it is in no message. */
async function post(webhook: string, notification: Notification): Promise<string | null> {
  try {
    const answer = await fetch(webhook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(notification),
      redirect: 'error',
      signal: AbortSignal.timeout(limits.timeoutMs),
    });
    await answer.body?.cancel();
    return answer.ok ? null : `answered with status ${answer.status}`;
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return isLate ? `did not answer within ${limits.timeoutMs / 1000} s` : 'could not be reached';
  }
}
