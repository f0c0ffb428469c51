/** A throw-away git repository, and the real `pawl` run in it as a child process. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Added to the few variables the program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments for node itself, before the program. */
  readonly node?: readonly string[];
  readonly cwd?: string;
  /** Gets the process while it runs. */
  onSpawn?(child: ChildProcess): void;
}

export class ScratchRepository {
  /** Holds the repository, a home of its own and whatever a test puts beside them. */
  readonly folder: string;
  /** The program under test: `pawl.js` or `agentd.js`. */
  readonly program: string;
  readonly root: string;
  readonly home: string;

  constructor(program: string, folder = mkdtempSync(join(tmpdir(), 'pawl-scratch-'))) {
    this.folder = folder;
    this.program = program;
    this.root = join(folder, 'repo');
    this.home = join(folder, 'home');
  }

  static create(program: string, files: Readonly<Record<string, string>>): ScratchRepository {
    const repository = new this(program);
    mkdirSync(repository.root, { recursive: true });
    mkdirSync(repository.home, { recursive: true });
    for (const [path, content] of Object.entries(files)) repository.write(path, content);
    repository.git('init', '--quiet', '--initial-branch=main');
    repository.git('add', '--all');
    repository.git('commit', '--quiet', '--allow-empty', '--message=start');
    return repository;
  }

  /** The folder of a run's journal. */
  runFolder(workflow: string, run: string): string {
    return join(this.root, '.git', 'pawl', workflow, run);
  }

  /** The same state again, in another place. */
  copy(): ScratchRepository {
    const copy = new ScratchRepository(this.program);
    cpSync(this.folder, copy.folder, { recursive: true, preserveTimestamps: true });
    return copy;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  write(path: string, content: string): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  exists(path: string): boolean {
    return existsSync(join(this.root, path));
  }

  git(...args: readonly string[]): string {
    const identity = ['-c', 'user.name=scratch', '-c', 'user.email=scratch@localhost'];
    return execFileSync('git', [...identity, ...args], { cwd: this.root, env: this.env({}), encoding: 'utf8' });
  }

  /** Runs the program to its end, whatever that is. */
  pawl(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [...(options.node ?? []), this.program, ...args], {
        cwd: options.cwd ?? this.root,
        env: this.env(options.env ?? {}),
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const output = { stdout: '', stderr: '' };
      child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
      child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, signal, ...output }));
      options.onSpawn?.(child);
    });
  }

  protected env(extra: Readonly<Record<string, string>>): Record<string, string> {
    // Compiled code is the same for all repositories, and none of their business.
    const XDG_CACHE_HOME = join(tmpdir(), 'pawl-scratch-cache');
    const own = { PATH: process.env['PATH'] ?? '', HOME: this.home, LANG: 'C.UTF-8', XDG_CACHE_HOME };
    const { PAWL_SANDBOX } = process.env;
    const sandbox = PAWL_SANDBOX !== undefined && { PAWL_SANDBOX };
    return { ...own, GIT_CONFIG_NOSYSTEM: '1', NO_COLOR: '1', PAWL_TRUST: '1', ...sandbox, ...extra };
  }
}
