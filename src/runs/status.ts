/** Everything there is to say about one run of any workflow, read without touching anything. */

import { resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import type { Machine, Outcome } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { effectOf } from '../engine/transition.ts';
import { decisionIn, type PendingDecision } from '../runtime/answering.ts';
import {
  requireKnownState,
  restingOutcome,
  readRunState,
  replay,
  waitsUntil,
  type RunState,
} from '../runtime/run-state.ts';
import { isEdit, shownState } from '../runtime/edits.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { JournalRecord } from '../store/record.ts';
import type { Owner } from '../store/run-store.ts';
import type { DispatchSummary, RunView, StatusDetails, Workflow, WorkflowReader } from '../workflows/workflow.ts';
import { shownBudget, shownUsage, type ShownBudget, type ShownUsage } from './consumption.ts';
import { notFoundOf, type FoundRun } from './find.ts';
import { undelivered } from './first-command.ts';
import { exportedRecords } from './foreign.ts';
import { shownDecisions, type DocumentedDecision } from './open-decisions.ts';
import type { Refusal } from './refusal.ts';
import type { RunRepository } from './run-repository.ts';

export interface OpenDecision extends DocumentedDecision {
  /** Why it need not be answered any more; null while it stands. */
  readonly withdrawn: string | null;
  /** The command that answers it; null where the run must get there first. */
  readonly answerWith: string | null;
}

/** Its keys are a promise to scripts. */
export interface RunStatus {
  readonly workflow: string;
  readonly run: string;
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
  readonly edited: { readonly phase: string; readonly journal: string } | null;
  /** Documents that cannot be read. */
  readonly problems: readonly string[];
  /** The process at work just now. */
  readonly owner: Owner | null;
  readonly workspace: string;
}

export interface KnownStatus {
  readonly status: RunStatus;
  readonly details: StatusDetails;
  /** The question it waits with, in full. */
  readonly pending: PendingDecision | null;
  readonly finished: boolean;
  /** Its state file. */
  readonly stateFile: string;
}

/** The document that `--json` prints. */
export function statusDocument({ status, details }: KnownStatus): Readonly<Record<string, unknown>> {
  return { ...status, ...details.keys };
}

export async function statusOf(repository: RunRepository, found: FoundRun): Promise<KnownStatus | Refusal> {
  const { store, root, commonDir } = repository;
  const workflow = await repository.workflows.read(found.workflow);
  const load = (): Promise<Workflow> => repository.workflows.load(found.workflow);
  const { foreign } = found;
  if (!foreign) {
    const state = readRunState(store, found);
    if (!state) throw new Error(`the journal of ${found.run} does not begin with a run`);
    const owner = store.owner(found) ?? null;
    const workspace = resolve(commonDir, state.workspace);
    return statusOfRun({
      workflow,
      load,
      run: found.run,
      state,
      owner,
      workspace,
      records: () => store.records(found) ?? [],
    });
  }
  const records = exportedRecords(root, foreign) ?? [];
  const state = replay(records);
  if (state)
    return statusOfRun({ workflow, load, run: found.run, state, owner: null, workspace: root, records: () => records });
  return statusOfFiles(repository, workflow, found);
}

/** Its files are all there is. */
function statusOfFiles(
  repository: RunRepository,
  workflow: WorkflowReader,
  { run, foreign }: FoundRun,
): KnownStatus | Refusal {
  const { root } = repository;
  const stateFile = foreign?.path ?? '';
  const told = workflow.foreign?.status(run, workspaceFiles(root), stateFile) ?? null;
  if (!told) return notFoundOf(repository, repository.workflows.surfaceOf(workflow.name), run);
  const { phase, outcome, message, next, updatedAt, details } = told;
  return {
    status: {
      workflow: workflow.name,
      run,
      state: null,
      phase,
      outcome,
      message,
      next,
      until: null,
      updatedAt,
      decisions: waitingDecisions(details, []),
      dispatches: [],
      open: null,
      usage: null,
      budget: null,
      edited: null,
      problems: details.problems ?? [],
      owner: null,
      workspace: root,
    },
    details,
    pending: null,
    finished: outcome === 'done',
    stateFile,
  };
}

interface ReadRun {
  readonly workflow: WorkflowReader;
  /** All of it, for the question that is asked. */
  readonly load: () => Promise<Workflow>;
  /** As it is called here: a run that was set aside has another name than it had. */
  readonly run: string;
  readonly state: RunState;
  readonly owner: Owner | null;
  readonly workspace: string;
  readonly records: () => readonly JournalRecord[];
}

async function statusOfRun(read: ReadRun): Promise<KnownStatus> {
  const { workflow, run, state, owner, workspace, records } = read;
  const { machine } = workflow;
  const { snapshot, history, changedAt, spent, open, choice } = state;
  requireKnownState(workflow, run, snapshot);
  const files = workspaceFiles(workspace);
  const view: RunView = { run: state.run, snapshot, files, at: changedAt, history };
  const firstArgs = undelivered(state, machine.initial)?.args ?? {};
  const details = workflow.status({ ...view, firstArgs, unproven: choice.unproven });
  const problems = new Set(details.problems);
  const known = <T>(read: () => T): T | null => orProblem(read, problems);
  const { pending, asked } = await askingOf(read, view, details, problems);
  const shown = known(() => shownState(workflow, view));
  const edited = shown && isEdit(shown, machine, records) ? { phase: shown.phase, journal: shown.recorded } : null;
  const outcome = restingOutcome(machine, snapshot) ?? (owner ? null : 'interrupted');
  const status: RunStatus = {
    workflow: workflow.name,
    run,
    state: snapshot.state,
    phase: phaseOf(machine, snapshot),
    outcome,
    ...explained(workflow, view, { outcome, edited: edited?.phase, withdrawn: pending?.question.withdrawn }),
    until: waitsUntil(snapshot),
    updatedAt: changedAt,
    decisions: [...asked, ...waitingDecisions(details, asked)],
    dispatches: history.map(({ session: _session, tree: _tree, ...dispatch }) => dispatch),
    open: open && startedDispatch(open),
    usage: shownUsage(spent),
    budget: known(() => shownBudget(spent, { ...workflow.settings(files).spending, ...choice.raised })),
    edited,
    problems: [...problems],
    owner,
    workspace,
  };
  const finished = machine.states[snapshot.state]?.kind === 'final';
  return { status, details, pending, finished, stateFile: workflow.stateFile(state.run).path(view) };
}

/** A document that cannot be read is told in place of what it would tell: the journal stands all the same. */
function orProblem<T>(read: () => T, problems: Set<string>): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    problems.add(error.message);
    return null;
  }
}

interface Asking {
  readonly pending: PendingDecision | null;
  readonly asked: readonly OpenDecision[];
}

async function askingOf(
  { workflow: { machine }, load }: ReadRun,
  view: RunView,
  details: StatusDetails,
  problems: Set<string>,
): Promise<Asking> {
  if (effectOf(machine, view.snapshot).type !== 'ask') return { pending: null, asked: [] };
  try {
    const pending = decisionIn(await load(), view);
    return { pending, asked: pending ? askedDecisions(view.run, pending) : [] };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    problems.add(error.message);
    const isNamed = details.waiting !== undefined && details.waiting.length > 0;
    return { pending: null, asked: isNamed ? [] : unmadeDecision(machine, view, error) };
  }
}

function askedDecisions(run: string, pending: PendingDecision): OpenDecision[] {
  const { freeText, withdrawn } = pending.question;
  const words = freeText ? '"<answer>"' : '<answer>';
  return shownDecisions(pending).map((each) => ({
    ...each,
    withdrawn,
    answerWith: `pawl answer ${run} ${each.id} ${words}`,
  }));
}

/** A question whose documents cannot be read stands all the same. */
function unmadeDecision(machine: Machine, { run, snapshot }: RunView, error: DocumentError): OpenDecision[] {
  const effect = effectOf(machine, snapshot);
  if (effect.type !== 'ask') return [];
  const { question: id, options } = effect;
  return [
    {
      id,
      title: `${run} waits for the decision "${id}"`,
      detail: error.message,
      answers: Object.fromEntries(options.map((option) => [option, option])),
      paths: [error.file],
      withdrawn: null,
      answerWith: `pawl answer ${run} ${id} <answer>`,
    },
  ];
}

/** Open, but not asked for just now. */
function waitingDecisions({ waiting = [] }: StatusDetails, asked: readonly OpenDecision[]): OpenDecision[] {
  return waiting
    .filter(({ id }) => !asked.some((each) => each.id === id))
    .map(({ id, title, detail }) => ({
      id,
      title,
      detail,
      answers: {},
      paths: [],
      withdrawn: null,
      answerWith: null,
    }));
}

interface Circumstances {
  readonly outcome: Outcome | null;
  readonly edited: string | undefined;
  readonly withdrawn: string | null | undefined;
}

function explained(
  workflow: WorkflowReader,
  view: RunView,
  { outcome, edited, withdrawn }: Circumstances,
): Pick<RunStatus, 'message' | 'next'> {
  const { machine } = workflow;
  const { run, snapshot } = view;
  const { state } = snapshot;
  if (outcome === null) return { message: `${run} is being worked on: ${state}`, next: `pawl log ${run} --follow` };
  const { message, next } = workflow.summarize(view, { outcome, refusal: null });
  if (edited !== undefined) return { message, next: workflow.nextIn(run, edited) ?? next };
  if (typeof withdrawn === 'string')
    return {
      message: `the question need not be answered any more: ${withdrawn}`,
      next: workflow.nextIn(run, phaseOf(machine, snapshot)) ?? next,
    };
  if (state === machine.initial) return { message: `${run} was cut off before it began`, next };
  if (restingOutcome(machine, snapshot) === null)
    return { message: `${run} was interrupted in ${state}; everything finished so far is kept`, next };
  return { message, next };
}

function startedDispatch({ started }: NonNullable<RunState['open']>): NonNullable<RunStatus['open']> {
  const { id, role, step, agent, model, at } = started;
  return { id, role, step, agent, model, startedAt: at };
}
