/**
 * What lists show of a run, kept with it so that its journal need not be read.
 *
 * N1. It is no truth. It counts only for the journal it was made of, which the store sees to, and as long as every file
 *     that was looked at for it has the time and size it had.
 * N2. What a person wrote into the state file is shown, as long as it is there.
 */

import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { DocumentError } from '../documents/document-error.ts';
import { isRecord } from '../schema/values.ts';
import type { Outcome } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import type { Details, FileView, RunView, WorkflowReader } from '../workflows/workflow.ts';
import { FileProblem } from '../workspace/files.ts';
import { requireKnownState, restingOutcome, UnknownState, type RunState } from './run-state.ts';
import { shownState } from './state-edits.ts';
import { workspaceFiles } from './workspace-files.ts';

export interface RunNote {
  readonly version: 1;
  readonly phase: string | null;
  /** What it told its caller; null while it is under way. */
  readonly outcome: Outcome | null;
  /** Whether it is over for good. */
  readonly finished: boolean;
  readonly updatedAt: string;
  readonly next: string | null;
  /** Relative to the git directory. */
  readonly workspace: string;
  readonly problem: string | null;
  readonly details: Details;
  /** Path, time in ms and size; null where there was no such file. */
  readonly files: readonly (readonly [string, number | null, number | null])[];
}

/** `root` is the run's work tree. `projected` tells that its state file has just been written. */
export function noteOf(
  workflow: WorkflowReader,
  state: RunState,
  root: string,
  { projected = false, disk = nodeDisk }: { readonly projected?: boolean; readonly disk?: Disk } = {},
): RunNote {
  const seen = new Map<string, readonly [string, number | null, number | null]>();
  const files = watched(workspaceFiles(root, disk), (path) => seen.set(path, stampOf(root, path, disk)));
  const { run, snapshot, history, changedAt } = state;
  const view: RunView = { run, snapshot, files, at: changedAt, history };
  const facts = factsOf(workflow, view, projected);
  return { version: 1, workspace: state.workspace, ...facts, files: [...seen.values()] };
}

type Facts = Omit<RunNote, 'version' | 'workspace' | 'files'>;

function factsOf(workflow: WorkflowReader, view: RunView, projected: boolean): Facts {
  const { run, snapshot, at } = view;
  const broken = { phase: null, outcome: snapshot.outcome, finished: false, updatedAt: at, next: null, details: {} };
  try {
    requireKnownState(workflow, run, snapshot);
    const phase = phaseOf(workflow.machine, snapshot);
    const shown = projected ? stamped(workflow, view) : shownState(workflow, view);
    return {
      phase: shown?.phase ?? phase,
      outcome: restingOutcome(workflow.machine, snapshot),
      finished: workflow.machine.states[snapshot.state]?.kind === 'final',
      updatedAt: Date.parse(shown?.updatedAt ?? '') > 0 ? (shown?.updatedAt ?? at) : at,
      next: workflow.nextIn(run, shown?.phase ?? phase),
      problem: null,
      details: workflow.listed(view),
    };
  } catch (error) {
    if (!(error instanceof DocumentError || error instanceof FileProblem || error instanceof UnknownState)) throw error;
    return { ...broken, problem: error.message };
  }
}

/** A file that has just been written shows what the journal says; only what it looks like from outside is noted. */
function stamped(workflow: WorkflowReader, view: RunView): null {
  view.files.exists(workflow.stateFile(view.run).path(view));
  return null;
}

function watched(files: FileView, onLook: (path: string) => void): FileView {
  return {
    read: (path) => {
      onLook(path);
      return files.read(path);
    },
    exists: (path) => {
      onLook(path);
      return files.exists(path);
    },
    list: (folder) => files.list(folder),
  };
}

/** N1. */
export function isCurrent(note: RunNote, root: string, disk: Disk = nodeDisk): boolean {
  return note.files.every(([path, ms, size]) => {
    const [, msNow, sizeNow] = stampOf(root, path, disk);
    return ms === msNow && size === sizeNow;
  });
}

function stampOf(root: string, path: string, disk: Disk): readonly [string, number | null, number | null] {
  try {
    const found = disk.target(`${root}/${path}`);
    return [path, found?.mtimeMs ?? null, found?.bytes ?? null];
  } catch {
    // A folder nobody may look into: the file cannot be read either.
    return [path, null, null];
  }
}

/** Undefined where another version of Pawl kept it, or a full disk cut it short. */
export function readNote(text: string): RunNote | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isNote(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isNote(value: unknown): value is RunNote {
  return isRecord(value) && value['version'] === 1 && Array.isArray(value['files']);
}
