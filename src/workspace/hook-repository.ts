/**
 * The user's hooks, and a git directory of their own for them to work in.
 *
 * A1. Hooks may be code that an agent wrote: they never get the user's git directory to write. They see its commits,
 *     branches and configuration, and an index that holds what is to be committed.
 * A2. What they leave there is read as data: their git directory is never one that Pawl's git works with.
 */

import { accessSync, constants, copyFileSync, existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { readText } from './files.ts';
import { git, type Repository } from './git.ts';

/** The folder of the user's hooks: that of the repository, or the one that is configured (as husky does). */
export async function hooksFolder({ root, commonDir }: Repository): Promise<string> {
  const args = ['config', '--show-scope', '--null', '--type=path', '--get-all', 'core.hooksPath'];
  // Pawl's own settings are among them, as `command`.
  const fields = (await git(args, { cwd: root, asUser: true })).toString('utf8').split('\0');
  const paths = fields.flatMap((scope, at) => (at % 2 === 0 && scope !== 'command' ? (fields[at + 1] ?? []) : []));
  const configured = paths.at(-1);
  return configured === undefined ? join(commonDir, 'hooks') : resolve(root, configured);
}

/** The file of a hook that git would run; null where there is none. */
export function hookIn(folder: string, name: string): string | null {
  const file = join(folder, name);
  return orElse(null, () => {
    accessSync(file, constants.X_OK);
    return file;
  });
}

export interface HookRepository {
  readonly folder: string;
  readonly messageFile: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A1. In a folder that does not exist yet; `index` is copied. */
export async function makeHookRepository(
  { root, gitDir, commonDir }: Repository,
  folder: string,
  index: string,
): Promise<HookRepository> {
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  for (const path of ['objects/info', 'refs/heads', 'info']) mkdirSync(join(folder, path), { recursive: true });
  const refs = await git(['for-each-ref', '--format=%(objectname) %(refname)'], { cwd: root });
  write('packed-refs', refs.toString('utf8'));
  write('HEAD', readText(join(gitDir, 'HEAD')) ?? '');
  write('objects/info/alternates', `${join(commonDir, 'objects')}\n`);
  write('config', configuration(commonDir));
  for (const path of ['shallow', 'info/exclude', 'info/attributes'])
    if (existsSync(join(commonDir, path))) copyFileSync(join(commonDir, path), join(folder, path));
  copyFileSync(index, join(folder, 'index'));
  return {
    folder,
    messageFile: join(folder, 'COMMIT_EDITMSG'),
    env: {
      GIT_DIR: folder,
      GIT_WORK_TREE: root,
      GIT_INDEX_FILE: join(folder, 'index'),
      GIT_PREFIX: '',
      GIT_EDITOR: ':',
    },
  };
}

/** The repository's own is included, so that relative paths in it stay true; its format is not read from there. */
function configuration(commonDir: string): string {
  const file = join(commonDir, 'config');
  const format = /^\s*objectformat\s*=\s*(\w+)/im.exec(readText(file) ?? '')?.[1];
  const extensions = format === undefined ? '' : `[extensions]\n\tobjectFormat = ${format}\n`;
  const version = format === undefined ? 0 : 1;
  const quoted = `"${file.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  return `[include]\n\tpath = ${quoted}\n[core]\n\trepositoryFormatVersion = ${version}\n\tbare = false\n${extensions}`;
}

/** A2. A file that a hook may have written; undefined where something else is in its place, such as a link. */
export function leftByHook(file: string): string | undefined {
  return lstatSync(file, { throwIfNoEntry: false })?.isFile() ? file : undefined;
}
