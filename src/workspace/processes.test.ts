import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import {
  bootId,
  endProcesses,
  findByMarker,
  isAlive,
  parsePs,
  parseStat,
  pidNamespace,
  startTimeOf,
} from './processes.ts';

const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

const stays = "console.log('up'); setInterval(() => {}, 1000);";
const staysOnSigterm = `process.on('SIGTERM', () => {}); ${stays}`;

async function start(
  source: string,
  options: { detached?: boolean; env?: Record<string, string> } = {},
): Promise<{ pid: number; child: ChildProcess }> {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'], ...options });
  started.push(child);
  await once(child.stdout, 'data');
  return { pid: child.pid!, child };
}

describe('who is who', () => {
  test('a process is alive until it ends; another start time is another process (P1, attack 8.3)', async () => {
    const { pid, child } = await start(stays);
    const startedAt = startTimeOf(pid)!;
    expect(startedAt).not.toBe('');
    expect(isAlive({ pid, startedAt })).toBe(true);
    expect(isAlive({ pid, startedAt: `${startedAt}0` })).toBe(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isAlive({ pid, startedAt })).toBe(false);
    expect(startTimeOf(pid)).toBeUndefined();
  });

  test.each([0, -1, 1.5, Number.NaN, 2 ** 40])('no process has pid %s', (pid) => {
    expect(startTimeOf(pid)).toBeUndefined();
  });

  test('names with spaces and parentheses; zombies (P2)', () => {
    const rest = Array.from({ length: 30 }, (_, at) => at + 4).join(' ');
    expect(parseStat(7, `7 (a) R (b c)) S ${rest}\n`)).toEqual({ pid: 7, group: 5, zombie: false, startedAt: '22' });
    expect(parseStat(7, `7 (x) Z ${rest}\n`)?.zombie).toBe(true);
    expect(parseStat(7, '')).toBeUndefined();
    expect(parsePs('  12    10 Ss   Mon Jan  5 10:00:00 2026    \n 13 10 Z+ Mon Jan  5 10:00:00 2026\n')).toEqual([
      { pid: 12, group: 10, zombie: false, startedAt: 'Mon Jan  5 10:00:00 2026' },
      { pid: 13, group: 10, zombie: true, startedAt: 'Mon Jan  5 10:00:00 2026' },
    ]);
  });

  test.runIf(process.platform === 'linux')('a program with an odd name', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-processes-'));
    const odd = join(folder, 'a) R (b');
    copyFileSync('/bin/sleep', odd);
    const child = spawn(odd, ['30']);
    started.push(child);
    await once(child, 'spawn');
    expect(startTimeOf(child.pid!)).toMatch(/^\d+$/);
    rmSync(folder, { recursive: true });
  });

  test('boot id and pid namespace are stable', () => {
    expect(bootId()).toBe(bootId());
    if (process.platform !== 'linux') return;
    expect(bootId()).toMatch(/^[0-9a-f-]{36}$/);
    expect(pidNamespace()).toMatch(/^pid:\[\d+\]$/);
  });

  test('finds processes by the marker they were started with', async () => {
    const value = `d-${process.pid}-${performance.now()}`;
    const env = { PATH: process.env['PATH'] ?? '', PAWL_DISPATCH: value };
    const { pid } = await start(stays, { env, detached: true });
    await start(stays, { env: { ...env, PAWL_DISPATCH: `${value}0` } });
    expect(findByMarker('PAWL_DISPATCH', value)).toEqual([pid]);
    expect(findByMarker('DISPATCH', value)).toEqual([]);
    expect(findByMarker('PAWL_DISPATCH', 'none such')).toEqual([]);
  });
});

describe('endProcesses', () => {
  test('by SIGTERM, or by SIGKILL where that does not help', async () => {
    const [soft, hard] = [await start(stays, { detached: true }), await start(staysOnSigterm, { detached: true })];
    await endProcesses([soft.pid, hard.pid], { graceMs: 200 });
    expect(startTimeOf(soft.pid) === undefined || !isAlive({ pid: soft.pid, startedAt: startTimeOf(soft.pid)! })).toBe(
      true,
    );
    if (hard.child.signalCode === null) await once(hard.child, 'exit');
    expect([soft.child.signalCode, hard.child.signalCode]).toEqual(['SIGTERM', 'SIGKILL']);
  });

  test('the whole group, although only one of it was named', async () => {
    const source = `
      const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(staysOnSigterm)}], { stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.once('data', () => console.log(child.pid)); setInterval(() => {}, 1000);`;
    const leader = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    started.push(leader);
    const [data]: Buffer[] = await once(leader.stdout, 'data');
    const member = { pid: Number(data!.toString()), startedAt: startTimeOf(Number(data!.toString()))! };
    expect(isAlive(member)).toBe(true);
    await endProcesses([leader.pid!], { graceMs: 100 });
    expect(isAlive(member)).toBe(false);
  });

  test('a process in our own group ends alone (P3)', async () => {
    const { pid, child } = await start(stays);
    const other = await start(stays);
    await endProcesses([pid], { graceMs: 1_000 });
    if (child.signalCode === null) await once(child, 'exit');
    expect(child.signalCode).toBe('SIGTERM');
    expect(isAlive({ pid: other.pid, startedAt: startTimeOf(other.pid)! })).toBe(true);
  });

  test('never ourselves, never pid 1, nothing for those already gone (P3)', async () => {
    await endProcesses([process.pid, 1, 0, -1, 2 ** 30], { graceMs: 10 });
    expect(process.exitCode ?? 0).toBe(0);
  });
});
