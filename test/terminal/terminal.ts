/** A program at a real pseudo-terminal, made by util-linux `script` or by Python: typed to, and read from. */

import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import type { ScratchRepository } from '../../src/testing/scratch-repository.ts';

/** A machine under load is slow, not wrong. */
const patienceMs = 250_000;
export const columns = 90;

const maker = makerHere();
/** Null where a terminal can be made; else why not. */
export const noTerminal = maker === null ? 'neither util-linux script nor python3 is here to make a terminal' : null;

export class Terminal {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  #output = '';
  /** What was waited for before is not found again. */
  #seen = 0;
  #wake: (() => void)[] = [];
  #isEnded = false;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
      this.#notify();
    });
    this.ended = new Promise((resolve) => {
      child.on('close', (code) => {
        this.#isEnded = true;
        this.#notify();
        resolve(code);
      });
    });
  }

  static pawl(
    repository: ScratchRepository,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    wide = columns,
  ): Terminal {
    const words = [process.execPath, repository.program, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
    // A terminal made by a process without one has no size.
    const line = `stty rows 40 cols ${wide}; exec ${words.join(' ')}`;
    const [command = '', ...rest] = maker?.(line) ?? [];
    const child = spawn(command, rest, {
      cwd: repository.root,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: repository.home,
        LANG: 'C.UTF-8',
        TERM: 'xterm-256color',
        SHELL: '/bin/sh',
        PAGER: 'cat',
        PAWL_TRUST: '1',
        PAWL_SANDBOX: process.env['PAWL_SANDBOX'] ?? '',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    return new Terminal(child);
  }

  /** Everything shown so far, as it was sent. */
  get raw(): string {
    return this.#output;
  }

  /** The same without colours and cursor movements. */
  get text(): string {
    return plain(this.#output);
  }

  /** Every line and redrawn row, as it was drawn, without colours. */
  get rows(): string[] {
    // eslint-disable-next-line no-control-regex -- the cursor is moved by control characters
    return this.#output.split(/[\r\n]+|\u001b\[\d*A/).map((row) => plain(row));
  }

  /** Resolves once the text is shown, after what was waited for before. */
  async shows(expected: string | RegExp): Promise<void> {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const rest = this.text.slice(this.#seen);
      const at = typeof expected === 'string' ? rest.indexOf(expected) : rest.search(expected);
      if (at !== -1) {
        this.#seen += at + (typeof expected === 'string' ? expected.length : 1);
        return;
      }
      if (this.#isEnded || Date.now() > deadline)
        throw new Error(`${String(expected)} was not shown ${this.#isEnded ? 'before the end' : 'in time'}:\n${rest}`);
      await this.#next(deadline);
    }
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  /** Ends what still runs, for a test that failed. */
  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #next(deadline: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, deadline - Date.now()));
      this.#wake.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #notify(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }
}

export const ctrlC = '\u0003';
export const ctrlD = '\u0004';

function plain(text: string): string {
  // eslint-disable-next-line no-control-regex -- escape sequences are control characters
  return text.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}

function makerHere(): ((line: string) => readonly string[]) | null {
  if (says('script', ['--version']).includes('util-linux')) {
    return (line) => ['script', '--quiet', '--flush', '--return', '--command', line, '/dev/null'];
  }
  const python = 'import os,pty,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';
  if (says('python3', ['-c', 'import pty; print("pty")']).includes('pty')) {
    return (line) => ['python3', '-c', python, 'sh', '-c', line];
  }
  return null;
}

function says(command: string, args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
