/**
 * The one way child processes are started for agents and checks.
 *
 * L1. Whatever the child does, `launch` resolves with what happened; it never throws because of it.
 * L2. Output goes to regular files that are tailed, never through a pipe; every line is handed on, the last one too.
 * L3. When `launch` is done, or this process exits or is killed before that, nothing of the child's process group runs
 *     any more; of a child in a box of its own (`tellsStatus`), nothing at all.
 * L4. Time, output and line length have limits; a child beyond the first two is ended, group and all.
 * L5. The environment is exactly the one given.
 */

import type { ChildProcess } from 'node:child_process';
import { closeSync, constants, existsSync, fstatSync, ftruncateSync, mkdirSync, openSync } from 'node:fs';
import { constants as system } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, orElse } from '../disk/disk-error.ts';
import { ownVariables } from './git.ts';
import { BoxStatus, statusDescriptor } from './box-status.ts';
import { guard } from './guardian.ts';
import { startTimeOf } from './processes.ts';
import type { ProcessId } from './processes.ts';
import { endOf, LineTail } from './tail.ts';

export interface LaunchOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The complete environment: see `allowedEnv`. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** A variable, as `NAME=value`, that all processes of the child carry. */
  readonly marker?: string;
  /** The command is bubblewrap and tells on a descriptor of its own about the box it makes. */
  readonly tellsStatus?: boolean;
  /** May be the same file as `stderrFile`; what it already holds is kept and not handed on as lines. */
  readonly stdoutFile: string;
  readonly stderrFile: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** Of both files together; what goes beyond is cut off. */
  readonly outputBytesMax: number;
  readonly lineBytesMax?: number;
  readonly signal?: AbortSignal;
  readonly onLine?: (line: string) => void;
  /** The same for standard error, where it has a file of its own. */
  readonly onErrorLine?: (line: string) => void;
  readonly onStarted?: (process: ProcessId) => void;
}

export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly outputExceeded: boolean;
  readonly spawnError: { readonly code: string; readonly message: string } | null;
  /** Hosts the child was denied, where it ran in a box. */
  readonly denied?: readonly string[];
  /** EPIPE and the like: not an error by itself. */
  readonly stdinError: string | null;
  readonly ms: number;
  readonly stderrTail: string;
}

type Outcome = { -readonly [Key in keyof ProcessEnd]: ProcessEnd[Key] } & {
  /** What a callback of the caller's threw. */
  callerError?: { readonly thrown: unknown };
};

const pollMs = 40;
const survivorsGoneWithinMs = 500;
const lineBytesMaxDefault = 8 * 1024 ** 2;
const timerMsMax = 2 ** 31 - 1;

/** Rejects only with what `onStarted`, `onLine` or `onErrorLine` threw, and only after the child was ended. */
export async function launch(options: LaunchOptions): Promise<ProcessEnd> {
  const begun = performance.now();
  const outcome: Outcome = {
    exitCode: null,
    signal: null,
    timedOut: false,
    aborted: options.signal?.aborted ?? false,
    outputExceeded: false,
    spawnError: null,
    stdinError: null,
    ms: 0,
    stderrTail: '',
  };
  if (!outcome.aborted) await run(options, outcome);
  const { callerError, ...ended } = outcome;
  if (callerError) throw callerError.thrown;
  return { ...ended, ms: performance.now() - begun, stderrTail: endOf(options.stderrFile) };
}

const passedOn = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'CI'];

/** The environment a child may see: a short list of ours, and what it is given on purpose. */
export function allowedEnv(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  // The tool server is on this machine, whatever proxy is configured.
  const direct = process.env['NO_PROXY'] ?? process.env['no_proxy'] ?? '';
  const NO_PROXY = [direct, '127.0.0.1', 'localhost'].filter((part) => part !== '').join(',');
  return { TERM: 'dumb', ...ownVariables(passedOn), NO_PROXY, ...extra };
}

async function run(options: LaunchOptions, outcome: Outcome): Promise<void> {
  const opened: number[] = [];
  try {
    for (const path of [options.stdoutFile, options.stderrFile]) {
      mkdirSync(dirname(path), { recursive: true });
      opened.push(openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600));
    }
    const output = outputOf(opened, options);
    const { command, args, cwd, env } = options;
    const { spawn } = process.getBuiltinModule('node:child_process');
    const status = options.tellsStatus ? (['pipe'] as const) : [];
    const guarded = guard(options.marker, join(dirname(options.stdoutFile), endedFile));
    try {
      const child = spawn(command, args, { cwd, env, detached: true, stdio: ['pipe', ...opened, ...status] });
      if (child.pid !== undefined) guarded.started(child.pid);
      await supervise(child, options, outcome, output);
    } finally {
      guarded.release();
    }
    output.cut();
  } catch (error) {
    outcome.spawnError = { code: codeOf(error), message: explain(error, options) };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** The two output files, by descriptor: a child that replaces the paths changes nothing. */
function outputOf(opened: readonly number[], options: LaunchOptions) {
  const { outputBytesMax, lineBytesMax = lineBytesMaxDefault, onLine = () => {}, onErrorLine } = options;
  const all = opened.map((fd) => ({ fd, from: fstatSync(fd).size, ino: fstatSync(fd).ino }));
  const files = all.filter(({ ino }, at) => all.findIndex((file) => file.ino === ino) === at);
  return {
    /** The lines of standard output, and those of standard error for whoever wants them. */
    tails: files.flatMap(({ fd, from }, at) => {
      const handOn = [onLine, onErrorLine][at];
      return handOn ? [new LineTail(fd, { from, to: from + outputBytesMax, lineBytesMax, onLine: handOn })] : [];
    }),
    isExceeded: (): boolean => files.reduce((sum, { fd, from }) => sum + fstatSync(fd).size - from, 0) > outputBytesMax,
    cut: (): void => {
      for (const { fd, from } of files)
        if (fstatSync(fd).size > from + outputBytesMax) ftruncateSync(fd, from + outputBytesMax);
    },
  };
}

type Output = ReturnType<typeof outputOf>;

/** Beside a program's output: made when Pawl was killed while the program ran. */
export const endedFile = 'ended';

async function supervise(child: ChildProcess, options: LaunchOptions, outcome: Outcome, output: Output): Promise<void> {
  const { pid } = child;
  if (pid === undefined) throw await new Promise((failed) => child.once('error', failed));
  const { tails } = output;
  const box = options.tellsStatus ? new BoxStatus(child.stdio[statusDescriptor]) : null;
  const exit = new Promise<void>((ended) => {
    child.once('exit', (exitCode, signal) => {
      Object.assign(outcome, { exitCode, signal });
      ended();
    });
  });
  let killer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (killer) return;
    // Bubblewrap itself would take everything in the box with it at once.
    signalGroup(box?.pid ?? pid, 'SIGTERM');
    killer = setTimeout(() => signalGroup(pid, 'SIGKILL'), options.killGraceMs);
  };
  const calling = (call: () => void): void => {
    if (outcome.callerError) return;
    try {
      call();
    } catch (thrown) {
      outcome.callerError = { thrown };
      stop();
    }
  };
  const beyond = (limit: 'timedOut' | 'aborted' | 'outputExceeded'): void => {
    // What is reported is what ended the child, not what came after.
    if (!killer) outcome[limit] = true;
    stop();
  };
  const poll = setInterval(() => {
    for (const tail of tails) calling(() => void tail.read());
    if (output.isExceeded()) beyond('outputExceeded');
  }, pollMs);
  const timeout = setTimeout(beyond, Math.min(options.timeoutMs, timerMsMax), 'timedOut');
  const onAbort = (): void => beyond('aborted');
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const onExit = (): void => void signalGroup(pid, 'SIGKILL');
  process.once('exit', onExit);

  calling(() => options.onStarted?.({ pid, startedAt: startTimeOf(pid) ?? '' }));
  child.stdin?.on('error', (error) => {
    outcome.stdinError ??= codeOf(error);
  });
  // Input is always ended, or the child would wait for more of it.
  child.stdin?.end(options.stdin);
  await exit;
  for (const timer of [poll, timeout, killer]) clearTimeout(timer);
  options.signal?.removeEventListener('abort', onAbort);
  child.stdin?.destroy();
  // What the leader left behind would go on writing and spending. Zombies nobody reaps keep a group in being.
  const until = performance.now() + survivorsGoneWithinMs;
  while (signalGroup(pid, 'SIGKILL') && performance.now() < until) await wait(5);
  await box?.gone();
  process.off('exit', onExit);
  if (box && !box.hasRun && !killer && outcome.exitCode !== 0) outcome.spawnError = sandboxFailure(options);
  if (box && !killer) Object.assign(outcome, signalIn(outcome.exitCode));
  if (output.isExceeded() && !killer) outcome.outputExceeded = true;
  for (const tail of tails) calling(() => tail.finish());
}

/** Bubblewrap ends with 128 and the number of the signal that ended its program; other numbers are a program's own. */
const { signals } = system;
const fatalSignals = ['SIGILL', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGKILL', 'SIGSEGV', 'SIGTERM'] as const;

function signalIn(exitCode: number | null): Pick<ProcessEnd, 'exitCode' | 'signal'> | null {
  const signal = fatalSignals.find((name) => exitCode === 128 + signals[name]);
  return signal === undefined ? null : { exitCode: null, signal };
}

function sandboxFailure({ stderrFile }: LaunchOptions): ProcessEnd['spawnError'] {
  return { code: 'SandboxFailed', message: `the sandbox cannot start: ${endOf(stderrFile).trim()}` };
}

function signalGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): boolean {
  return orElse(false, () => process.kill(-group, signal));
}

/** Why a program could not be started, in words. */
export function explain(error: unknown, { command, cwd }: Pick<LaunchOptions, 'command' | 'cwd'>): string {
  const start = `cannot start "${command}"`;
  if (!existsSync(cwd)) return `${start}: its working folder ${cwd} does not exist`;
  if (codeOf(error) === 'ENOENT') return `${start}: it was not found; install it, or check the PATH`;
  if (codeOf(error) === 'EACCES') return `${start}: it is not executable, or its folder may not be entered`;
  return `${start}: ${error instanceof Error ? error.message : String(error)}`;
}
