/**
 * All runs of a repository, as lists show them.
 *
 * C1. A run is read where it works. Its journal is read only where no note of it counts, and then from its checkpoint on.
 * C2. Runs that only their files tell of are among them.
 * C3. A workflow that a project defines itself may be code, so it is never loaded to list its runs.
 */

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import { foldOf, readRunState } from '../runtime/run-state.ts';
import { factsIn, isCurrent, noteOf, readNote, type RunNote } from '../runtime/run-note.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import { JournalCorrupt } from '../store/record.ts';
import type { Owner, RunKey } from '../store/run-store.ts';
import type { ForeignRun, WorkflowSurface } from '../workflows/surface.ts';
import { FileProblem } from '../workspace/files.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { findRunOf, runKeys, shortList } from './find.ts';
import { ambiguous, archivedRuns, foreignRuns, type FoundRun } from './find.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

/** What a note tells. Without a journal here, and while a process works on it, there is no outcome. */
export interface ListedRun extends RunKey, Omit<RunNote, 'version' | 'files' | 'updatedAt' | 'workspace'> {
  readonly updatedAt: string | null;
  readonly owner: Owner | null;
  /** The work tree it lives in, relative to this one; null here. */
  readonly workspace: string | null;
  /** Whether it has a journal in this repository. */
  readonly journal: boolean;
}

/** A run at work is among those that changed last, so only so many are asked for their owner. */
const ownersMax = 200;

/** Those of one workflow, or of all; the latest first, and what is broken before all, so that it is seen. */
export async function listRuns(repository: RunRepository, only?: WorkflowSurface): Promise<readonly ListedRun[]> {
  const keys = runKeys(repository, only?.name);
  const found = await begunRuns(repository, keys);
  for (const surface of only ? [only] : repository.workflows.bundled) {
    // A folder without a single record is no run: only its files tell of it.
    const known = new Set(found.filter(({ workflow }) => workflow === surface.name).map(({ run }) => run));
    found.push(...(await listForeign(repository, surface, foreignRuns(repository, surface, known))));
  }
  return latestFirst(found).map((each, index) => withOwner(repository, each, index < ownersMax));
}

/** Those that were filed away, by the names they were filed under. */
export async function listArchived(repository: RunRepository, surface: WorkflowSurface): Promise<readonly ListedRun[]> {
  return latestFirst(await listForeign(repository, surface, archivedRuns(repository, surface)));
}

/** The one that is not finished, else the latest; one that cannot be read only where there is no other. */
export async function latestRun(repository: RunRepository, surface: WorkflowSurface): Promise<ListedRun | undefined> {
  const all = (await listRuns(repository, surface)).filter(({ run }) => surface.isRunName(run));
  const runs = all.filter(({ problem, next }) => problem === null || next !== null);
  const isHere = ({ workspace, finished }: ListedRun): boolean => workspace === null && !finished;
  const here = repository.root === mainWorkTree(repository) ? undefined : runs.find(isHere);
  return here ?? runs.find(({ finished }) => !finished) ?? runs[0] ?? all[0];
}

/** The one that can be meant without being named. */
export async function onlyUnfinished(repository: RunRepository, surface: WorkflowSurface): Promise<FoundRun | Refusal> {
  const { name, begin, list } = surface;
  const open = (await listRuns(repository, surface)).filter(({ run, finished }) => !finished && surface.isRunName(run));
  // In the worktree of one of them, that one is meant.
  const here = repository.root === mainWorkTree(repository) ? [] : open.filter(({ workspace }) => workspace === null);
  const [only, ...more] = (here.length === 1 ? here : open).map(({ run }) => run);
  if (only === undefined)
    return refusal('RunNotFound', `there is no unfinished ${name} in this repository`, { fix: begin });
  if (more.length === 0) return findRunOf(repository, surface, only);
  return ambiguous(`several ${list.plural} are not finished: ${shortList([only, ...more])}`, only);
}

async function begunRuns(repository: RunRepository, keys: readonly RunKey[]): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  const stale: RunKey[] = [];
  const treeOf = workTrees(repository);
  const notes = repository.store.notes();
  for (const key of keys) {
    const note = readNote(notes(key) ?? '');
    const tree = note && treeOf(note.workspace);
    if (note && tree && isCurrent(note, tree.root)) found.push(listedBy(key, note, tree));
    else stale.push(key);
  }
  for (const key of stale) found.push(...(await listAnew(repository, key, treeOf)));
  return found;
}

/** Names of runs that are not finished, of a workflow or of all, as far as notes tell; no journal is read. */
export function openRunNames(repository: RunRepository, workflow?: string): readonly string[] {
  const notes = repository.store.notes();
  const isOpen = (key: RunKey): boolean => readNote(notes(key) ?? '')?.finished !== true;
  return runKeys(repository, workflow)
    .filter(isOpen)
    .map(({ run }) => run);
}

type TreeOf = (workspace: string) => { readonly root: string; readonly shown: string | null };

/** Many runs live in few work trees. */
function workTrees({ root, commonDir }: RunRepository): TreeOf {
  const known = new Map<string, ReturnType<TreeOf>>();
  return (workspace) => {
    const before = known.get(workspace);
    if (before) return before;
    const path = resolve(commonDir, workspace);
    const tree = { root: path, shown: path === root ? null : relative(root, path) };
    known.set(workspace, tree);
    return tree;
  };
}

/** C1. */
async function listAnew(repository: RunRepository, key: RunKey, treeOf: TreeOf): Promise<ListedRun[]> {
  const { store, workflows } = repository;
  try {
    if (!workflows.bundled.some(({ name }) => name === key.workflow)) return ownRun(repository, key, treeOf);
    const workflow = await workflows.read(key.workflow);
    const text = store.makeNote(key, (journal) => {
      const state = foldOf(journal)?.state;
      if (!state) return undefined;
      const { root } = treeOf(state.workspace);
      return JSON.stringify(noteOf(workflow, state, root, { rootOf: rootsOf(workflow, root, repository.commonDir) }));
    });
    const note = readNote(text ?? '');
    return note ? [listedBy(key, note, treeOf(note.workspace))] : [];
  } catch (error) {
    if (!(error instanceof JournalCorrupt)) throw error;
    return [{ ...unknown, ...key, problem: error.message, journal: true }];
  }
}

/** Runs that are not finished and wrote in a work tree, or that a process works on there now. */
export async function occupantsOf(repository: RunRepository, workspace: string): Promise<readonly RunKey[]> {
  const here = (await begunRuns(repository, runKeys(repository))).filter(
    (each) => !each.finished && resolve(repository.root, each.workspace ?? '') === workspace,
  );
  const keys = here.map(({ workflow, run, wrote }) => ({ workflow, run, wrote }));
  return keys.filter(({ wrote, ...key }) => wrote || repository.store.owner(key) !== undefined);
}

/** C3: without a note, only what the journal says by itself. */
function ownRun({ store }: RunRepository, key: RunKey, treeOf: TreeOf): ListedRun[] {
  const state = readRunState(store, key);
  if (!state) return [];
  const { state: phase, outcome } = state.snapshot;
  const workspace = treeOf(state.workspace).shown;
  const facts = {
    phase,
    outcome,
    updatedAt: state.changedAt,
    next: outcome === 'done' ? null : `pawl status ${key.run}`,
    workspace,
    ...factsIn(state),
    wrote: state.history.length > 0 && outcome !== 'done',
  };
  return [{ ...unknown, ...key, ...facts, journal: true }];
}

function listedBy(key: RunKey, note: RunNote, tree: ReturnType<TreeOf>): ListedRun {
  // A worktree may be removed when its run is over.
  const workspace = note.finished && !existsSync(tree.root) ? null : tree.shown;
  const { version: _, files: __, ...noted } = note;
  const { problem } = note;
  const outcome = note.outcome ?? (problem === null ? 'interrupted' : null);
  const updatedAt = problem === null ? note.updatedAt : null;
  return { ...noted, ...key, outcome, updatedAt, workspace, owner: null, journal: true };
}

const unknown = {
  phase: null,
  outcome: null,
  updatedAt: null,
  owner: null,
  next: null,
  message: null,
  asks: null,
  doing: null,
  spent: { calls: 0, costUsd: null, unknownCost: 0 },
  workspace: null,
  problem: null,
  journal: false,
  finished: false,
  wrote: false,
  agent: null,
  model: null,
  script: null,
  details: {},
};

/** C2. */
async function listForeign(
  repository: RunRepository,
  surface: WorkflowSurface,
  runs: readonly ForeignRun[],
): Promise<ListedRun[]> {
  if (runs.length === 0) return [];
  const reading = await repository.workflows.read(surface.name);
  const { name: workflow, foreign: reader } = reading;
  const files = workspaceFiles(rootsOf(reading, repository.root, repository.commonDir));
  return runs.flatMap(({ run, path, problem, archived }): ListedRun[] => {
    const listed = { ...unknown, workflow, run };
    if (problem !== undefined) return files.exists(path) ? [{ ...listed, problem }] : [];
    try {
      const found = reader?.listed(run, files, path);
      if (!found) return [];
      return [{ ...listed, ...found, next: archived ? null : found.next, finished: found.outcome === 'done' }];
    } catch (error) {
      if (!(error instanceof DocumentError) && !(error instanceof FileProblem)) throw error;
      return [{ ...listed, problem: error.message }];
    }
  });
}

/** A run that a process works on is not at rest. */
function withOwner({ store }: RunRepository, listed: ListedRun, asks: boolean): ListedRun {
  const owner = asks && listed.journal ? store.owner(listed) : undefined;
  if (!owner) return listed;
  const outcome = listed.outcome === 'interrupted' ? null : listed.outcome;
  return { ...listed, owner, outcome, next: outcome === null ? `pawl attach ${listed.run}` : listed.next };
}

/** Without a time, a name that begins with a date tells how old the run is; broken ones come first. */
function latestFirst(runs: readonly ListedRun[]): ListedRun[] {
  const timeOf = ({ updatedAt, problem, run }: ListedRun) => (problem === null ? (updatedAt ?? run) : 'broken');
  return runs.toSorted((left, right) => {
    const leftTime = timeOf(left);
    const rightTime = timeOf(right);
    if (leftTime === rightTime) return left.run < right.run ? -1 : 1;
    return leftTime > rightTime ? -1 : 1;
  });
}
