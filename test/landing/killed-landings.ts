/** Landings by a process that is killed before, during or after one of its git commands, and then by another. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { branch, LandingRepository } from '../../src/workspace/landing.fixture.ts';
import { bundleProgram } from '../programs/bundle.ts';

/** Which git command: the n-th, or the one of a name. */
export interface Fatal {
  readonly when: 'before' | 'after';
  readonly command: number | string;
}

export class KilledLandings {
  readonly #template = new LandingRepository();
  #program = '';
  #count = 0;

  static async create(): Promise<KilledLandings> {
    const landings = new KilledLandings();
    const template = landings.#template;
    template.begin();
    template.goOn();
    template.hook('commit-msg', 'exit 0');
    landings.#program = await bundleProgram(new URL('../programs/lander.ts', import.meta.url), template.folder);
    return landings;
  }

  remove(): void {
    this.#template.remove();
  }

  /** How the second process found the merge; null where the first one was not killed. */
  killAndRepeat(fatal: Fatal): string | null {
    const folder = join(this.#template.folder, String((this.#count += 1)));
    const [root, worktree] = [join(folder, 'repo'), join(folder, 'repo-1-x')];
    cpSync(this.#template.root, root, { recursive: true, preserveTimestamps: true });
    cpSync(this.#template.worktree, worktree, { recursive: true, preserveTimestamps: true });
    const linked = join(root, '.git/worktrees/repo-1-x');
    writeFileSync(join(worktree, '.git'), `gitdir: ${linked}\n`);
    writeFileSync(join(linked, 'gitdir'), `${join(worktree, '.git')}\n`);
    writeFileSync(join(root, 'untracked.txt'), 'mine\n');
    writeFileSync(join(root, 'b.txt'), 'edited\n');
    const first = this.#attempt(folder, deadlyGit(folder, fatal));
    const kind = first === null ? this.#attempt(folder, '') : null;
    this.#examine(folder, JSON.stringify(fatal));
    rmSync(folder, { recursive: true, force: true });
    return kind;
  }

  #examine(folder: string, fatal: string): void {
    const root = join(folder, 'repo');
    const git = (...args: string[]): string =>
      spawnSync(realGit, args, { cwd: root, encoding: 'utf8' }).stdout.trimEnd();
    expect(git('log', '--first-parent', '--format=%s'), fatal).toBe(`Merge branch '${branch}'\nmain goes on\nstart`);
    expect(git('status', '--porcelain'), fatal).toBe(' M b.txt\n?? untracked.txt');
    expect(readFileSync(join(root, 'b.txt'), 'utf8'), fatal).toBe('edited\n');
    expect(git('branch', '--format=%(refname:short)'), fatal).toBe('main');
    expect(git('worktree', 'list').split('\n'), fatal).toHaveLength(1);
    expect(
      readdirSync(folder).filter((name) => name.includes('repo')),
      fatal,
    ).toEqual(['repo']);
    expect(git('fsck', '--no-dangling', '--no-reflogs'), fatal).toBe('');
    expect(existsSync(join(root, '.git/index.lock')), fatal).toBe(false);
  }

  #attempt(folder: string, path: string): string | null {
    const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` };
    const args = [this.#program, join(folder, 'repo'), join(folder, 'repo-1-x'), branch];
    const ended = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    if (ended.signal !== null) return null;
    expect(ended.status, ended.stderr).toBe(0);
    const { merged, removed } = JSON.parse(ended.stdout) as Record<string, { kind: string }>;
    expect(removed, ended.stdout).toMatchObject({ kind: 'removed', commit: this.#template.git('rev-parse', branch) });
    return merged?.kind ?? '';
  }
}

const realGit = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();

/** The folder of a `git` that kills its caller. */
export function deadlyGit(folder: string, { when, command }: Fatal): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const isIt = typeof command === 'number' ? `[ $n -eq ${command} ]` : `grep -q "^${command}$"`;
  const lines = [
    '#!/bin/sh',
    `n=1; while ! mkdir ${bin}/$n 2> /dev/null; do n=$((n + 1)); done`,
    `if ! printf '%s\\n' "$@" | ${isIt}; then exec ${realGit} "$@"; fi`,
    ...(when === 'before' ? [] : [`${realGit} "$@" > /dev/null`]),
    'kill -9 $PPID',
  ];
  writeFileSync(join(bin, 'git'), `${lines.join('\n')}\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}
