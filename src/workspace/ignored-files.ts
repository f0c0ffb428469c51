/**
 * The files of a work tree that git ignores: in no snapshot, in no diff, and yet executed by checks.
 *
 * N1. They are told apart by ctime alone, which no program can set: it changes with content, mode and name.
 * N2. Links are files of their own, git directories are left out, and there is a limit to how many are looked at.
 */

import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { unlessGitFails } from './git.ts';
import { bytePath } from './restore.ts';
import type { Shadow } from './shadow.ts';

const filesMax = 200_000;

export interface IgnoredFiles {
  /** By path, when each last changed. */
  readonly times: ReadonlyMap<string, number>;
  /** Those that a rule names by themselves, not with their folder. */
  readonly alone: readonly string[];
  /** Whether there are more than are looked at. */
  readonly tooMany: boolean;
}

/** The shadow is prepared. */
export async function ignoredFiles(shadow: Shadow): Promise<IgnoredFiles> {
  const list = ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory'];
  // An index that is broken is made anew meanwhile: the next look sees them.
  const names = (await unlessGitFails([], () => shadow.names(list))).map((name) => bytePath(name).toString('utf8'));
  const times = new Map<string, number>();
  for (const name of names) {
    if (name.endsWith('/')) walk(shadow.root, name.slice(0, -1), times);
    else note(shadow.root, name, times);
  }
  return { times, alone: names.filter((name) => !name.endsWith('/')), tooMany: times.size >= filesMax };
}

function walk(root: string, folder: string, times: Map<string, number>): void {
  if (folder.endsWith('/.git')) return;
  for (const entry of orElse([], () => readdirSync(join(root, folder), { withFileTypes: true }))) {
    if (times.size >= filesMax) return;
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) walk(root, path, times);
    else note(root, path, times);
  }
}

function note(root: string, path: string, times: Map<string, number>): void {
  const found = orElse(undefined, () => lstatSync(`${root}/${path}`, { throwIfNoEntry: false }));
  if (found) times.set(path, found.ctimeMs);
}

/**
 * What tells whether ignore rules have changed: they are in files that are recorded, so that a change is seen, or that are
 * ignored themselves. Null while they change.
 */
export function rulesAmong(dirty: readonly string[], { times, alone }: IgnoredFiles): string | null {
  const isRules = (path: string): boolean => path === '.gitignore' || path.endsWith('/.gitignore');
  if (dirty.some(isRules)) return null;
  return JSON.stringify(alone.filter(isRules).map((path) => [path, times.get(path)]));
}
