/** Working on one run: take it, recover it, deliver the command, drive it to its rest. */

import { stateOf, transition, type Signal } from '../engine/transition.ts';
import { command, drive, isUnderWay, type DriveChoice, type Rest } from '../runtime/drive.ts';
import { acceptLowered, confinementOf, loweredSandbox } from '../runtime/confinement.ts';
import { recover } from '../runtime/recover.ts';
import { readRunState, waitsUntil, type RunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { RunKey } from '../store/run-store.ts';
import type { Admission, RunIntent, Traces } from '../workflows/surface.ts';
import type { Offer, RunSettings, RunSummary, SpendingLimits } from '../workflows/workflow.ts';
import { GitFailed } from '../workspace/git.ts';
import { gitState } from '../workspace/history.ts';
import { branchAt } from '../workspace/worktree.ts';
import { openingOf, type Caller } from './caller.ts';
import { namelessAt, unplayable } from './cast-check.ts';
import { onlyUnfinished } from './catalog.ts';
import type { PreviewedRun } from './dry-run.ts';
import { findRunOf, notFoundOf } from './find.ts';
import { hasBegun, missingFor, otherBranch, refusedAsAbandoned } from './missing-place.ts';
import { openRun, unknownAnswer, type Job } from './open-run.ts';
import { isRefusal, notReady, orRefusal, refusal, usageRefusal, type Refusal } from './refusal.ts';
import { namedRun } from './named-run.ts';
import { listenForStops } from './stop-run.ts';
import { treeTaken } from './tree-taken.ts';
import { castOf, chosenWith, mergedCast, undelivered } from './work-order.ts';
import type { Cast, FirstCommand, WorkChoices, WorkOrder } from './work-order.ts';
import { unprovenIn } from './unproven.ts';
import { workEnd, type WorkEnd } from './work-end.ts';

/** The result of working on a run, as a value that outlives the open run. */
export interface WorkResult extends RunKey {
  readonly workspace: string;
  readonly state: RunState;
  readonly rest: Rest;
  readonly summary: RunSummary;
  readonly limits: SpendingLimits;
  readonly warnings: RunSettings['warnings'];
  readonly offer: Offer | null;
  /** Of a run that is over: where its work is, as long as nobody has brought it home. */
  readonly end: WorkEnd | null;
}

/** A run that is over and has no journal here: nothing was done. */
export interface OverRun extends RunKey {
  readonly over: RunSummary;
}

export async function perform(order: Omit<WorkOrder, 'run'>): Promise<WorkResult | OverRun | PreviewedRun | Refusal> {
  const { repository, surface, intent } = order;
  if (intent.kind === 'continue') {
    const { word } = intent;
    const found = word === null ? await onlyUnfinished(repository, surface) : findRunOf(repository, surface, word);
    return isRefusal(found) ? found : runCommand({ ...order, run: found.run });
  }
  const named = await namedRun(order, intent);
  if (isRefusal(named)) return named;
  const { run, release } = named;
  try {
    if (!surface.isRunName(run)) return usageRefusal(surface.invalidName(run));
    if (!intent.preview) return await runCommand({ ...order, run });
    const { dryRun } = await import('./dry-run.ts');
    return await dryRun({ ...order, run, intent }, runCommand);
  } finally {
    if (!repository.store.has({ workflow: surface.name, run })) release();
  }
}

/** Begins the run where it is new and the intent may begin one. An interrupted command is continued. */
export function runCommand(order: WorkOrder): Promise<WorkResult | OverRun | Refusal> {
  return orRefusal(async () => {
    const { repository, surface, run, intent, caller } = order;
    const { host } = caller;
    const { store } = repository;
    const key = { workflow: surface.name, run };
    const traces: Traces = {
      run,
      begun: store.has(key),
      state: () => readRunState(store, key)?.snapshot.state,
      files: workspaceFiles(repository.root, host.disk),
      git: () => gitState(repository.root),
    };
    const admission = (await intent.admit?.(traces)) ?? null;
    const stop = notAdmitted(order, admission) ?? (await caller.untrusted(repository));
    if (stop) return stop;
    try {
      const workflow = await surface.load();
      const unproven = await unprovenIn(order, workflow);
      if (isRefusal(unproven)) return unproven;
      const job = { ...order, workflow, unproven, anew: admission === 'anew' };
      const mistake = (await unplayable(job)) ?? (await unknownAnswer(job, key));
      if (mistake) return mistake;
      const nameless = workflow.commits && admission === 'anew' ? await namelessAt(repository.root) : null;
      if (nameless) return nameless;
      const taken = await treeTaken(job);
      if (taken) return taken;
      const opened = await openRun(job);
      return isRefusal(opened) ? opened : await workOn(job, opened.run, opened.begin);
    } catch (error) {
      // Ctrl-C reaches git as well, which is in the same process group: the run does the rest when it continues.
      if (!host.interrupted.aborted || !(error instanceof GitFailed)) throw error;
      const message = 'stopped; everything finished so far is kept';
      return refusal('Interrupted', message, { fix: `pawl resume ${run}`, outcome: 'interrupted' });
    }
  });
}

function notAdmitted({ repository, surface, run }: WorkOrder, admission: Admission): OverRun | Refusal | null {
  if (admission === null || admission === 'anew') return null;
  if (admission === 'unknown') return notFoundOf(repository, surface, run);
  if ('over' in admission) return { workflow: surface.name, run, over: admission.over };
  const { code, message, ...more } = admission;
  return refusal(code, message, more);
}

async function workOn(job: Job, run: Run, begin: Signal | null): Promise<WorkResult | Refusal> {
  // Messages that nobody was there to read are stale when a new command begins.
  run.held.drop();
  const stopListening = listenForStops(run.held, job.caller);
  try {
    const dispatches = run.state.history.length;
    const rest = await carryOut(job, run, begin);
    if (isRefusal(rest)) return rest;
    return resultOf(run, rest, {
      offers: run.state.history.length > dispatches,
      end: await workEnd(run),
    });
  } finally {
    stopListening();
    run.close();
  }
}

/** `offers`: whether this very command did the work that a next step is offered for. */
export function resultOf(
  run: Run,
  rest: Rest,
  { offers, end }: Pick<WorkResult, 'end'> & { readonly offers: boolean },
): WorkResult {
  const { workflow } = run;
  const view = run.view();
  const summary = workflow.summarize(view, { outcome: rest.outcome, refusal: rest.refusal?.reason ?? null });
  return {
    workflow: workflow.name,
    run: run.id,
    workspace: run.workspace,
    state: run.state,
    rest,
    summary: { ...summary, next: summary.next ?? end?.next ?? null },
    limits: run.spendingLimits,
    warnings: run.settings.warnings,
    offer: offers && rest.outcome === 'done' ? (workflow.offer?.(view) ?? null) : null,
    end,
  };
}

async function carryOut(job: Job, run: Run, begin: Signal | null): Promise<Rest | Refusal> {
  const { caller, choices } = job;
  run.observe({ type: 'opened', phase: run.phase });
  const warn = (): void =>
    caller.notify({ kind: 'settings', warnings: run.settings.warnings.map(({ message }) => message) });
  const isUnprepared = await hasUnpreparedWorktree(run);
  // Nothing was done in it yet; else it was removed and made anew.
  const unprepared = isUnprepared && !hasBegun(run.state);
  const missing = refusedAsAbandoned(run) ?? (await missingFor(run));
  if (missing) return missing;
  const { commonDir, root } = job.repository;
  // A worktree has files of its own.
  const distrusted = unprepared || run.root === root ? null : await caller.untrusted({ commonDir, root: run.root });
  if (distrusted) return distrusted;
  const moved = otherBranch(run.state, run.workspace);
  if (moved !== null) run.tell('warning', moved);
  // Before anything is asked or recovered: it throws where a sandbox is required and missing.
  if (run.settings.sandbox.mode === 'require') await confinementOf(run);
  const lowered = await loweredSandbox(run);
  if (lowered && run.settings.sandbox.mode === 'require')
    return notReady('SandboxLowered', `${lowered.message} (sandbox = "require")`, 'pawl doctor');
  if (lowered && !choices.acceptSandbox) {
    const fix = 'bring the sandbox back, or run the command again with --accept-sandbox';
    return notReady('SandboxLowered', lowered.message, fix);
  }
  if (!unprepared) warn();
  // Recovering may take an interrupted command to its end; it is that command all the same.
  const interrupted = isUnderWay(run);
  const recovery = await recover(run, choices.edits);
  if (recovery.kind !== 'ready')
    return refusal('PersonNeeded', recovery.message, { fix: recovery.fix, outcome: 'needs_person' });
  if (isUnprepared && !unprepared && !(await prepare(run))) return unfinishedSetup;
  const edited = run.held.tail.at(-1)?.type === 'state.edited';
  const underWay = edited ? isUnderWay(run) : interrupted;
  if (lowered) acceptLowered(run, lowered);
  const { command: name, args, cast, keeps } = deliveryFor(job.intent, run, underWay);
  const played = mergedCast(cast, choices);
  const choice: DriveChoice = {
    ...played,
    ...(choices.hint !== undefined && { hint: choices.hint }),
    chosen: {
      ...chosenWith(choices, played, { keeps }),
      ...(job.unproven.length > 0 && { unproven: job.unproven }),
      branch: branchAt(run.workspace),
    },
    beforeFirst: async () => caller.notify({ kind: 'opening', opening: await openingOf(run, played) }),
  };
  const waited = (rest: Rest): Rest | Promise<Rest> =>
    choices.wait && rest.outcome === 'temporary' ? waitOut(run, rest, choice, caller) : rest;
  if (underWay) return otherUnderWay(job, run) ?? waited(await goOn(run, choice, choices));
  const signal = begin ?? run.workflow.enter(name, args, run.view());
  if ('fix' in signal) return usageRefusal(signal);
  if (unprepared && transition(run.workflow.machine, run.state.snapshot, signal).kind === 'step') {
    if (!(await prepare(run))) return unfinishedSetup;
    warn();
  }
  return waited(await command(run, { ...signal, limits: { ...run.settings.limits, ...signal.limits } }, choice));
}

/** What is chosen anew goes on record first: another interruption must not take it away. */
function goOn(run: Run, choice: DriveChoice, choices: WorkChoices): Promise<Rest> {
  const chosen = chosenWith(choices, choice, { keeps: true });
  if (Object.keys(chosen).length > 0)
    run.append({ type: 'chosen', choice: chosen, by: { who: run.host.user, how: 'command' } });
  return drive(run, choice);
}

/** Few runs have a worktree of their own: the others need not load the code that prepares one. */
async function hasUnpreparedWorktree(run: Run): Promise<boolean> {
  const isOver = stateOf(run.workflow.machine, run.state.snapshot.state).kind === 'final';
  if (run.state.input['worktree'] === undefined || isOver) return false;
  const { isPrepared } = await import('../runtime/worktree-setup.ts');
  return !isPrepared(run);
}

async function prepare(run: Run): Promise<boolean> {
  return (await import('../runtime/worktree-setup.ts')).prepareWorktree(run);
}

const unfinishedSetup = refusal('Interrupted', 'stopped while preparing the worktree', {
  fix: 'run the same command again',
  outcome: 'interrupted',
});

interface Delivery extends Pick<FirstCommand, 'command' | 'args'> {
  /** Used where nobody else is chosen. */
  readonly cast: Cast;
  /** Whether the run remembers who was chosen before. */
  readonly keeps: boolean;
}

function deliveryFor(intent: RunIntent, { state, workflow }: Run, underWay: boolean): Delivery {
  const remembered = castOf(state.choice);
  if (intent.kind === 'command') return { ...intent, cast: underWay ? remembered : {}, keeps: false };
  const first = undelivered(state, workflow.machine.initial);
  if (first) return { ...first, cast: first.flags, keeps: false };
  return { command: 'retry', args: {}, cast: remembered, keeps: true };
}

/** A run in the middle of one command finishes it before another begins. */
function otherUnderWay({ intent, surface }: Job, run: Run): Refusal | null {
  const { id, workflow } = run;
  const { lastCommand } = run.state;
  if (intent.kind === 'continue' || lastCommand === null || lastCommand === 'retry') return null;
  const same = surface.verbs.some(
    (verb) => verb.does === 'work' && verb.delivers.includes(intent.command) && verb.delivers.includes(lastCommand),
  );
  const isOther = !same && intent.command !== lastCommand;
  const difference = isOther ? '' : workflow.differenceTo?.(intent.args, run.view());
  if (difference === undefined) return null;
  const message = `"${lastCommand}" of ${id} was interrupted${difference}; finish it first, or abandon its step with pawl cancel ${id}`;
  return notReady('CommandUnfinished', message, `pawl resume ${id}`);
}

const waitsMax = 50;
const firstWaitMs = 60_000;
const unknownWaitMsMax = 30 * 60_000;
const knownWaitMsMax = 24 * 3_600_000;

/** Continues a rate-limited run when its limit resets. Returns the first rest that is no limit, or the last one when interrupted. */
async function waitOut(run: Run, rest: Rest, choice: DriveChoice, caller: Caller): Promise<Rest> {
  const { host } = caller;
  let last = rest;
  for (let attempt = 0; attempt < waitsMax && last.outcome === 'temporary'; attempt += 1) {
    const ms = pauseMs(run, attempt);
    caller.notify({ kind: 'waiting', until: new Date(host.now() + ms).toISOString(), ms });
    await host.sleep(ms, host.interrupted);
    if (host.interrupted.aborted) return { ...last, outcome: 'interrupted' };
    run.unavailable.clear();
    const signal = run.workflow.enter('retry', {}, run.view());
    if ('fix' in signal) return last;
    last = await command(run, { ...signal, limits: { ...run.settings.limits, ...signal.limits } }, choice);
  }
  return last;
}

/** Until the time the vendor named, or longer and longer when it named none. */
function pauseMs(run: Run, attempt: number): number {
  const until = waitsUntil(run.state.snapshot);
  if (until === null) return Math.min(firstWaitMs * 2 ** attempt, unknownWaitMsMax);
  return Math.min(Math.max(Date.parse(until) - run.host.now(), 1_000), knownWaitMsMax);
}
