/** A disk that is full or read-only: a clear error, nothing half-written, and the same command goes on afterwards. */

import { spawnSync } from 'node:child_process';
import { closeSync, cpSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { livenessOf, thisProcess } from '../../src/cli/local-store.ts';
import { Journal, JournalUnwritable } from '../../src/store/journal.ts';
import { readJournal } from '../../src/store/read-journal.ts';
import { Lease } from '../../src/store/lease.ts';
import type { Entry } from '../../src/store/record.ts';
import { ScratchRepository } from '../../src/testing/scratch-repository.ts';
import { ChangeRepository, implemented, planned, program } from '../change/scripts.ts';
import { filesOf, keepTidy, phaseIn, recordsOf, run, scratch } from './at-work.ts';

keepTidy();

const mounted: string[] = [];

/** A small file system of its own; undefined where mounting is not permitted. */
function smallDisk(): string | undefined {
  const place = mkdtempSync(join(tmpdir(), 'pawl-disk-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', place]);
  if (status === 0) mounted.push(place);
  else rmSync(place, { recursive: true });
  return status === 0 ? place : undefined;
}

afterAll(() => {
  for (const place of mounted) {
    spawnSync('umount', ['--lazy', place]);
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
});

/** Takes all room but `leftBytes`. */
function fill(disk: string, leftBytes: number): void {
  const descriptor = openSync(join(disk, 'filler'), 'w');
  const block = Buffer.alloc(4096);
  try {
    for (;;) if (writeSync(descriptor, block) < block.length) break;
  } catch {
    // Full.
  }
  closeSync(descriptor);
  const { size } = statOf(disk);
  spawnSync('truncate', ['--size', String(size - leftBytes), join(disk, 'filler')]);
}

function statOf(disk: string): { size: number } {
  const { stdout } = spawnSync('stat', ['--format=%s', join(disk, 'filler')], { encoding: 'utf8' });
  return { size: Number(stdout) };
}

let approved: ChangeRepository;
const disk = smallDisk();

beforeAll(async () => {
  approved = scratch(planned);
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

function onDisk(place: string, name: string): ChangeRepository {
  const home = join(place, name);
  mkdirSync(home);
  cpSync(approved.repository.folder, home, { recursive: true });
  const change = new ChangeRepository(new ScratchRepository(program, home));
  change.script([...planned, ...implemented]);
  return change;
}

// Mounting needs root and a kernel that lets it; where that is not given, nothing can be shown here.
describe.skipIf(disk === undefined)('on a file system of its own', () => {
  const place = disk ?? '';

  test.each([0, 12, 28, 60].map((kilobytes) => [kilobytes] as const))(
    '%i KB free: exit 1 without partial writes; with free space, the same command continues',
    async (kilobytes) => {
      const change = onDisk(place, `full-${kilobytes}`);
      fill(place, kilobytes * 1024);
      const ran = await change.change('impl', run);
      rmSync(join(place, 'filler'));
      if (ran.code === 0) expect(kilobytes).toBeGreaterThan(28);
      else {
        expect(ran.code, ran.stderr).toBe(1);
        expect(ran.stderr).toMatch(/ENOSPC|no space left|disk is full|out of diskspace/i);
        expect(ran.stderr).not.toContain('internal error');
        expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 1 });
      }
      expect(Object.keys(filesOf(change.repository)).filter((path) => /tmp|\.pawl-/.test(path))).toEqual([]);
      expect(phaseIn(change)).toMatch(/^(challenged|implementing|complete)$/);
      const again = await change.change('impl', run);
      expect(again.code, again.stderr).toBe(0);
      expect(again.json).toMatchObject({ phase: 'complete' });
      const steps = again.json['dispatches'].map(({ step, signal }: Record<string, string>) => `${step} ${signal}`);
      expect(steps.slice(-2)).toEqual(['implement reported', 'review approved']);
      expect(recordsOf(change).map(({ seq }) => seq)).toEqual(recordsOf(change).map((_, index) => index + 1));
      rmSync(change.repository.folder, { recursive: true });
    },
  );

  test('J4: a record that does not fit is rolled back, and a smaller one can follow', () => {
    const runFolder = mkdtempSync(join(place, 'run-'));
    const lease = Lease.acquire(runFolder, { self: thisProcess(), livenessOf, now: () => Date.now(), force: false });
    const journal = new Journal(runFolder, { lease, now: () => Date.now(), stateVersion: 0 });
    const filed = (bytes: number): Entry => ({
      type: 'report.filed',
      dispatch: 'd#1',
      tool: 'report',
      args: { text: 'x'.repeat(bytes) },
    });
    journal.append(filed(10));
    fill(place, 64 * 1024);
    expect(() => journal.append(filed(300_000))).toThrow(JournalUnwritable);
    expect(journal.append(filed(20)).seq).toBe(2);
    rmSync(join(place, 'filler'));
    expect(journal.append(filed(30)).seq).toBe(3);
    expect(readJournal(runFolder)).toHaveLength(3);
    journal.close({ inOrder: true, state: null });
  });

  test('[change row 108] read-only: exit 1, nothing is changed; once writable, the same command continues', async () => {
    const change = onDisk(place, 'read-only');
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    expect(spawnSync('mount', ['-o', 'remount,ro', place]).status).toBe(0);
    try {
      for (const args of [
        ['change', 'impl', run],
        ['undo', run],
        ['answer', run, 'revision', 'continue'],
      ]) {
        const ran = await change.pawl(...args);
        expect(ran.code, ran.stderr).toBe(1);
        expect(ran.stderr).toMatch(/read-only/);
        expect(ran.stderr).not.toContain('internal error');
      }
      expect((await change.pawl('change', 'status', run)).code).toBe(0);
    } finally {
      spawnSync('mount', ['-o', 'remount,rw', place]);
    }
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
    expect((await change.change('impl', run)).code).toBe(0);
  });
});

test.runIf(existsSync('/dev/full'))('[D29] output that finds no space: one line, exit 1, no stack trace', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [program, 'help'], { stdio: ['ignore', full, 'pipe'] });
  const runs = spawnSync(process.execPath, [program, 'verify', 'change'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  expect([status, runs.status]).toEqual([1, 1]);
  for (const text of [stderr, runs.stderr]) expect(String(text)).toMatch(/^pawl: the output cannot be written: .*\n$/);
});
