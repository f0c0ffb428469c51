/**
 * All runs of a repository, as lists show them.
 *
 * C1. A run is read where it works. Its journal is read only where no note of it counts, and then from its checkpoint on.
 * C2. Runs that only their files tell of are among them.
 * C3. A workflow that a project defines itself may be code, so it is never loaded to list its runs.
 */

import { relative, resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import type { Outcome } from '../engine/machine.ts';
import { foldOf, readRunState } from '../runtime/run-state.ts';
import { isCurrent, noteOf, readNote, type RunNote } from '../runtime/run-note.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { JournalCorrupt } from '../store/record.ts';
import type { Owner, RunKey } from '../store/run-store.ts';
import type { ForeignRun, WorkflowSurface } from '../workflows/surface.ts';
import type { Details, WorkflowReader } from '../workflows/workflow.ts';
import { FileProblem } from '../workspace/files.ts';
import { findRunOf, runKeys, shortList, type FoundRun } from './find.ts';
import { archivedRuns, foreignRuns } from './foreign.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './run-repository.ts';

export interface ListedRun {
  readonly workflow: string;
  readonly run: string;
  /** Where it is, in the workflow's own words; null for a run that has not begun or cannot be read. */
  readonly phase: string | null;
  /** What it told its caller when it came to rest; null while a process works on it, and where no journal tells. */
  readonly outcome: Outcome | null;
  readonly updatedAt: string | null;
  /** The process at work on it just now. */
  readonly owner: Owner | null;
  readonly next: string | null;
  /** The work tree it lives in, relative to this one; null here. */
  readonly workspace: string | null;
  readonly problem: string | null;
  /** Whether it has a journal in this repository. */
  readonly journal: boolean;
  /** Whether it is over for good. */
  readonly finished: boolean;
  /** What only runs of its workflow have. */
  readonly details: Details;
}

/** A run at work is among those that changed last, so only so many are asked for their owner. */
const ownersMax = 200;

/** Those of one workflow, or of all; the latest first, and what is broken before all, so that it is seen. */
export async function listRuns(repository: RunRepository, only?: WorkflowSurface): Promise<readonly ListedRun[]> {
  const keys = runKeys(repository, only?.name);
  const found = await begunRuns(repository, keys);
  for (const surface of only ? [only] : repository.workflows.bundled) {
    const known = new Set(keys.filter(({ workflow }) => workflow === surface.name).map(({ run }) => run));
    found.push(...(await listForeign(repository, surface, foreignRuns(repository, surface, known))));
  }
  return latestFirst(found).map((each, index) => withOwner(repository, each, index < ownersMax));
}

/** Those that were filed away, by the names they were filed under. */
export async function listArchived(repository: RunRepository, surface: WorkflowSurface): Promise<readonly ListedRun[]> {
  return latestFirst(await listForeign(repository, surface, archivedRuns(repository, surface)));
}

/** The one that is not finished, else the latest, of those that can be read. */
export async function latestRun(repository: RunRepository, surface: WorkflowSurface): Promise<ListedRun | undefined> {
  const runs = (await listRuns(repository, surface)).filter(({ problem }) => problem === null);
  return runs.find(({ finished }) => !finished) ?? runs[0];
}

/** The one that can be meant without being named. */
export async function onlyUnfinished(repository: RunRepository, surface: WorkflowSurface): Promise<FoundRun | Refusal> {
  const { name, begin, list } = surface;
  const open = (await listRuns(repository, surface)).filter(({ run, finished }) => !finished && surface.isRunName(run));
  const [only, ...more] = open.map(({ run }) => run);
  if (only === undefined)
    return refusal('RunNotFound', `there is no unfinished ${name} in this repository`, { fix: `begin one: ${begin}` });
  if (more.length === 0) return findRunOf(repository, surface, only);
  return refusal('AmbiguousRun', `several ${list.plural} are not finished: ${shortList([only, ...more])}`, {
    fix: `say which one, for example ${only}`,
  });
}

async function begunRuns(repository: RunRepository, keys: readonly RunKey[]): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  const stale: RunKey[] = [];
  const placeOf = places(repository);
  const notes = repository.store.notes();
  for (const key of keys) {
    const text = notes.of(key);
    const note = text === undefined ? undefined : readNote(text);
    const place = note && placeOf(note.workspace);
    if (note && place && isCurrent(note, place.root)) found.push(listedBy(key, note, place.shown));
    else stale.push(key);
  }
  for (const key of stale) {
    const listed = await listAnew(repository, key, placeOf);
    if (listed) found.push(listed);
  }
  return found;
}

interface Place {
  /** The work tree. */
  readonly root: string;
  readonly shown: string | null;
}

type PlaceOf = (workspace: string) => Place;

/** Many runs live in few work trees. */
function places({ root, commonDir }: RunRepository): PlaceOf {
  const known = new Map<string, Place>();
  return (workspace) => {
    const before = known.get(workspace);
    if (before) return before;
    const place = resolve(commonDir, workspace);
    const found = { root: place, shown: place === root ? null : relative(root, place) };
    known.set(workspace, found);
    return found;
  };
}

/** C1. */
async function listAnew(repository: RunRepository, key: RunKey, placeOf: PlaceOf): Promise<ListedRun | undefined> {
  const { store, workflows } = repository;
  try {
    if (!workflows.bundled.some(({ name }) => name === key.workflow)) return ownRun(repository, key, placeOf);
    const workflow = await workflows.read(key.workflow);
    const text = store.makeNote(key, (journal) => {
      const state = foldOf(journal)?.state;
      return state && JSON.stringify(noteOf(workflow, state, placeOf(state.workspace).root));
    });
    const note = text === undefined ? undefined : readNote(text);
    return note && listedBy(key, note, placeOf(note.workspace).shown);
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    return { ...unknown, ...key, problem: error.message, journal: true };
  }
}

/** C3: without a note, only what the journal says by itself. */
function ownRun({ store }: RunRepository, key: RunKey, placeOf: PlaceOf): ListedRun | undefined {
  const state = readRunState(store, key);
  if (!state) return undefined;
  const { snapshot, changedAt, workspace } = state;
  return {
    ...unknown,
    ...key,
    phase: snapshot.state,
    outcome: snapshot.outcome,
    updatedAt: changedAt,
    workspace: placeOf(workspace).shown,
    journal: true,
  };
}

function listedBy({ workflow, run }: RunKey, note: RunNote, workspace: string | null): ListedRun {
  const { phase, outcome, updatedAt, next, problem, finished, details } = note;
  return {
    workflow,
    run,
    phase,
    outcome: outcome ?? (problem === null ? 'interrupted' : null),
    updatedAt: problem === null ? updatedAt : null,
    owner: null,
    next,
    workspace,
    problem,
    journal: true,
    finished,
    details,
  };
}

const unknown = {
  phase: null,
  outcome: null,
  updatedAt: null,
  owner: null,
  next: null,
  workspace: null,
  problem: null,
  journal: false,
  finished: false,
  details: {},
};

/** C2. */
async function listForeign(
  repository: RunRepository,
  surface: WorkflowSurface,
  runs: readonly ForeignRun[],
): Promise<ListedRun[]> {
  if (runs.length === 0) return [];
  const workflow = await repository.workflows.read(surface.name);
  return runs.flatMap((foreign) => foreignRun(repository.root, workflow, foreign) ?? []);
}

function foreignRun(
  root: string,
  { name, foreign: reader }: WorkflowReader,
  foreign: ForeignRun,
): ListedRun | undefined {
  const { run, path, problem, archived } = foreign;
  const files = workspaceFiles(root);
  if (problem !== undefined) return files.exists(path) ? { ...unknown, workflow: name, run, problem } : undefined;
  try {
    const found = reader?.listed(run, files, path);
    if (!found) return undefined;
    const finished = found.outcome === 'done';
    return { ...unknown, workflow: name, run, ...found, next: archived ? null : found.next, finished };
  } catch (error) {
    if (!(error instanceof DocumentError) && !(error instanceof FileProblem)) throw error;
    return { ...unknown, workflow: name, run, problem: error.message };
  }
}

/** What a process works on has not come to rest. */
function withOwner({ store }: RunRepository, listed: ListedRun, asks: boolean): ListedRun {
  const owner = asks && listed.journal ? store.owner(listed) : undefined;
  if (!owner) return listed;
  return { ...listed, owner, outcome: listed.outcome === 'interrupted' ? null : listed.outcome };
}

function latestFirst(runs: readonly ListedRun[]): ListedRun[] {
  return runs.toSorted((left, right) => {
    const leftTime = timeOf(left);
    const rightTime = timeOf(right);
    if (leftTime === rightTime) return left.run < right.run ? -1 : 1;
    return leftTime > rightTime ? -1 : 1;
  });
}

/** Without a time, a name that begins with a date tells how old it is. */
function timeOf({ updatedAt, problem, run }: ListedRun): string {
  return problem === null ? (updatedAt ?? run) : 'broken';
}
