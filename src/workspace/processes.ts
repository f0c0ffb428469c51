/**
 * Processes that other processes started: whether they still live, and how they are ended.
 *
 * P1. A process is a pid and its start time: a pid that was given to another process is not it.
 * P2. A zombie is gone.
 * P3. Pid 1, this process and this process's group are never signalled.
 */

import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { orElse } from '../disk/disk-error.ts';

export interface ProcessId {
  readonly pid: number;
  readonly startedAt: string;
}

/** Processes outlived SIGKILL, so they hang in the kernel: stop, a person has to look. */
export class StillRunning extends Error {
  readonly code = 'StillRunning';
  readonly fix = 'find out with ps why they hang, then run the same command again';
}

interface ProcessState extends ProcessId {
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
  const state = look(pid);
  return state !== undefined && !state.zombie && state.startedAt === startedAt;
}

/** Changes when the machine starts anew; '' where that cannot be told. */
export function bootId(): string {
  if (isLinux) return textOf('/proc/sys/kernel/random/boot_id').trim();
  return output('sysctl', ['-n', 'kern.bootsessionuuid']).trim();
}

/** Pids mean the same only inside one namespace; '' where there are none. */
export function pidNamespace(): string {
  return orElse('', () => readlinkSync('/proc/self/ns/pid'));
}

/** Pids of processes that were started with this variable in their environment. */
export function findByMarker(name: string, value: string): number[] {
  const marker = `${name}=${value}`;
  if (isLinux) return pidsInProc().filter((pid) => textOf(`/proc/${pid}/environ`).split('\0').includes(marker));
  return output('ps', ['-axEww', '-o', 'pid=,command='])
    .split('\n')
    .filter((line) => `${line} `.includes(` ${marker} `))
    .map((line) => Number.parseInt(line, 10))
    .filter((pid) => pid > 0);
}

const ancestorsMax = 64;

/** Whether a process above this one was started with a variable of this name. Told on Linux only, of processes of the same user. */
export function isBelow(name: string): boolean {
  let pid = isLinux ? process.ppid : 0;
  for (let level = 0; pid > 1 && level < ancestorsMax; level += 1) {
    const variables = textOf(`/proc/${pid}/environ`).split('\0');
    if (variables.some((variable) => variable.startsWith(`${name}=`))) return true;
    pid = parentOf(textOf(`/proc/${pid}/stat`));
  }
  return false;
}

function parentOf(stat: string): number {
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0);
}

/** SIGTERM to the processes and their groups, SIGKILL to what is left of them after `graceMs`; returns when all are gone. */
export async function endProcesses(pids: readonly number[], { graceMs }: { graceMs: number }): Promise<void> {
  const before = everyProcess();
  const own = before.find(({ pid }) => pid === process.pid)?.group;
  const named = before.filter(({ pid }) => pid > 1 && pids.includes(pid));
  const groups = new Set(named.map(({ group }) => group).filter((group) => group > 1 && group !== own));
  const isTarget = ({ pid, group, startedAt }: ProcessState): boolean =>
    groups.has(group) || named.some((each) => each.pid === pid && each.startedAt === startedAt);
  const targets = (): ProcessState[] =>
    everyProcess().filter((each) => each.pid > 1 && each.pid !== process.pid && isTarget(each));

  // One that has ended meanwhile, or is not ours to signal: the wait that follows tells.
  const send = (signal: 'SIGTERM' | 'SIGKILL'): void =>
    targets().forEach(({ pid }) => orElse(false, () => process.kill(pid, signal)));

  send('SIGTERM');
  if (await goneWithin(targets, graceMs)) return;
  const killBy = performance.now() + killedWithinMs;
  // Again and again, because a group may fork while it is being killed.
  while (performance.now() < killBy) {
    send('SIGKILL');
    if (await goneWithin(targets, pollMs * 5)) return;
  }
  const left = targets().map(({ pid }) => pid);
  throw new StillRunning(`processes ${left.join(', ')} do not end even on SIGKILL`);
}

async function goneWithin(targets: () => readonly ProcessState[], ms: number): Promise<boolean> {
  const until = performance.now() + ms;
  while (targets().length > 0) {
    if (performance.now() >= until) return false;
    await wait(pollMs);
  }
  return true;
}

function look(pid: number): ProcessState | undefined {
  if (!Number.isSafeInteger(pid) || pid < 1) return undefined;
  if (isLinux) return parseStat(pid, textOf(`/proc/${pid}/stat`));
  return parsePs(output('ps', ['-o', 'pid=,pgid=,state=,lstart=', '-p', `${pid}`]))[0];
}

/** Everything that still runs. */
function everyProcess(): ProcessState[] {
  const all = isLinux
    ? pidsInProc().map((pid) => parseStat(pid, textOf(`/proc/${pid}/stat`)))
    : parsePs(output('ps', ['-axo', 'pid=,pgid=,state=,lstart=']));
  return all.filter((state) => state !== undefined).filter(({ zombie }) => !zombie);
}

/** The second field is a name in parentheses that may itself contain spaces and parentheses. */
export function parseStat(pid: number, stat: string): ProcessState | undefined {
  const [state, , group, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startedAt = fields[16];
  if (!stat.includes(')') || state === undefined || group === undefined || startedAt === undefined) return undefined;
  return { pid, group: Number(group), zombie: state === 'Z' || state === 'X', startedAt };
}

export function parsePs(text: string): ProcessState[] {
  return text.split('\n').flatMap((line) => {
    const [, pid, group, state, startedAt] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*\S)\s*$/.exec(line) ?? [];
    if (!pid || !group || !state || !startedAt) return [];
    return [{ pid: Number(pid), group: Number(group), zombie: state.startsWith('Z'), startedAt }];
  });
}

function pidsInProc(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0);
}

function textOf(path: string): string {
  return orElse('', () => readFileSync(path, 'utf8'));
}

function output(command: string, args: readonly string[]): string {
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C' };
  return orElse('', () =>
    // Loaded late: on Linux nothing here needs it.
    process.getBuiltinModule('node:child_process').execFileSync(command, args, {
      env,
      encoding: 'utf8',
      timeout: toolMsMax,
      maxBuffer: toolOutputBytesMax,
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
}
