/**
 * Everything there is to say about one change, read without touching anything.
 *
 * What takes a parser is loaded only where there is something to parse: a pending question, an unusual state file.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DocumentError } from '../../documents/document-error.ts';
import type { Outcome } from '../../engine/machine.ts';
import { effectOf, type Effect } from '../../engine/transition.ts';
import { readJournal } from '../../store/journal.ts';
import { currentOwner } from '../../store/lease.ts';
import type { Owner } from '../../store/run-store.ts';
import { isEarlierProjection, waitsUntil, type OpenDispatch, type RunState } from '../../runtime/run-state.ts';
import { limitsOf } from '../../runtime/spending.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { machine } from '../../workflows/change/machine.ts';
import { archiveFolder, configPath, statePath, tasksPath } from '../../workflows/change/paths.ts';
import { phaseOf, type Phase } from '../../workflows/change/phases.ts';
import { archivedAs } from '../../workflows/change/run-data.ts';
import { iterationOf, verdictOf } from '../../workflows/change/standing.ts';
import { nextOf, summarize } from '../../workflows/change/summary.ts';
import type { DispatchSummary, FileView, RunView } from '../../workflows/workflow.ts';
import type { Repository } from '../../workspace/git.ts';
import { leaseOptions } from '../compose.ts';
import { exportedJournal } from '../find-run.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import { shownBudget, shownUsage, type ShownBudget, type ShownUsage } from '../show/consumption.ts';
import { changeNotFound } from './known.ts';
import { staleDocuments, type StaleDocument } from './stale.ts';
import { readState, type StateText } from './state-reading.ts';
import { pendingDecision, type ShownDecision } from './status-decision.ts';
import { countTasks, type TaskCount } from './task-count.ts';

/** The document `--json` prints; its keys are a promise to scripts. */
export interface ChangeStatus {
  readonly workflow: 'change';
  readonly run: string;
  /** The machine's state; null for a change without a journal here. */
  readonly state: string | null;
  readonly phase: Phase | null;
  readonly verdict: string | null;
  readonly iteration: number | null;
  /** Null while a process is at work, and where no journal tells. */
  readonly outcome: Outcome | null;
  readonly message: string;
  readonly next: string | null;
  /** When a rate limit ends that stopped it. */
  readonly until: string | null;
  readonly updatedAt: string | null;
  readonly decisions: readonly ShownDecision[];
  readonly dispatches: readonly Omit<DispatchSummary, 'session' | 'tree'>[];
  /** The dispatch that was started and has not ended. */
  readonly open:
    | (Pick<DispatchSummary, 'id' | 'role' | 'step' | 'agent' | 'model'> & { readonly startedAt: string })
    | null;
  readonly usage: ShownUsage | null;
  readonly budget: ShownBudget | null;
  readonly stale: readonly StaleDocument[];
  readonly tasks: TaskCount | null;
  /** The phase a person wrote into STATE.yaml, where the journal says otherwise. */
  readonly edited: { readonly phase: Phase; readonly journal: Phase | null } | null;
  /** The process at work just now. */
  readonly owner: Owner | null;
  readonly workspace: string;
}

export async function gatherStatus(repository: Repository, id: string): Promise<ChangeStatus> {
  const folder = runFolder(repository.commonDir, 'change', id);
  const state = stateIn(folder);
  if (!state) return statusWithoutRun(repository, id);
  const workspace = resolve(repository.commonDir, state.workspace);
  const owner = currentOwner(folder, leaseOptions(false)) ?? null;
  return statusOfRun({ id, folder, state, workspace, owner });
}

/** A change of a fresh clone: an archived one has its journal with it. */
async function statusWithoutRun(repository: Repository, id: string): Promise<ChangeStatus> {
  const { root } = repository;
  const folder = existsSync(join(root, statePath(id))) ? null : exportedJournal(root, id);
  const state = folder === null ? undefined : stateIn(folder);
  if (folder === null || !state) return statusOfFile(repository, id);
  return statusOfRun({ id, folder, state, workspace: root, owner: null });
}

/** Its state file is all there is. */
async function statusOfFile({ root, commonDir }: Repository, id: string): Promise<ChangeStatus> {
  const files = workspaceFiles(root);
  const path = [statePath(id), `${archiveFolder(id)}/STATE.yaml`].find((file) => files.exists(file));
  const text = path === undefined ? undefined : files.read(path);
  if (path === undefined || text === undefined) throw changeNotFound(root, commonDir, id);
  const file = await readState(text, path);
  const { phase, verdict, iteration, updatedAt } = file;
  return {
    workflow: 'change',
    run: id,
    state: null,
    phase,
    verdict,
    iteration,
    outcome: phase === 'archived' ? 'done' : null,
    message:
      phase === 'archived'
        ? `${id} is archived (${path}); its journal is not in this repository`
        : `${path} has no journal in this repository; a command that goes on with it asks first (--accept-state vouches for it)`,
    next: nextOf(id, phase),
    until: null,
    updatedAt,
    decisions: [],
    dispatches: [],
    open: null,
    usage: null,
    budget: null,
    stale: staleOf(file, files, id),
    tasks: tasksOf(phase, files, id),
    edited: null,
    owner: null,
    workspace: root,
  };
}

interface Found {
  readonly id: string;
  readonly folder: string;
  readonly state: RunState;
  readonly workspace: string;
  readonly owner: Owner | null;
}

async function statusOfRun({ id, folder, state, workspace, owner }: Found): Promise<ChangeStatus> {
  const { snapshot, history, changedAt } = state;
  const files = workspaceFiles(workspace);
  const view: RunView = { run: id, snapshot, files, config: undefined, at: changedAt, history };
  const phase = phaseOf(snapshot);
  const effect = effectOf(machine, snapshot);
  const file = await stateFileOf(view);
  const edited = file && isEdited(file, phase, folder) ? { phase: file.phase, journal: phase } : null;
  const decision = effect.type === 'ask' ? await pendingDecision(effect, view) : null;
  const outcome = outcomeOf(effect, owner);
  const underWay = effect.type === 'dispatch' || effect.type === 'check';
  return {
    workflow: 'change',
    run: id,
    state: snapshot.state,
    phase,
    verdict: verdictOf({ snapshot }),
    iteration: iterationOf({ snapshot }),
    outcome,
    ...saidOf(view, { outcome, edited: edited?.phase ?? null, withdrawn: decision?.withdrawn ?? null }),
    until: waitsUntil(snapshot),
    updatedAt: changedAt,
    decisions: decision ? [decision] : [],
    dispatches: history.map(({ session: _session, tree: _tree, ...dispatch }) => dispatch),
    open: state.open && openOf(state.open),
    usage: shownUsage(state.spent),
    budget: await budgetOf(state, files),
    stale: file && !underWay ? staleOf(file, files, id) : [],
    tasks: tasksOf(phase, files, id),
    edited,
    owner,
    workspace,
  };
}

/** Null when the configuration cannot be read: the next command says what is wrong with it. */
async function budgetOf({ spent, choice }: RunState, files: FileView): Promise<ShownBudget | null> {
  const [{ readConfig }, { spendingLimits }] = await Promise.all([
    import('../../workflows/change/config.ts'),
    import('../../workflows/run-config.ts'),
  ]);
  try {
    const { config } = readConfig(files.read(configPath), configPath);
    return shownBudget(spent, limitsOf(spendingLimits(config), choice));
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}

/** Empty counts as missing: the next command writes it anew. */
async function stateFileOf({ run, snapshot, files }: RunView): Promise<StateText | null> {
  const name = archivedAs(snapshot);
  const path = name === null ? statePath(run) : `${archiveFolder(name)}/STATE.yaml`;
  const text = files.read(path) ?? '';
  return text.trim() === '' ? null : readState(text, path);
}

/** A file that shows an earlier moment of the run is merely old, and is rolled forward without a question. */
function isEdited(file: StateText, phase: Phase | null, folder: string): boolean {
  return phase !== null && file.phase !== phase && !isEarlierProjection(readJournal(folder) ?? [], machine, file);
}

function outcomeOf(effect: Effect, owner: Owner | null): Outcome | null {
  if (effect.type === 'rest') return effect.outcome;
  if (effect.type === 'ask') return 'needs_person';
  return owner ? null : 'interrupted';
}

interface Circumstances {
  readonly outcome: Outcome | null;
  readonly edited: Phase | null;
  readonly withdrawn: string | null;
}

function saidOf(view: RunView, { outcome, edited, withdrawn }: Circumstances): Pick<ChangeStatus, 'message' | 'next'> {
  const { run, snapshot } = view;
  if (outcome === null)
    return { message: `${run} is being worked on: ${snapshot.state}`, next: `pawl log ${run} --follow` };
  const underWay = effectOf(machine, snapshot).type !== 'rest';
  const { message, next } = summarize(view, { outcome, refusal: null });
  if (edited !== null) return { message, next: nextOf(run, edited) };
  if (withdrawn !== null)
    return {
      message: `the question need not be answered any more: ${withdrawn}`,
      next: nextOf(run, phaseOf(snapshot)),
    };
  if (outcome === 'interrupted' && underWay) {
    return { message: `${run} was interrupted in ${snapshot.state}; everything finished so far is kept`, next };
  }
  return { message, next };
}

function openOf({ started }: OpenDispatch): NonNullable<ChangeStatus['open']> {
  const { id, role, step, agent, model, at } = started;
  return { id, role, step, agent, model, startedAt: at };
}

/** An archived change has nothing to compare. */
function staleOf({ phase, checksums }: StateText, files: FileView, id: string): StaleDocument[] {
  return phase === 'archived' ? [] : staleDocuments(checksums, files, id);
}

function tasksOf(phase: Phase | null, files: FileView, id: string): TaskCount | null {
  if (phase !== 'challenged' && phase !== 'implementing') return null;
  const text = files.read(tasksPath(id));
  return text === undefined ? null : countTasks(text);
}
