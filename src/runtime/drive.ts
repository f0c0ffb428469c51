/**
 * Drives a run from where it is to where it rests: performs the effect of each state and answers with a signal.
 *
 * V1. A command is a signal; a refused one changes nothing.
 * V2. A pending question is asked before anything else, unless what it is about has changed.
 * V3. Every process that goes on with a dispatch makes the check again that comes before it, and the one that the state
 *     names for this case: what was checked or approved may have changed in between.
 * V4. A run that comes to rest, asks, or is interrupted has its state file up to date (or says that it cannot be
 *     written); one that rests for good, or refuses because it does, also its exported journal.
 */

import type { Outcome } from '../engine/machine.ts';
import { effectOf, repeated, stateOf, type Effect, type Refusal, type Signal } from '../engine/transition.ts';
import type { Choice } from '../store/record.ts';
import { agentFor, agentNamed } from './agent-choice.ts';
import { decisionOf, pendingDecision, type AskEffect, type PendingDecision } from './answering.ts';
import { AnswerLoop, askOnce, showQuestion } from './asking.ts';
import { performCheck } from './check.ts';
import { confinementOf } from './confinement.ts';
import type { DispatchChoice } from './dispatch.ts';
import { requireOwnBranch } from './own-branch.ts';
import { projectAtRest, projectOrWarn } from './state-writing.ts';
import { notify } from './notification.ts';
import type { Run } from './run.ts';

export interface Rest {
  readonly outcome: Outcome;
  readonly refusal: Refusal | null;
  readonly decision: PendingDecision | null;
}

export interface DriveChoice extends DispatchChoice {
  /** What the person chose with the command, for the record. */
  readonly chosen?: Choice;
  /** Called once, when it is clear that an agent will be set to work. */
  beforeFirst?(): Promise<void>;
}

export async function command(run: Run, signal: Signal, choice: DriveChoice = {}): Promise<Rest> {
  const by = { who: run.host.user, how: 'command' } as const;
  const asking = stateOf(run.workflow.machine, run.state.snapshot.state);
  if (asking.kind === 'decide' && asking.yields && signal.name !== 'retry') run.move({ name: 'withdrawn' }, { by });
  const pending = await settlePending(run, choice);
  if (pending) return pending;
  const step = run.move(signal, { by, config: run.pin(), ...(choice.chosen && { choice: choice.chosen }) });
  if (step.kind === 'refusal') {
    projectAtRest(run);
    return { outcome: step.outcome, refusal: step, decision: null };
  }
  return drive(run, choice);
}

/** Drives on without a new command: after a crash, or after an answer given elsewhere. */
export async function drive(run: Run, choice: DriveChoice = {}): Promise<Rest> {
  const { machine } = run.workflow;
  run.pin();
  // V3.
  // Refused, without effect, where no check comes before.
  run.move({ name: repeated });
  const { hint: given, ...unhinted } = choice;
  // Words for a dispatch that was cut off are for its repetition.
  const { words: hint, step: hintedStep } = given === undefined ? (run.state.hint ?? {}) : { words: given, step: null };
  const isFor = (step: string): boolean => (hintedStep ?? step) === step;
  let hinted: string | null = null;
  for (;;) {
    const effect = effectOf(machine, run.state.snapshot);
    if (effect.type === 'dispatch') {
      if (hinted === null) {
        startEarly(run, effect.role, choice);
        await choice.beforeFirst?.();
      }
      hinted = (hinted ?? effect.step) === effect.step && isFor(effect.step) ? effect.step : '';
    }
    // A hint is for the step it was given for, and its repeated attempts, not for what comes after.
    const rest = await perform(run, effect, hinted === '' || hint === undefined ? unhinted : { ...choice, hint });
    if (rest) {
      await notifyOf(run, rest, hinted !== null);
      return rest;
    }
  }
}

/**
 * The sandbox's bridge, the tool server and the agent's program take longest to start, and do so at the same time, while
 * the most that the command can come to is worked out. Each is kept by the host; the dispatch hears of a failure.
 */
function startEarly(run: Run, role: string, choice: DispatchChoice): void {
  const agent = async () => agentNamed(run, agentFor(run, role, choice.agent), choice);
  const starting = [agent(), confinementOf(run), run.host.toolServer()];
  for (const each of starting) each.catch(() => undefined);
}

/** Whether the run is between a command and its end: then it is continued before any new command is looked at. */
export function isUnderWay(run: Run): boolean {
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  return effect.type === 'dispatch' || effect.type === 'check';
}

async function perform(run: Run, effect: Effect, choice: DispatchChoice): Promise<Rest | null> {
  if (run.host.interrupted.aborted && effect.type !== 'rest') return interrupted(run);
  if (effect.type === 'check' || effect.type === 'dispatch') requireOwnBranch(run);
  switch (effect.type) {
    case 'rest':
      projectAtRest(run);
      return finish(run, effect.outcome);
    case 'check':
      await performCheck(run, effect);
      return null;
    case 'ask':
      return ask(run, effect);
    case 'dispatch': {
      await backOff(run);
      if (run.host.interrupted.aborted) return interrupted(run);
      // Loaded late, because many commands make no dispatch; what ends an interrupted one is loaded before it begins,
      // because an update of Pawl meanwhile must not take it away.
      const [{ performDispatch }] = await Promise.all([import('./dispatch.ts'), import('./cut-off.ts')]);
      return (await performDispatch(run, effect, choice)) ? null : interrupted(run);
    }
  }
}

/** D3: an interruption is a crash that was announced, so it is cleaned up the same way, only at once. */
async function interrupted(run: Run): Promise<Rest> {
  if (run.state.open) await (await import('./cut-off.ts')).closeInterrupted(run, run.state.open);
  if (run.host.interrupted.reason === cancelRequest && !run.state.open) giveUp(run);
  projectOrWarn(run);
  return finish(run, 'interrupted');
}

/** The abort reason that tells `cancel` from `pause`. */
export const cancelRequest = 'cancel';

/** Gives up the step at hand, so that the run rests; false when it rests already or is in the middle of a check. */
export function giveUp(run: Run): boolean {
  const { type } = effectOf(run.workflow.machine, run.state.snapshot);
  if (type !== 'dispatch' && type !== 'ask') return false;
  const by = { who: run.host.user, how: 'command' } as const;
  const fix = type === 'ask' && { fix: `pawl resume ${run.id}` };
  const problem = { code: 'cancelled', message: 'cancelled by a person', ...fix };
  return run.move({ name: type === 'ask' ? 'withdrawn' : 'interrupted', problem }, { by }).kind === 'step';
}

function finish(run: Run, outcome: Outcome, decision: PendingDecision | null = null): Rest {
  run.observe({ type: 'rested', outcome, phase: run.phase });
  return { outcome, refusal: null, decision };
}

/** Nobody waits for what is done at once, and whoever was asked at the terminal knows. */
async function notifyOf(run: Run, { outcome, refusal, decision }: Rest, worked: boolean): Promise<void> {
  const isKnown = (outcome === 'done' && !worked) || (decision !== null && run.host.person !== null);
  if (refusal === null && !isKnown) await notify(run, { outcome, decision: decision?.id ?? null });
}

async function ask(run: Run, effect: AskEffect): Promise<Rest | null> {
  if (!showQuestion(run)) return null;
  // Answers left before their question was put answer nothing: whoever knew it beforehand is not a person.
  run.held.drop('answer');
  const pending = decisionOf(run.workflow, run.view(), effect);
  const { state } = run.state.snapshot;
  if (run.host.person !== null && run.host.prepared?.answerTo(pending.id, 0) === undefined)
    void notify(run, { outcome: 'needs_person', decision: pending.id, asking: true });
  const asked = pending.question.freeText ? await new AnswerLoop(run).ask(state) : await askOnce(run, pending);
  if (asked.kind === 'moved') return null;
  const { decision } = asked;
  if (asked.kind === 'refused') return { outcome: asked.refusal.outcome, refusal: asked.refusal, decision };
  return run.host.interrupted.aborted ? interrupted(run) : finish(run, 'needs_person', decision);
}

/** V2. Returns a rest when the question stays open. */
async function settlePending(run: Run, choice: DriveChoice): Promise<Rest | null> {
  const decision = pendingDecision(run);
  if (!decision) return null;
  const { title, withdrawn } = decision.question;
  if (withdrawn === null) return drive(run, choice);
  run.tell('recovered', `"${title}" is no longer asked: ${withdrawn}`);
  run.move({ name: 'withdrawn', data: { skipped: { decision: decision.id, reason: withdrawn } } });
  return null;
}

/** Faults are retried with growing pauses; a crash in the pause does not repeat it. */
async function backOff(run: Run): Promise<void> {
  const moves = run.records.filter((record) => record.type === 'moved');
  const last = moves.at(-1);
  const why = last?.dispatch?.problem;
  if (!last || why === undefined) return;
  const attempt = moves.length - 1 - moves.findLastIndex(({ dispatch }) => dispatch?.problem === undefined);
  const ms = pauseLeft(run.settings.retryDelayMs * 2 ** (attempt - 1), Date.parse(last.at), run.host.now());
  if (ms <= 0) return;
  run.project();
  run.observe({ type: 'waiting', ms, attempt, why });
  await run.host.sleep(ms, run.host.interrupted);
}

/** What is left of a pause; after a clock was set back, no more than the pause itself. */
export function pauseLeft(delayMs: number, sinceMs: number, nowMs: number): number {
  return Math.min(delayMs, sinceMs + delayMs - nowMs);
}
