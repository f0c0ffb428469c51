/**
 * What lists show of a run, kept with it so that its journal need not be read.
 *
 * N1. It is no truth. It counts only for the journal it was made of, which the store sees to, and as long as every file
 *     that was looked at for it has the time and size it had.
 * N2. What a person wrote into the state file is shown, as long as it is there.
 */

import { dirname } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { DocumentError } from '../documents/document-error.ts';
import { isRecord } from '../schema/values.ts';
import type { Outcome } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { abandoned, stateOf } from '../engine/transition.ts';
import type { Details, RunView, WorkflowReader } from '../workflows/workflow.ts';
import { FileProblem } from '../workspace/files.ts';
import { requireKnownState, restingOutcome, UnknownState, viewOf, type RunState } from './run-state.ts';
import { shownState } from './shown-state.ts';
import { workspaceFiles } from './workspace-files.ts';

export interface RunNote {
  readonly version: 3;
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
  /** Relative to the git directory. */
  readonly workspace: string;
  readonly problem: string | null;
  readonly details: Details;
  /** The agent and the script of its last command. */
  readonly agent: string | null;
  readonly script: string | null;
  readonly files: readonly Stamp[];
}

/** Path, time in ms and size of a file; null where there was none. */
type Stamp = readonly [path: string, ms: number | null, size: number | null];

/** `root` is the run's work tree. `projected` tells that its state file has just been written. */
export function noteOf(
  workflow: WorkflowReader,
  state: RunState,
  root: string,
  { projected = false, disk = nodeDisk }: { readonly projected?: boolean; readonly disk?: Disk } = {},
): RunNote {
  const stamps = new Map<string, Stamp>();
  const files = workspaceFiles(root, disk, (path) => stamps.set(path, stampOf(root, path, disk)));
  const listing = listingOf(workflow, viewOf(state, files), projected);
  return {
    version: 3,
    workspace: state.workspace,
    wrote: hasWritten(workflow, state),
    agent: state.choice.agent,
    script: state.choice.script,
    ...listing,
    files: [...stamps.values()],
  };
}

export function hasWritten({ writers }: WorkflowReader, { history, open }: RunState): boolean {
  const roles = [...history.map(({ role }) => role), ...(open ? [open.started.role] : [])];
  return roles.some((role) => writers.includes(role));
}

function listingOf(workflow: WorkflowReader, view: RunView, projected: boolean) {
  const { run, snapshot, at } = view;
  const { machine } = workflow;
  try {
    requireKnownState(workflow, run, snapshot);
    // A file that has just been written shows what the journal says; only its stamp is noted.
    if (projected) view.files.exists(workflow.stateFile(run).path(view));
    const shown = projected ? null : shownState(workflow, view);
    const phase = shown?.phase ?? phaseOf(machine, snapshot);
    return {
      phase,
      outcome: restingOutcome(machine, snapshot),
      finished: stateOf(machine, snapshot.state).kind === 'final',
      updatedAt: shown && Date.parse(shown.updatedAt) > 0 ? shown.updatedAt : at,
      next: nextFor(workflow, view, { phase, isEdited: shown !== null && shown.phase !== shown.recorded }),
      problem: null,
      details: workflow.listed(view),
    };
  } catch (error) {
    if (!(error instanceof DocumentError || error instanceof FileProblem || error instanceof UnknownState)) throw error;
    const { outcome } = snapshot;
    const next = error instanceof UnknownState ? null : `pawl restore ${run}`;
    return { phase: null, outcome, finished: false, updatedAt: at, next, problem: error.message, details: {} };
  }
}

/** As `status` says it, without what only a process or a question that is loaded could tell. */
function nextFor(
  workflow: WorkflowReader,
  view: RunView,
  { phase, isEdited }: { readonly phase: string | null; readonly isEdited: boolean },
): string | null {
  const { run, snapshot, files } = view;
  if (snapshot.state === abandoned) return null;
  const outcome = restingOutcome(workflow.machine, snapshot) ?? 'interrupted';
  const { next } = workflow.summarize(view, { outcome, refusal: null });
  const path = workflow.stateFile(run).path(view);
  // Its files are elsewhere: `status` says where.
  const isGone = view.history.length > 0 && !files.exists(path) && !files.exists(dirname(path));
  if (isGone && stateOf(workflow.machine, snapshot.state).kind !== 'final')
    return `pawl ${workflow.name} status ${run}`;
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
    isRecord(value) && value['version'] === 3 && Array.isArray(value['files']);
  const value = orElse(undefined, (): unknown => JSON.parse(text));
  return isNote(value) ? value : undefined;
}
