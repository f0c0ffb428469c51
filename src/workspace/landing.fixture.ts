/** A repository with a worktree of a run to bring home: real git, real hooks, a stand-in for a forge's program. */

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CommitRepository } from './committing.fixture.ts';
import { findRepository } from './git.ts';
import { landingAt, type Landing, type LandingPlace } from './landing.ts';
import { orElse, readText } from './files.ts';

export const branch = 'feature/1-x';

export class LandingRepository extends CommitRepository {
  readonly worktree = join(this.folder, 'repo-1-x');
  /** On PATH alone. */
  readonly bin = join(this.folder, 'bin');

  /** Main has a.txt, b.txt and gone.txt; the branch changes a.txt, adds new/file.txt and deletes gone.txt. */
  begin(): void {
    this.start({ 'a.txt': 'one\n', 'b.txt': 'one\n', 'gone.txt': 'one\n', '.gitignore': 'ignored\n' });
    this.git('worktree', 'add', '--quiet', '-b', branch, this.worktree);
    this.change('a.txt', 'two\n');
    this.change('new/file.txt', 'new\n');
    rmSync(join(this.worktree, 'gone.txt'));
    this.commitThere('work');
    mkdirSync(this.bin);
  }

  change(path: string, content: string): void {
    const file = join(this.worktree, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  commitThere(message: string): string {
    this.git('-C', this.worktree, 'add', '--all');
    this.git('-C', this.worktree, 'commit', '--quiet', `--message=${message}`);
    return this.git('rev-parse', branch);
  }

  /** A commit on main, so that a merge commit is needed. */
  goOn(path = 'b.txt', content = 'other\n'): string {
    this.write(path, content);
    this.git('add', '--', path);
    this.git('commit', '--quiet', '--message=main goes on', '--', path);
    return this.git('rev-parse', 'HEAD');
  }

  /** A script in the place of a forge's program; it records its arguments and input, one line each. */
  forge(name: string, lines: string): void {
    const record = `{ for word; do printf '%s\\n' "$word"; done; [ "$2" != create ] || cat; echo ===; } >> ${this.folder}/forge.log`;
    writeFileSync(join(this.bin, name), `#!/bin/sh\n${record}\n${lines}\n`, { mode: 0o755 });
  }

  get forgeCalls(): readonly (readonly string[])[] {
    const text = readText(join(this.folder, 'forge.log')) ?? '';
    return text
      .split('===\n')
      .slice(0, -1)
      .map((call) => call.trimEnd().split('\n'));
  }

  /** Records outlive the calls, as those of a run do. */
  landing(changes: Partial<LandingPlace> = {}): Landing {
    const { root, worktree } = this;
    const { commonDir } = findRepository(root);
    const folder = join(commonDir, 'pawl', 'landing');
    const fileOf = (name: string): string => join(folder, `${name}.record`);
    return landingAt({
      workTree: worktree,
      mainWorkTree: root,
      commonDir,
      folder,
      env: {},
      records: {
        read: (name) => readText(fileOf(name)),
        keep: (name, text) => {
          mkdirSync(folder, { recursive: true });
          writeFileSync(fileOf(name), text);
        },
      },
      runHook: (_, [command = '', ...args], { env }) => {
        const ended = spawnSync(command, args, { cwd: root, env: { ...process.env, ...env }, encoding: 'utf8' });
        return Promise.resolve({ passed: ended.status === 0, output: `${ended.stdout}${ended.stderr}`.trimEnd() });
      },
      ...changes,
    });
  }

  /** Everything that a call that changes nothing must leave. */
  get everything(): readonly string[] {
    const files = ['a.txt', 'b.txt', 'gone.txt', 'new/file.txt'].map((path) => this.text(path));
    return [this.git('for-each-ref'), this.git('symbolic-ref', 'HEAD'), this.git('status', '--porcelain'), ...files];
  }

  text(path: string): string {
    return orElse('(folder)', () => readText(join(this.root, path)) ?? '(none)');
  }

  file(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }
}
