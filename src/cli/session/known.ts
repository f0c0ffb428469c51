/** The sessions of a repository by name: those with a journal, and folders that only have files. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../schema/nearest.ts';
import { hasBegun } from '../../store/journal.ts';
import { controlFolder, isSessionId } from '../../workflows/session/files/paths.ts';
import { isMissing } from '../../workspace/entry.ts';
import { FileProblem } from '../../workspace/files.ts';
import type { Repository } from '../../workspace/git.ts';
import { runsIn } from '../find-run.ts';
import { Problem } from '../problem.ts';
import { runFolder } from '../run-folders.ts';

export interface SessionNames {
  /** With a journal. */
  readonly runs: readonly string[];
  /** With a folder in this work tree. */
  readonly folders: readonly string[];
  /** Folders whose names are none of a session. */
  readonly others: readonly string[];
}

export function sessionNames({ root, commonDir }: Repository): SessionNames {
  const named = runsIn(commonDir, 'session').filter(isSessionId);
  const runs = named.filter((run) => hasBegun(runFolder(commonDir, 'session', run)));
  const folders = foldersIn(join(root, controlFolder));
  return { runs, folders: folders.filter(isSessionId), others: folders.filter((name) => !isSessionId(name)) };
}

/** The session that `word` means: its name, its slug, or a part that only one of them has. */
export function sessionNamed(repository: Repository, word: string): string {
  const { runs, folders } = sessionNames(repository);
  const names = [...new Set([...runs, ...folders])].toSorted();
  // Completion in a shell gives the path of the folder.
  const wanted = word.replace(/\/+$/, '').split('/').at(-1) ?? '';
  if (names.includes(wanted)) return wanted;
  const named = names.filter((name) => slugIn(name) === wanted);
  const found = named.length > 0 || wanted === '' ? named : names.filter((name) => name.includes(wanted));
  const [only, ...more] = found;
  if (only === undefined) throw notFound(word, names);
  if (more.length === 0) return only;
  throw new Problem('ambiguous_session', `"${word}" could be any of ${shortList(found)}`, {
    fix: `say which one, for example ${found.at(-1)}`,
  });
}

const shownCharsMax = 80;
const shownNamesMax = 8;

function notFound(word: string, names: readonly string[]): Problem {
  const near = nearest(word, names) ?? slugNearest(word, names);
  const shown = JSON.stringify(word.length > shownCharsMax ? `${word.slice(0, shownCharsMax)}…` : word);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new Problem('SessionNotFound', `there is no session ${shown} in this repository${hint}`, {
    fix: names.length === 0 ? 'begin one: pawl session start "<goal>"' : 'pawl session list shows them',
  });
}

function slugNearest(word: string, names: readonly string[]): string | undefined {
  const near = nearest(word, names.map(slugIn));
  return near === undefined ? undefined : names.find((name) => slugIn(name) === near);
}

function slugIn(name: string): string {
  return name.slice(name.indexOf('_') + 1);
}

export function shortList(names: readonly string[]): string {
  const more = names.length - shownNamesMax;
  return more > 0 ? `${names.slice(-shownNamesMax).join(', ')} and ${more} more` : names.join(', ');
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw new FileProblem('list', folder, error);
  }
}
