/**
 * What lists show of a run, kept with it so that its journal need not be read.
 *
 * N1. It is no truth. It counts only for the journal it was made of, which the store sees to, and as long as every file
 *     that was read for it has the time and size it had, and every folder in which one was looked for.
 * N2. What a person wrote into the state file is shown, as long as it is there.
 */

import { dirname, join, relative } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { DocumentError } from '../documents/document-error.ts';
import { isRecord } from '../schema/values.ts';
import type { Outcome } from '../engine/machine.ts';
import { isFinalPhase, phaseOf } from '../engine/phase.ts';
import { abandoned, effectOf, stateOf } from '../engine/transition.ts';
import type { Details, DispatchSummary, RunView, WorkflowReader } from '../workflows/workflow.ts';
import { FileProblem } from '../workspace/files.ts';
import { requireKnownState, restingOutcome, UnknownState, viewOf, type RunState } from './run-state.ts';
import { shownState } from './shown-state.ts';
import { workspaceFiles, type Look, type RootOf } from './workspace-files.ts';

export interface RunNote {
  readonly version: 5;
  /** Where it is, in the workflow's own words; null for a run that has not begun or cannot be read. */
  readonly phase: string | null;
  /** What it told its caller; null while it is under way. */
  readonly outcome: Outcome | null;
  /** Whether it is over for good. */
  readonly finished: boolean;
  /** Whether one of its dispatches wrote the work tree, or may have. */
  readonly wrote: boolean;
  readonly updatedAt: string;
  readonly next: string | null;
  /** Why it stands where it does, in a line; null for a run that is over. */
  readonly message: string | null;
  /** The question it waits with. */
  readonly asks: string | null;
  /** The dispatch that was started and has not ended. */
  readonly doing: (Pick<DispatchSummary, 'role' | 'step' | 'agent'> & { readonly since: string }) | null;
  readonly spent: NotedSpending;
  /** Relative to the git directory. */
  readonly workspace: string;
  readonly problem: string | null;
  readonly details: Details;
  /** The agents, the models and the script of its last command. */
  readonly agent: string | null;
  readonly model: string | null;
  readonly script: string | null;
  readonly files: readonly Stamp[];
}

/** Agent calls; their cost as far as it is known, and for how many it is not. Null: for none. */
export interface NotedSpending {
  readonly calls: number;
  readonly costUsd: number | null;
  readonly unknownCost: number;
}

/** Path, time in ms and size of a file or folder; null where there was none. */
type Stamp = readonly [path: string, ms: number | null, size: number | null];

/** `root` is the run's work tree. `projected` tells that its state file has just been written. */
export function noteOf(
  workflow: WorkflowReader,
  state: RunState,
  root: string,
  {
    projected = false,
    disk = nodeDisk,
    rootOf = () => root,
  }: { readonly projected?: boolean; readonly disk?: Disk; readonly rootOf?: RootOf } = {},
): RunNote {
  const stamps = new Map<string, Stamp>();
  const onLook = (path: string, look: Look): void => {
    // A file comes and goes with the time of its folder, and many are looked for in few.
    const noted = look === 'exists' ? dirname(path) : path;
    const place = rootOf(path) === root ? noted : relative(root, join(rootOf(path), noted));
    if (!stamps.has(place)) stamps.set(place, stampOf(root, place, disk));
  };
  const files = workspaceFiles(rootOf, disk, onLook);
  const note = (path: string): void => onLook(path, 'read');
  const listing = listingOf(workflow, viewOf(state, files), { note, projected, answered: state.answered });
  return {
    version: 5,
    workspace: state.workspace,
    wrote: hasWritten(workflow, state),
    agent: state.choice.agent,
    model: state.choice.model,
    script: state.choice.script,
    ...factsIn(state),
    ...listing,
    files: [...stamps.values()],
  };
}

/** What a journal says by itself, whatever its workflow. */
export function factsIn({ spent, open }: RunState): Pick<RunNote, 'doing' | 'spent'> {
  const { dispatches, reruns, costUsd, unknownCost } = spent;
  const calls = dispatches + reruns;
  const { role, step, agent, at: since } = open?.started ?? {};
  return {
    doing: role && step && agent && since ? { role, step, agent, since } : null,
    spent: { calls, costUsd: calls > 0 && unknownCost >= calls ? null : costUsd, unknownCost },
  };
}

export function hasWritten({ writers }: Pick<WorkflowReader, 'writers'>, { history, open }: RunState): boolean {
  const roles = [...history.map(({ role }) => role), ...(open ? [open.started.role] : [])];
  return roles.some((role) => writers.includes(role));
}

interface Circumstances {
  readonly note: (path: string) => void;
  readonly projected: boolean;
  readonly answered: boolean;
}

function listingOf(workflow: WorkflowReader, view: RunView, { note, projected, answered }: Circumstances) {
  const { run, snapshot, at } = view;
  const { machine } = workflow;
  try {
    requireKnownState(workflow, run, snapshot);
    // A file that has just been written shows what the journal says; only its stamp is noted.
    if (projected) note(workflow.stateFile(run).path(view));
    const shown = projected ? null : shownState(workflow, view);
    const phase = shown?.phase ?? phaseOf(machine, snapshot);
    const finished = stateOf(machine, snapshot.state).kind === 'final';
    const effect = effectOf(machine, snapshot);
    const isEdited = shown !== null && shown.phase !== shown.recorded;
    return {
      phase,
      outcome: restingOutcome(machine, snapshot),
      finished,
      asks: effect.type === 'ask' ? effect.question : null,
      updatedAt: shown && Date.parse(shown.updatedAt) > 0 ? shown.updatedAt : at,
      ...wordsFor(workflow, view, { phase, isEdited, answered }),
      ...(finished && { message: null }),
      problem: null,
      details: workflow.listed(view),
    };
  } catch (error) {
    if (!(error instanceof DocumentError || error instanceof FileProblem || error instanceof UnknownState)) throw error;
    const { outcome } = snapshot;
    const next = error instanceof UnknownState ? null : `pawl restore ${run}`;
    const unread = { phase: null, outcome, finished: false, asks: null, updatedAt: at, details: {} };
    return { ...unread, next, message: null, problem: error.message };
  }
}

interface Place {
  readonly phase: string | null;
  readonly isEdited: boolean;
  readonly answered: boolean;
}

/** As `status` says it, without what only a process or a question that is loaded could tell. */
function wordsFor(workflow: WorkflowReader, view: RunView, place: Place): Pick<RunNote, 'next' | 'message'> {
  const { run, snapshot } = view;
  if (snapshot.state === abandoned) return { next: null, message: null };
  const outcome = restingOutcome(workflow.machine, snapshot);
  if (outcome === null && place.answered) return { next: `pawl resume ${run}`, message: answerRecorded };
  const { next, message } = workflow.summarize(view, { outcome: outcome ?? 'interrupted', refusal: null });
  const [first = ''] = message.split('\n');
  const why = outcome === null ? `interrupted in ${snapshot.state}; everything finished so far is kept` : first;
  return { next: nextFor(workflow, view, { ...place, next }), message: why.slice(0, messageCharsMax) };
}

export const answerRecorded = 'answer recorded, not continued yet';
const messageCharsMax = 300;

function nextFor(
  workflow: WorkflowReader,
  view: RunView,
  { phase, isEdited, next }: Omit<Place, 'answered'> & { readonly next: string | null },
): string | null {
  const { run, snapshot, files } = view;
  const path = workflow.stateFile(run).path(view);
  // Its files are elsewhere: `status` says where.
  const isGone = view.history.length > 0 && !files.exists(path) && !files.exists(dirname(path));
  if (isGone && stateOf(workflow.machine, snapshot.state).kind !== 'final')
    return `pawl ${workflow.name} status ${run}`;
  if (isEdited && phase !== null && isFinalPhase(workflow.machine, phase)) return `pawl restore ${run}`;
  return isEdited ? (workflow.nextIn(run, phase) ?? next) : next;
}

/** N1. */
export function isCurrent(note: RunNote, root: string, disk: Disk = nodeDisk): boolean {
  return note.files.every(([path, ms, size]) => {
    const [, msNow, sizeNow] = stampOf(root, path, disk);
    return ms === msNow && size === sizeNow;
  });
}

function stampOf(root: string, path: string, disk: Disk): Stamp {
  // In a folder nobody may look into, the file cannot be read either.
  const found = orElse(undefined, () => disk.target(`${root}/${path}`));
  return [path, found?.mtimeMs ?? null, found?.bytes ?? null];
}

/** Undefined where another version of Pawl kept it, or a full disk cut it short. */
export function readNote(text: string): RunNote | undefined {
  const isNote = (value: unknown): value is RunNote =>
    isRecord(value) && value['version'] === 5 && Array.isArray(value['files']);
  const value = orElse(undefined, (): unknown => JSON.parse(text));
  return isNote(value) ? value : undefined;
}
