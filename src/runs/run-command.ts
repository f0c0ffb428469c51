/** Working on one run: take it, bring it into order, deliver the command, drive it to its rest. */

import type { Disk } from '../disk/disk.ts';
import type { Json } from '../engine/snapshot.ts';
import { transition, type Signal } from '../engine/transition.ts';
import { command, drive, isUnderWay, type DriveChoice, type Rest } from '../runtime/drive.ts';
import { recover } from '../runtime/recover.ts';
import { readRunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { RunKey } from '../store/run-store.ts';
import type {
  Admission,
  CommandIntent,
  ContinueIntent,
  Intent,
  Traces,
  WorkflowSurface,
} from '../workflows/surface.ts';
import type { RunSummary } from '../workflows/workflow.ts';
import { GitFailed } from '../workspace/git.ts';
import type { Caller } from './caller.ts';
import { notFoundOf } from './find.ts';
import { undelivered } from './first-command.ts';
import type { Job } from './job.ts';
import { openRun } from './open-run.ts';
import { openingOf } from './opening.ts';
import { failedProofs, letPass } from './proof.ts';
import { isRefusal, refusal, usageRefusal, type Refusal } from './refusal.ts';
import { orRefusal } from './refusal-of.ts';
import type { RunRepository } from './run-repository.ts';
import { listenForStops } from './stop-run.ts';
import { waitOut } from './wait-out.ts';
import { castOf, chosenWith, rememberedCast, wasLetPass, type Cast, type WorkChoices } from './work-choices.ts';
import { resultOf, type WorkResult } from './work-result.ts';

/** A run that is over and has no journal here: nothing was done. */
export interface OverRun {
  readonly workflow: string;
  readonly run: string;
  readonly over: RunSummary;
}

/** Delivers a command to a run; begins the run where it is new and the intent may begin one. */
export async function runCommand(
  repository: RunRepository,
  surface: WorkflowSurface,
  { intent, choices }: { readonly intent: CommandIntent; readonly choices: WorkChoices },
  caller: Caller,
): Promise<WorkResult | OverRun | Refusal> {
  const { run } = intent;
  if (!surface.isRunName(run)) return usageRefusal(surface.invalidName(run));
  return orRefusal(() => work({ repository, surface, run, intent, choices, caller }));
}

/** An interrupted command is continued; a stopped one repeats the step it stopped at; one never delivered is delivered. */
export async function continueRun(
  repository: RunRepository,
  { workflow, run }: RunKey,
  { intent = anyRun, choices }: { readonly intent?: ContinueIntent; readonly choices: WorkChoices },
  caller: Caller,
): Promise<WorkResult | OverRun | Refusal> {
  const surface = repository.workflows.surfaceOf(workflow);
  return orRefusal(() => work({ repository, surface, run, intent, choices, caller }));
}

const anyRun: ContinueIntent = { kind: 'continue', word: null };

type Wanted = Omit<Job, 'workflow' | 'unproven'>;

async function work(wanted: Wanted): Promise<WorkResult | OverRun | Refusal> {
  const { repository, surface, run, intent, choices, caller } = wanted;
  const { host } = caller;
  const key = { workflow: surface.name, run };
  try {
    const admission = intent.admit?.(tracesOf(repository, key, host.disk)) ?? null;
    const stop = notAdmitted(wanted, admission);
    if (stop) return stop;
    const workflow = await surface.load();
    const unproven = await unprovenIn(wanted, workflow);
    if (isRefusal(unproven)) return unproven;
    // A script that cannot be played is the caller's mistake: found before anything is written.
    const { script } = choices;
    if (script !== undefined) await host.agent('scripted', plainly, { script, workflow: surface.name, flags: {} });
    if (admission === 'anew' && repository.store.has(key)) repository.store.retire(key);
    const job = { ...wanted, workflow, unproven };
    const opened = await openRun(job);
    return isRefusal(opened) ? opened : await workOn(job, opened.run, opened.begin);
  } catch (error) {
    if (host.interrupted.aborted && error instanceof GitFailed) return cutShort(run);
    throw error;
  }
}

const plainly = { command: null, driver: null, mcp: [], env: [] };

function tracesOf({ store, root }: RunRepository, key: RunKey, disk: Disk): Traces {
  return {
    run: key.run,
    begun: store.has(key),
    state: () => readRunState(store, key)?.snapshot.state,
    files: workspaceFiles(root, disk),
  };
}

function notAdmitted({ repository, surface, run }: Wanted, admission: Admission): OverRun | Refusal | null {
  if (admission === null || admission === 'anew') return null;
  if (admission === 'unknown') {
    return notFoundOf(repository, surface, run);
  }
  if ('over' in admission) return { workflow: surface.name, run, over: admission.over };
  const { code, message, fix, ...more } = admission;
  return refusal(code, message, { fix, ...more });
}

/** A run that was let pass unproven goes on so: asking again at every command would say nothing new. */
async function unprovenIn(
  { repository, surface, run, choices, intent }: Wanted,
  workflow: Job['workflow'],
): Promise<readonly string[] | Refusal> {
  if (repository.workflows.bundled.includes(surface)) return [];
  const failed = await failedProofs(workflow);
  if (failed.length === 0) return [];
  const passed = wasLetPass(readRunState(repository.store, { workflow: surface.name, run }));
  return letPass(workflow, failed, {
    unproven: passed || choices.unproven === true,
    continues: intent.kind === 'continue',
  });
}

/** Ctrl-C reaches git as well, which is in the same process group: what it left undone is done when the run goes on. */
function cutShort(run: string): Refusal {
  const fix = `pawl resume ${run}`;
  return refusal('interrupted', 'stopped; everything finished so far is kept', { fix, outcome: 'interrupted' });
}

async function workOn(job: Job, run: Run, begin: Signal | null): Promise<WorkResult | Refusal> {
  // Messages that nobody was there to read are stale when a new command begins.
  run.held.drop();
  const stopListening = listenForStops(run.held, job.caller);
  try {
    const dispatches = run.state.history.length;
    const rest = await carryOut(job, run, begin);
    return isRefusal(rest) ? rest : resultOf(run, rest, { offers: run.state.history.length > dispatches });
  } finally {
    stopListening();
    run.close();
  }
}

async function carryOut(job: Job, run: Run, begin: Signal | null): Promise<Rest | Refusal> {
  const { caller, choices } = job;
  run.observe({ type: 'opened', phase: run.phase });
  const warn = (): void =>
    caller.notify({ kind: 'settings', warnings: run.settings.warnings.map(({ message }) => message) });
  const unprepared = await hasUnpreparedWorktree(run);
  if (!unprepared) warn();
  // Recovering may take an interrupted command to its end; it is that command all the same.
  const interrupted = isUnderWay(run);
  const recovery = await recover(run, choices.edits);
  if (recovery.kind !== 'ready')
    return refusal('person_needed', recovery.message, { fix: recovery.fix, outcome: 'needs_person' });
  const edited = run.held.tail.at(-1)?.type === 'state.edited';
  const underWay = edited ? isUnderWay(run) : interrupted;
  const order = orderFor(job.intent, run, underWay);
  const choice: DriveChoice = {
    ...order.cast,
    ...castOf(choices),
    ...(choices.hint !== undefined && { hint: choices.hint }),
    chosen: chosenWith({ ...(order.keeps ? {} : order.cast), ...choices }, job.unproven, order),
    beforeFirst: async () => caller.notify({ kind: 'opening', opening: await openingOf(run, choice.agent) }),
  };
  const other = underWay ? underWayOtherwise(job, run) : null;
  if (other) return other;
  if (underWay) return waited(job, run, choice, await drive(run, choice));
  const signal = begin ?? run.workflow.enter(order.command, order.args, run.view());
  if ('fix' in signal) return usageRefusal(signal);
  if (unprepared && transition(run.workflow.machine, run.state.snapshot, signal).kind === 'step') {
    const { prepareWorktree } = await import('../runtime/worktree-setup.ts');
    if (!(await prepareWorktree(run))) return interruptedWhilePreparing();
    warn();
  }
  return waited(job, run, choice, await command(run, { ...signal, limits: run.settings.limits }, choice));
}

interface Order {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  /** Who goes on with it where nobody else is chosen. */
  readonly cast: Cast;
  /** Whether the run remembers who was chosen before. */
  readonly keeps: boolean;
}

function orderFor(intent: Intent, { state, workflow }: Run, underWay: boolean): Order {
  const remembered = rememberedCast(state);
  if (intent.kind === 'command') return { ...intent, cast: underWay ? remembered : {}, keeps: false };
  const first = undelivered(state, workflow.machine.initial);
  if (first) return { ...first, cast: first.flags, keeps: false };
  return { command: 'retry', args: {}, cast: remembered, keeps: true };
}

function waited({ choices, caller }: Job, run: Run, choice: DriveChoice, rest: Rest): Rest | Promise<Rest> {
  return choices.wait && rest.outcome === 'temporary' ? waitOut(run, rest, choice, caller) : rest;
}

/** A run in the middle of one command is finished before another is begun. */
function underWayOtherwise({ intent, surface }: Job, { id, state: { lastCommand } }: Run): Refusal | null {
  if (intent.kind === 'continue' || lastCommand === null || lastCommand === 'retry') return null;
  const same = surface.verbs.some(
    (verb) => verb.does === 'work' && verb.delivers.includes(intent.command) && verb.delivers.includes(lastCommand),
  );
  if (same || intent.command === lastCommand) return null;
  return refusal('under_way', `"${lastCommand}" of ${id} was interrupted and is not finished`, {
    fix: `run pawl resume ${id} to finish it, or pawl cancel ${id} to give the step up`,
    outcome: 'not_ready',
  });
}

/** Few runs have a worktree of their own: the others need not load what preparing one takes. */
async function hasUnpreparedWorktree(run: Run): Promise<boolean> {
  if (run.state.input['worktree'] === undefined) return false;
  const { isPrepared } = await import('../runtime/worktree-setup.ts');
  return !isPrepared(run);
}

function interruptedWhilePreparing(): Refusal {
  return refusal('interrupted', 'stopped while the worktree was being prepared', {
    fix: 'run the same command again',
    outcome: 'interrupted',
  });
}
