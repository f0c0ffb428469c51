/**
 * All runs of a repository, as lists show them.
 *
 * C1. A run is read where it works. Its journal is read only where no note of it counts, and then from its checkpoint on.
 * C2. Runs that only their files tell of are among them.
 * C3. A workflow that a project defines itself may be code, so it is never loaded to list its runs.
 */

import { relative, resolve } from 'node:path';
import { DocumentError } from '../documents/document-error.ts';
import { foldOf, readRunState } from '../runtime/run-state.ts';
import { isCurrent, noteOf, readNote, type RunNote } from '../runtime/run-note.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { JournalCorrupt } from '../store/record.ts';
import type { Owner, RunKey } from '../store/run-store.ts';
import type { ForeignRun, WorkflowSurface } from '../workflows/surface.ts';
import { FileProblem } from '../workspace/files.ts';
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
    const known = new Set(keys.filter(({ workflow }) => workflow === surface.name).map(({ run }) => run));
    found.push(...(await listForeign(repository, surface, foreignRuns(repository, surface, known))));
  }
  return latestFirst(found).map((each, index) => withOwner(repository, each, index < ownersMax));
}

/** Those that were filed away, by the names they were filed under. */
export async function listArchived(repository: RunRepository, surface: WorkflowSurface): Promise<readonly ListedRun[]> {
  return latestFirst(await listForeign(repository, surface, archivedRuns(repository, surface)));
}

/** The one that is not finished, else the latest, of those that have a journal or can be read. */
export async function latestRun(repository: RunRepository, surface: WorkflowSurface): Promise<ListedRun | undefined> {
  const runs = (await listRuns(repository, surface)).filter(({ problem, next }) => problem === null || next !== null);
  return runs.find(({ finished }) => !finished) ?? runs[0];
}

/** The one that can be meant without being named. */
export async function onlyUnfinished(repository: RunRepository, surface: WorkflowSurface): Promise<FoundRun | Refusal> {
  const { name, begin, list } = surface;
  const open = (await listRuns(repository, surface)).filter(({ run, finished }) => !finished && surface.isRunName(run));
  const [only, ...more] = open.map(({ run }) => run);
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
    if (note && tree && isCurrent(note, tree.root)) found.push(listedBy(key, note, tree.shown));
    else stale.push(key);
  }
  for (const key of stale) found.push(...(await listAnew(repository, key, treeOf)));
  return found;
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
      return state && JSON.stringify(noteOf(workflow, state, treeOf(state.workspace).root));
    });
    const note = readNote(text ?? '');
    return note ? [listedBy(key, note, treeOf(note.workspace).shown)] : [];
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
    workspace,
    wrote: state.history.length > 0 && outcome !== 'done',
  };
  return [{ ...unknown, ...key, ...facts, journal: true }];
}

function listedBy(key: RunKey, note: RunNote, workspace: string | null): ListedRun {
  const { phase, next, problem, finished, wrote, details, agent, script } = note;
  const outcome = note.outcome ?? (problem === null ? 'interrupted' : null);
  const updatedAt = problem === null ? note.updatedAt : null;
  const facts = { phase, outcome, updatedAt, next, workspace, problem, finished, wrote, details, agent, script };
  return { ...facts, ...key, owner: null, journal: true };
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
  wrote: false,
  agent: null,
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
  const { name: workflow, foreign: reader } = await repository.workflows.read(surface.name);
  const files = workspaceFiles(repository.root);
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
  return { ...listed, owner, outcome, next: outcome === null ? `pawl log ${listed.run} --follow` : listed.next };
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
