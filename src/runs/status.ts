/** Everything there is to say about one run of any workflow, read without touching anything. */

import { resolve } from 'node:path';
import { attempt, DocumentError } from '../documents/document-error.ts';
import type { Machine, Outcome } from '../engine/machine.ts';
import { isFinalPhase, phaseOf } from '../engine/phase.ts';
import { effectOf, stateOf } from '../engine/transition.ts';
import type { PendingDecision } from '../runtime/answering.ts';
import { readRunState, replay, requireKnownState, restingOutcome } from '../runtime/run-state.ts';
import { viewOf, waitsUntil, type RunState } from '../runtime/run-state.ts';
import { answerRecorded } from '../runtime/run-note.ts';
import { isEdit, shownState, type ShownState } from '../runtime/shown-state.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import type { JournalRecord, Landed } from '../store/record.ts';
import type { Owner, RunKey } from '../store/run-store.ts';
import type { DispatchSummary, RunView, StatusDetails, Workflow, WorkflowReader } from '../workflows/workflow.ts';
import { missingPlace, otherBranch } from './missing-place.ts';
import { notFoundOf } from './find.ts';
import { recordsOf, type FoundRun } from './find.ts';
import type { Refusal } from './refusal.ts';
import { shownBudget, shownDecisions, shownUsage } from './run-document.ts';
import type { ShownBudget, ShownDecision, ShownUsage } from './run-document.ts';
import { castOf, undelivered, type Cast, type RunRepository } from './work-order.ts';

export interface OpenDecision extends ShownDecision {
  /** Why it need not be answered any more; null while it stands. */
  readonly withdrawn: string | null;
  /** The command that answers it; null where the run must get there first. */
  readonly answerWith: string | null;
}

/** Its keys are a promise to scripts. */
export interface RunStatus extends RunKey {
  /** The machine's state; null for a run without a journal here. */
  readonly state: string | null;
  readonly phase: string | null;
  /** Null while a process is at work, and where no journal tells. */
  readonly outcome: Outcome | null;
  readonly message: string;
  readonly next: string | null;
  /** When a rate limit ends that stopped it. */
  readonly until: string | null;
  readonly updatedAt: string | null;
  readonly decisions: readonly OpenDecision[];
  readonly dispatches: readonly Omit<DispatchSummary, 'session' | 'tree'>[];
  /** The dispatch that was started and has not ended. */
  readonly open:
    | (Pick<DispatchSummary, 'id' | 'role' | 'step' | 'agent' | 'model'> & { readonly startedAt: string })
    | null;
  readonly usage: ShownUsage | null;
  /** Null where the configuration cannot be read. */
  readonly budget: ShownBudget | null;
  /** The phase a person wrote into the state file, where the journal says otherwise. */
  readonly edited: { readonly phase: string; readonly journal: string; readonly adoptable: boolean } | null;
  readonly problems: readonly string[];
  readonly owner: Owner | null;
  readonly workspace: string;
  /** What became of its work; null where nobody has said so. */
  readonly landed: Landed | null;
}

export interface KnownStatus {
  readonly status: RunStatus;
  readonly details: StatusDetails;
  /** The question it waits with, in full. */
  readonly pending: PendingDecision | null;
  readonly finished: boolean;
  readonly stateFile: string;
  /** The agents, the models and the script of its last command. */
  readonly cast: Cast;
}

export function statusDocument({ status, details, cast }: KnownStatus): Readonly<Record<string, unknown>> {
  return { ...status, cast, ...details.keys };
}

export async function statusOf(repository: RunRepository, found: FoundRun): Promise<KnownStatus | Refusal> {
  const { store, root, commonDir, workflows } = repository;
  const { workflow: name, run } = found;
  const workflow = await workflows.read(name);
  const shared = { workflow, load: () => workflows.load(name), run, commonDir };
  if (found.foreign) {
    const records = recordsOf(repository, found);
    const state = replay(records);
    if (!state) return statusOfFiles(repository, workflow, found);
    return statusOfRun({ ...shared, state, owner: null, workspace: root, folder: null, records: () => records });
  }
  const state = readRunState(store, found);
  if (!state) throw new Error(`the journal of ${run} does not begin with a run`);
  const owner = store.owner(found) ?? null;
  const workspace = resolve(commonDir, state.workspace);
  const folder = store.folder(found);
  return statusOfRun({ ...shared, state, owner, workspace, folder, records: () => recordsOf(repository, found) });
}

const withoutJournal = {
  state: null,
  until: null,
  dispatches: [],
  open: null,
  usage: null,
  budget: null,
  edited: null,
  owner: null,
  landed: null,
};

/** Its files are all there is. */
function statusOfFiles(
  repository: RunRepository,
  workflow: WorkflowReader,
  { run, foreign }: FoundRun,
): KnownStatus | Refusal {
  const { root: workspace, commonDir } = repository;
  const stateFile = foreign?.path ?? '';
  const files = workspaceFiles(rootsOf(workflow, workspace, commonDir));
  const shown = workflow.foreign?.status(run, files, stateFile) ?? null;
  if (!shown) return notFoundOf(repository, repository.workflows.surfaceOf(workflow.name), run);
  const { phase, outcome, message, next, updatedAt, details } = shown;
  const decisions = waitingDecisions(details, []);
  const facts = { phase, outcome, message, next, updatedAt, decisions, problems: details.problems ?? [] };
  const status = { ...withoutJournal, workflow: workflow.name, run, ...facts, workspace };
  return { status, details, pending: null, finished: outcome === 'done', stateFile, cast: {} };
}

interface ReadRun {
  readonly workflow: WorkflowReader;
  /** All of the workflow, for the question that is asked. */
  readonly load: () => Promise<Workflow>;
  /** As it is called here: a run that was set aside has another name than it had. */
  readonly run: string;
  readonly state: RunState;
  readonly owner: Owner | null;
  readonly workspace: string;
  readonly commonDir: string;
  /** Null for a journal that was exported elsewhere. */
  readonly folder: string | null;
  readonly records: () => readonly JournalRecord[];
}

/** The command that brings its work home. */
async function nextOfOver({ records, folder, ...read }: ReadRun): Promise<string | null> {
  if (folder === null) return null;
  const { workEnd } = await import('./work-end.ts');
  return (await workEnd({ ...read, folder, records: records() }))?.next ?? null;
}

async function statusOfRun(read: ReadRun): Promise<KnownStatus> {
  const { workflow, run, state, owner, workspace, records } = read;
  const { machine } = workflow;
  const { snapshot, history, changedAt, spent, open, choice } = state;
  requireKnownState(workflow, run, snapshot);
  const files = workspaceFiles(rootsOf(workflow, workspace, read.commonDir));
  const view = viewOf(state, files);
  const firstArgs = undelivered(state, machine.initial)?.args ?? {};
  const details = workflow.status({ ...view, firstArgs, unproven: choice.unproven });
  const problems = new Set(details.problems);
  // A document that cannot be read is a problem of the status: the journal stands all the same.
  const orNull = <T>(read: () => T): T | null => {
    const value = attempt(read);
    if (!(value instanceof DocumentError)) return value;
    problems.add(value.message);
    return null;
  };
  const missing = await missingPlace(read);
  if (missing) problems.add(missing.message);
  const isOver = stateOf(machine, snapshot.state).kind === 'final';
  const moved = missing || isOver ? null : otherBranch(state, workspace);
  if (moved !== null) problems.add(moved);
  const { pending, asked } = await askedIn(read, view, details, problems);
  const shown = orNull(() => ({ state: shownState(workflow, view) }));
  const isBroken = shown === null;
  const edited = editIn(shown?.state ?? null, machine, records);
  const outcome = restingOutcome(machine, snapshot) ?? (owner ? null : 'interrupted');
  const settings = orNull(() => workflow.settings(files));
  for (const { message } of isOver ? [] : (settings?.warnings ?? [])) problems.add(message);
  const budget = settings && shownBudget(spent, { ...settings.spending, ...choice.raised });
  const { answered } = state;
  const said = explained(workflow, view, { outcome, edited, withdrawn: pending?.question.withdrawn, answered });
  const status: RunStatus = {
    workflow: workflow.name,
    run,
    state: snapshot.state,
    phase: phaseOf(machine, snapshot),
    outcome,
    ...said,
    ...(isBroken && owner === null && { next: `pawl restore ${run}` }),
    ...(missing && owner === null && { message: missing.message, next: missing.fix }),
    ...(isOver && said.next === null && { next: await nextOfOver(read) }),
    until: waitsUntil(snapshot),
    updatedAt: changedAt,
    decisions: [...asked, ...waitingDecisions(details, asked)],
    dispatches: history.map(({ session: _session, tree: _tree, ...dispatch }) => dispatch),
    open: open && shownOpen(open),
    usage: shownUsage(spent),
    budget,
    edited,
    problems: [...problems],
    owner,
    workspace,
    landed: state.landed,
  };
  const stateFile = workflow.stateFile(state.run).path(view);
  return { status, details, pending, finished: isOver, stateFile, cast: castOf(choice) };
}

function editIn(shown: ShownState | null, machine: Machine, records: ReadRun['records']): RunStatus['edited'] {
  if (!shown || !isEdit(shown, machine, records)) return null;
  const { phase, recorded: journal } = shown;
  return { phase, journal, adoptable: !isFinalPhase(machine, phase) };
}

async function askedIn({ workflow, load }: ReadRun, view: RunView, details: StatusDetails, problems: Set<string>) {
  const { run, snapshot } = view;
  const effect = effectOf(workflow.machine, snapshot);
  if (effect.type !== 'ask') return { pending: null, asked: [] };
  const openDecision = (shown: ShownDecision, withdrawn: string | null, words: string): OpenDecision => ({
    ...shown,
    withdrawn,
    answerWith: `pawl answer ${run} ${shown.id} ${words}`,
  });
  try {
    const { decisionIn } = await import('../runtime/answering.ts');
    const pending = decisionIn(await load(), view);
    if (!pending) return { pending, asked: [] };
    const { freeText, withdrawn } = pending.question;
    const words = freeText ? '"<answer>"' : '<answer>';
    return { pending, asked: shownDecisions(pending).map((each) => openDecision(each, withdrawn, words)) };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    problems.add(error.message);
    if (details.waiting && details.waiting.length > 0) return { pending: null, asked: [] };
    // A question whose documents cannot be read stands all the same.
    const { question: id, options } = effect;
    const answers = Object.fromEntries(options.map((option) => [option, option]));
    const title = `${run} waits for the decision "${id}"`;
    const shown = { id, title, detail: error.message, answers, paths: [error.file] };
    return { pending: null, asked: [openDecision(shown, null, '<answer>')] };
  }
}

/** Open, but not asked now. */
function waitingDecisions({ waiting = [] }: StatusDetails, asked: readonly OpenDecision[]): OpenDecision[] {
  return waiting
    .filter(({ id }) => !asked.some((each) => each.id === id))
    .map(({ id, title, detail }) => ({ id, title, detail, ...notAsked }));
}

const notAsked = { answers: {}, paths: [], withdrawn: null, answerWith: null };

function explained(
  workflow: WorkflowReader,
  view: RunView,
  found: Pick<RunStatus, 'outcome' | 'edited'> & { withdrawn: string | null | undefined; answered: boolean },
): Pick<RunStatus, 'message' | 'next'> {
  const { outcome, edited, withdrawn, answered } = found;
  const { machine } = workflow;
  const { run, snapshot } = view;
  const { state } = snapshot;
  if (outcome === null) return { message: `a process works on ${run}: ${state}`, next: `pawl attach ${run}` };
  const { message, next } = workflow.summarize(view, { outcome, refusal: null });
  const nextIn = (phase: string | null): string | null => workflow.nextIn(run, phase) ?? next;
  if (edited) return { message, next: edited.adoptable ? nextIn(edited.phase) : `pawl restore ${run}` };
  if (typeof withdrawn === 'string')
    return { message: `the question was withdrawn: ${withdrawn}`, next: nextIn(phaseOf(machine, snapshot)) };
  if (state === machine.initial) return { message: `${run} was interrupted before it began`, next };
  if (restingOutcome(machine, snapshot) === null && answered)
    return { message: answerRecorded, next: `pawl resume ${run}` };
  if (restingOutcome(machine, snapshot) === null)
    return { message: `${run} was interrupted in ${state}; everything finished so far is kept`, next };
  return { message, next };
}

function shownOpen({ started: { id, role, step, agent, model, at } }: NonNullable<RunState['open']>) {
  return { id, role, step, agent, model, startedAt: at };
}
