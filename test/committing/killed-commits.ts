/** Commits by a process that is killed before or after one of its git commands, and then by another. */

import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CommitRepository } from '../../src/workspace/committing.fixture.ts';
import { bundleProgram } from '../programs/bundle.ts';

/** Which git command: the n-th, or the one of a name. */
export type Fatal = { readonly when: 'before' | 'after'; readonly command: number | string };

export class KilledCommits {
  readonly #template = new CommitRepository();
  readonly #git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  #program = '';
  #count = 0;

  static async create(): Promise<KilledCommits> {
    const commits = new KilledCommits();
    const template = commits.#template;
    template.start({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'c.txt': 'one\n' });
    template.write('a.txt', 'two\n');
    rmSync(join(template.root, 'b.txt'));
    template.write('c.txt', 'staged\n');
    template.git('add', 'c.txt');
    template.hook('pre-commit', `echo formatted >> a.txt && ${commits.#git} add a.txt`);
    commits.#program = await bundleProgram(new URL('../programs/committer.ts', import.meta.url), template.folder);
    return commits;
  }

  remove(): void {
    this.#template.remove();
  }

  /** How the second process found it; null where the first one was not killed. */
  killAndRepeat(fatal: Fatal): string | null {
    const folder = join(this.#template.folder, String((this.#count += 1)));
    const root = join(folder, 'repo');
    cpSync(this.#template.root, root, { recursive: true, preserveTimestamps: true });
    const isKilled = this.#attempt(folder, this.#deadlyGit(folder, fatal)) === null;
    const kind = isKilled ? this.#attempt(folder, '') : null;
    this.#examine(root, JSON.stringify(fatal));
    rmSync(folder, { recursive: true, force: true });
    return kind;
  }

  #examine(root: string, fatal: string): void {
    const git = (...args: string[]): string =>
      spawnSync(this.#git, args, { cwd: root, encoding: 'utf8' }).stdout.trimEnd();
    expect(git('log', '--format=%s'), fatal).toBe('feat: once\nstart');
    const committed = git('show', 'HEAD:a.txt');
    // The hook may run again on what it left in the work tree, but not once the commit is on record.
    expect(committed, fatal).toMatch(/^two\n(?:formatted\n?){1,2}$/);
    expect(committed, fatal).toBe(readFileSync(join(root, 'a.txt'), 'utf8').trimEnd());
    expect(git('ls-tree', '--name-only', 'HEAD'), fatal).toBe('a.txt\nc.txt');
    expect(git('status', '--porcelain'), fatal).toBe('M  c.txt');
    expect(git('fsck', '--no-dangling', '--no-reflogs'), fatal).toBe('');
    expect(existsSync(join(root, '.git/index.lock'))).toBe(false);
  }

  #attempt(folder: string, path: string): string | null {
    const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` };
    const ended = spawnSync(process.execPath, [this.#program, join(folder, 'repo'), folder], { env, encoding: 'utf8' });
    if (ended.signal !== null) return null;
    expect(ended.status, ended.stderr).toBe(0);
    return (JSON.parse(ended.stdout) as { kind: string }).kind;
  }

  /** A `git` that kills its caller. */
  #deadlyGit(folder: string, { when, command }: Fatal): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const isIt = typeof command === 'number' ? `[ $n -eq ${command} ]` : `grep -q "^${command}$"`;
    const lines = [
      '#!/bin/sh',
      // Several may run at once: each has a number of its own.
      `n=1; while ! mkdir ${bin}/$n 2> /dev/null; do n=$((n + 1)); done`,
      `if ! printf '%s\\n' "$@" | ${isIt}; then exec ${this.#git} "$@"; fi`,
      ...(when === 'before' ? [] : [`${this.#git} "$@" > /dev/null`]),
      'kill -9 $PPID',
    ];
    writeFileSync(join(bin, 'git'), `${lines.join('\n')}\n`);
    chmodSync(join(bin, 'git'), 0o755);
    return bin;
  }
}
