/** The run a person means, or why there is none, and its records. No path is built from a word that is not a valid run name. */

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isMissing } from '../disk/disk-error.ts';
import { didYouMean, nearest } from '../schema/nearest.ts';
import type { JournalRecord } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import type { ForeignRun, NameMatch, WorkflowSurface } from '../workflows/surface.ts';
import { FileProblem } from '../workspace/files.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { refusal, usageRefusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

const WORKFLOW = /^[a-z][a-z0-9_-]{0,47}$/;
/** Behind the name of a run whose name was used again. */
const SET_ASIDE = /\.[1-9]\d{0,5}$/;
const shownCharsMax = 80;
const shownNamesMax = 8;

/** Keys of all runs, or of one workflow's, in no particular order; one that is being created may be among them. */
export function runKeys({ store, workflows }: RunRepository, workflow?: string): readonly RunKey[] {
  const surfaces = new Map<string, WorkflowSurface>();
  return store.list().filter(({ workflow: name, run }) => {
    if ((workflow !== undefined && name !== workflow) || !WORKFLOW.test(name)) return false;
    const surface = surfaces.get(name) ?? workflows.surfaceOf(name);
    surfaces.set(name, surface);
    return isNameOf(surface, run);
  });
}

/** A run with a journal here: its name, a short form of it, or either behind `<workflow>/`. */
export function findRun(repository: RunRepository, word: string): RunKey | Refusal {
  const [first = '', second, ...more] = word.split('/');
  const name = second ?? first;
  const keys = more.length > 0 ? [] : runKeys(repository, second === undefined ? undefined : first);
  const named = (match: NameMatch): RunKey[] =>
    keys.filter((key) => repository.workflows.surfaceOf(key.workflow).matches(name, key.run) === match);
  const exact = keys.filter(({ run }) => run === name);
  const found = (exact.length > 0 ? exact : named('short')).filter((key) => repository.store.has(key));
  const [only, other] = found;
  if (only && !other) return only;
  const nameOf = ({ workflow, run }: RunKey): string => `${workflow}/${run}`;
  if (only) {
    const names = found.map(nameOf).toSorted();
    return ambiguous(`"${word}" is the name of several runs: ${names.join(', ')}`, names[0]);
  }
  const mayName = repository.workflows.bundled.some((surface) => isNameOf(surface, name));
  if (more.length > 0 || !mayName || (second !== undefined && !WORKFLOW.test(first))) return invalidName(word);
  const begun = runKeys(repository).filter((key) => repository.store.has(key));
  const known = begun.map(second === undefined ? ({ run }) => run : nameOf);
  const message = `there is no run "${word}" in this repository${didYouMean(word, known)}`;
  return refusal('RunNotFound', message, { fix: 'pawl runs' });
}

/** Of any workflow, with or without a journal here. */
export function findAnyRun(repository: RunRepository, word: string): FoundRun | Refusal {
  const found = findRun(repository, word);
  if (!('code' in found) || found.code !== 'RunNotFound') return found;
  const [first = '', second] = word.split('/');
  const surfaces = repository.workflows.bundled.filter(({ name }) => second === undefined || name === first);
  const each = surfaces.map((surface) => findRunOf(repository, surface, second ?? word));
  const named = each.filter((one): one is FoundRun => !('code' in one));
  const [only, other] = named;
  if (only && other) {
    const names = named.map(({ workflow, run }) => `${workflow}/${run}`);
    return ambiguous(`"${word}" could be any of ${shortList(names)}`, names[0]);
  }
  return only ?? each.find((one) => 'code' in one && one.code === 'AmbiguousRun') ?? found;
}

/** The same for those who only read its records: a finished run may have exported its journal to the work tree. */
export function findJournal(repository: RunRepository, word: string): FoundRun | Refusal {
  const found = findRun(repository, word);
  if (!('code' in found) || found.code !== 'RunNotFound') return found;
  for (const surface of repository.workflows.bundled) {
    const name = word.startsWith(`${surface.name}/`) ? word.slice(surface.name.length + 1) : word;
    const foreign = exportedRun(repository, surface, name);
    if (foreign) return { workflow: surface.name, run: foreign.run, foreign };
  }
  return found;
}

/** A run of one workflow, with or without a journal, also by a part of its name that no other has. */
export function findRunOf(repository: RunRepository, surface: WorkflowSurface, word: string): FoundRun | Refusal {
  const key = { workflow: surface.name, run: word };
  if (isNameOf(surface, word) && repository.store.has(key)) return key;
  const all = runsOf(repository, surface);
  const named = (match: NameMatch): FoundRun[] => all.filter(({ run }) => surface.matches(word, run) === match);
  const matches = [named('name'), named('short'), named('part')].find((found) => found.length > 0) ?? [];
  const [only, ...others] = matches;
  if (only && others.length === 0) return only;
  const names = matches.map(({ run }) => run).toSorted();
  if (only) return ambiguous(`"${word}" could be any of ${shortList(names)}`, names.at(-1));
  return unusableName(repository, surface, word) ?? notFoundOf(repository, surface, word);
}

/** There is a folder of that name, but no run can have it. */
function unusableName(repository: RunRepository, surface: WorkflowSurface, word: string): Refusal | undefined {
  const found = foreignRuns(repository, surface, new Set()).find(({ run, problem }) => problem && run === word);
  const { problem = '', path } = found ?? {};
  if (path === undefined || !existsSync(join(repository.root, path))) return undefined;
  return refusal('InvalidRunName', problem, {
    target: path,
    fix: 'rename the folder, then run the same command again',
  });
}

export function ambiguous(message: string, example: string | undefined): Refusal {
  return refusal('AmbiguousRun', message, { fix: `name one of them, such as ${example}` });
}

/** That there is no such run, with the one that was probably meant. */
export function notFoundOf(repository: RunRepository, surface: WorkflowSurface, word: string): Refusal {
  // Where names have short forms, any word may be one.
  if (surface.shortName === undefined && !isNameOf(surface, word)) return usageRefusal(surface.invalidName(word));
  const all = runsOf(repository, surface);
  return usageRefusal(surface.notFound(word, { near: nearestRun(surface, word, all), none: all.length === 0 }));
}

/** Every run of a workflow that has a name, those without a journal included. */
function runsOf(repository: RunRepository, surface: WorkflowSurface): readonly FoundRun[] {
  const begun = runKeys(repository, surface.name).filter((key) => repository.store.has(key));
  const foreign = foreignRuns(repository, surface, new Set(begun.map(({ run }) => run)));
  const readable = foreign.filter(({ problem }) => problem === undefined);
  return [...begun, ...readable.map((each) => ({ workflow: surface.name, run: each.run, foreign: each }))];
}

/** The last of them, where there are many. */
export function shortList(names: readonly string[]): string {
  const more = names.length - shownNamesMax;
  return more > 0 ? `${names.slice(-shownNamesMax).join(', ')} and ${more} more` : names.join(', ');
}

function isNameOf(surface: WorkflowSurface, run: string): boolean {
  return surface.isRunName(run) || surface.isRunName(run.replace(SET_ASIDE, ''));
}

function nearestRun({ shortName }: WorkflowSurface, word: string, runs: readonly FoundRun[]): string | undefined {
  const names = runs.map(({ run }) => run).filter((run) => run !== word);
  const near = nearest(word, names);
  if (near !== undefined || !shortName) return near;
  const short = nearest(word, names.map(shortName));
  return names.find((run) => shortName(run) === short);
}

function invalidName(word: string): Refusal {
  const shown = JSON.stringify(word.length > shownCharsMax ? `${word.slice(0, shownCharsMax)}…` : word);
  const message = `${shown} is not a valid run name: a name is <id> or <workflow>/<id>`;
  return refusal('InvalidRunName', message, { fix: 'pawl runs' });
}

export interface FoundRun extends RunKey {
  /** Set where its files in the work tree are all there is. */
  readonly foreign?: ForeignRun;
}

/** `known` are the runs with a journal; of an archived run and an active one with the same name, the latter counts. */
export function foreignRuns(
  repository: RunRepository,
  surface: WorkflowSurface,
  known: ReadonlySet<string>,
): readonly ForeignRun[] {
  const found = foreignIn(repository, surface, known);
  const active = new Set(found.filter(({ archived }) => !archived).map(({ run }) => run));
  return found.filter(({ run, archived }) => !archived || !active.has(run));
}

/** With or without a journal here. */
export function archivedRuns(repository: RunRepository, surface: WorkflowSurface): readonly ForeignRun[] {
  return foreignIn(repository, surface, new Set()).filter(({ archived }) => archived);
}

/** A run that has its journal with it. */
export function exportedRun(repository: RunRepository, surface: WorkflowSurface, name: string): ForeignRun | undefined {
  const named = foreignIn(repository, surface, new Set()).filter(({ run }) => run === name);
  return named.find(({ journal }) => journal !== undefined && existsSync(join(repository.root, journal)));
}

function foreignIn(repository: RunRepository, surface: WorkflowSurface, known: ReadonlySet<string>) {
  const root = surface.runsInMain ? mainWorkTree(repository) : repository.root;
  return surface.foreignRuns?.((folder) => namesIn(join(root, folder)), known) ?? [];
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw new FileProblem('list', folder, error);
  }
}

export function recordsOf({ store, root }: RunRepository, found: FoundRun): readonly JournalRecord[] {
  if (!found.foreign) return store.records(found) ?? [];
  const { journal } = found.foreign;
  return (journal === undefined ? undefined : store.exported(join(root, journal))) ?? [];
}

/** Every record once, as it comes, until `signal` aborts. Nothing is added to an exported journal. */
export async function* follow(
  repository: RunRepository,
  found: FoundRun,
  signal: AbortSignal,
): AsyncGenerator<JournalRecord> {
  if (!found.foreign) {
    yield* repository.store.follow(found, { after: 0, signal });
    return;
  }
  yield* recordsOf(repository, found);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}
