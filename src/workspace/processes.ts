/**
 * Processes that other processes started: whether they still live, and how they are ended.
 *
 * P1. A process is a pid and its start time: a pid that was given to another process is not it.
 * P2. A zombie is gone.
 * P3. Pid 1, this process and this process's group are never signalled.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

export interface ProcessId {
  readonly pid: number;
  readonly startedAt: string;
}

/** Processes outlived SIGKILL, so they hang in the kernel: stop, a person has to look. */
export class StillRunning extends Error {
  readonly code = 'StillRunning';
}

interface Seen extends ProcessId {
  readonly group: number;
  readonly zombie: boolean;
}

const isLinux = process.platform === 'linux';
const pollMs = 10;
const killedWithinMs = 5_000;
const toolMsMax = 10_000;
const toolOutputBytesMax = 64 * 1024 ** 2;

export function startTimeOf(pid: number): string | undefined {
  return look(pid)?.startedAt;
}

export function isAlive({ pid, startedAt }: ProcessId): boolean {
  const seen = look(pid);
  return seen !== undefined && !seen.zombie && seen.startedAt === startedAt;
}

/** Changes when the machine starts anew; '' where that cannot be told. */
export function bootId(): string {
  if (isLinux) return readOr('/proc/sys/kernel/random/boot_id', '').trim();
  return output('sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

/** Pids mean the same only inside one namespace; '' where there are none. */
export function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Pids of processes that were started with this variable in their environment. */
export function findByMarker(name: string, value: string): number[] {
  const marker = `${name}=${value}`;
  if (isLinux) return pidsInProc().filter((pid) => readOr(`/proc/${pid}/environ`, '').split('\0').includes(marker));
  return output('ps', ['-axEww', '-o', 'pid=,command='])
    .split('\n')
    .filter((line) => `${line} `.includes(` ${marker} `))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 0);
}

/** SIGTERM to the processes and their groups, SIGKILL to what is left of them after `graceMs`; returns when all are gone. */
export async function endProcesses(pids: readonly number[], { graceMs }: { graceMs: number }): Promise<void> {
  const before = everyProcess();
  const own = before.find(({ pid }) => pid === process.pid)?.group;
  const named = before.filter(({ pid }) => pid > 1 && pids.includes(pid));
  const groups = new Set(named.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  const targets = (): Seen[] =>
    everyProcess().filter(
      (seen) => seen.pid > 1 && seen.pid !== process.pid && (groups.has(seen.group) || named.some(isSame(seen))),
    );

  send(targets(), 'SIGTERM');
  if (await goneWithin(targets, graceMs)) return;
  const killBy = performance.now() + killedWithinMs;
  // Again and again, because a group may fork while it is being killed.
  while (performance.now() < killBy) {
    send(targets(), 'SIGKILL');
    if (await goneWithin(targets, pollMs * 5)) return;
  }
  const left = targets().map(({ pid }) => pid);
  throw new StillRunning(
    `processes ${left.join(', ')} do not end even on SIGKILL; look at them with ps, then run the same command again`,
  );
}

function isSame(seen: ProcessId): (other: ProcessId) => boolean {
  return ({ pid, startedAt }) => pid === seen.pid && startedAt === seen.startedAt;
}

function send(targets: readonly Seen[], signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const { pid } of targets) {
    try {
      process.kill(pid, signal);
    } catch {
      // Ended meanwhile, or not ours to signal: the wait that follows tells.
    }
  }
}

async function goneWithin(targets: () => readonly Seen[], ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (targets().length > 0) {
    if (performance.now() >= until) return false;
    await wait(pollMs);
  }
  return true;
}

function look(pid: number): Seen | undefined {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (isLinux) return parseStat(pid, readOr(`/proc/${pid}/stat`, ''));
  return parsePs(output('ps', ['-o', 'pid=,pgid=,state=,lstart=', '-p', `${pid}`]))[0];
}

/** Everything that still runs. */
function everyProcess(): Seen[] {
  const all = isLinux
    ? pidsInProc().map((pid) => parseStat(pid, readOr(`/proc/${pid}/stat`, '')))
    : parsePs(output('ps', ['-axo', 'pid=,pgid=,state=,lstart=']));
  return all.filter((seen) => seen !== undefined).filter(({ zombie }) => !zombie);
}

/** The second field is a name in parentheses that may itself contain spaces and parentheses. */
export function parseStat(pid: number, stat: string): Seen | undefined {
  const fields = stat
    .slice(stat.lastIndexOf(')') + 1)
    .trim()
    .split(' ');
  const [state, , group] = fields;
  const startedAt = fields[19];
  if (!stat.includes(')') || state === undefined || group === undefined || startedAt === undefined) return undefined;
  return { pid, group: Number(group), zombie: state === 'Z' || state === 'X', startedAt };
}

export function parsePs(text: string): Seen[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, group, state, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (!pid || !group || !state || !startedAt) return [];
    return [{ pid: Number(pid), group: Number(group), zombie: state.startsWith('Z'), startedAt }];
  });
}

function pidsInProc(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return otherwise;
  }
}

function output(command: string, args: readonly string[]): string {
  try {
    const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };
    // Loaded late: on Linux nothing here needs it.
    return process.getBuiltinModule('node:child_process').execFileSync(command, args, {
      env,
      encoding: 'utf8',
      timeout: toolMsMax,
      maxBuffer: toolOutputBytesMax,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch {
    return '';
  }
}
