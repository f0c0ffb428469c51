/** A repository to commit in: real git, real hooks, a record in memory. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { commitFiles, type CommitRequest, type CommitResult } from './committing.ts';
import { findRepository } from './git.ts';
import { WorkTree } from './tree.ts';

/** Nothing of the developer's own configuration and identity counts in a test. */
export const nobody: Readonly<Record<string, string | undefined>> = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(
    ['GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'GIT_COMMITTER_NAME', 'GIT_COMMITTER_EMAIL', 'EMAIL'].map((name) => [
      name,
      undefined,
    ]),
  ),
};

export class CommitRepository {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-commit-')));
  root = join(this.folder, 'repo');
  recorded: string | undefined;

  constructor(...init: readonly string[]) {
    mkdirSync(this.root);
    this.git('init', '--quiet', '--initial-branch=main', ...init);
    this.git('config', 'user.name', 'Ada');
    this.git('config', 'user.email', 'ada@example.org');
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8' }).trimEnd();
  }

  write(path: string, content: string, mode?: number): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    if (mode !== undefined) chmodSync(file, mode);
  }

  hook(name: string, lines: string, folder = '.git/hooks'): void {
    this.write(`${folder}/${name}`, `#!/bin/sh\n${lines}\n`, 0o755);
  }

  start(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n' }): void {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message=start');
  }

  get tree(): WorkTree {
    const { root } = this;
    return new WorkTree({ root, commonDir: findRepository(root).commonDir, shadowDir: join(this.folder, 'shadow') });
  }

  async commit(
    message: string,
    paths: readonly string[],
    {
      tree: given,
      runHook = this.#runHook,
      requirePlace,
    }: { tree?: string } & Partial<Pick<CommitRequest, 'runHook' | 'requirePlace'>> = {},
  ): Promise<CommitResult> {
    const { tree } = this;
    const files = await tree.files(given ?? (await tree.snapshot()), paths);
    const record = { read: () => this.recorded, keep: (text: string) => void (this.recorded = text) };
    const folder = join(this.folder, 'scratch');
    const isEarlier = given !== undefined;
    const request = {
      message,
      paths,
      files,
      isEarlier,
      folder,
      record,
      runHook,
      ...(requirePlace && { requirePlace }),
    };
    return commitFiles(findRepository(this.root), request);
  }

  /** `<path> <mode> <content>` of what the last commit changed. */
  changed(): readonly string[] {
    const lines = this.git('-c', 'core.quotePath=false', 'show', '--format=', '--name-status', '--no-renames', 'HEAD');
    return lines.split('\n').map((line) => line.replace('\t', ' '));
  }

  readonly #runHook: CommitRequest['runHook'] = (_, [command = '', ...args], { env }) => {
    const ended = spawnSync(command, args, { cwd: this.root, env: { ...process.env, ...env }, encoding: 'utf8' });
    return Promise.resolve({ passed: ended.status === 0, output: `${ended.stdout}${ended.stderr}`.trimEnd() });
  };
}
