import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentOwner, Lease, RunLocked, staleAfterMs, type LeaseOptions } from './lease.ts';
import type { Liveness } from './run-store.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'pawl-lease-'));

const options = (pid: number, liveness: Liveness, more: Partial<LeaseOptions> = {}): LeaseOptions => ({
  self: { pid, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' },
  livenessOf: () => liveness,
  now: () => Date.now(),
  ...more,
});

test('L3: a live owner refuses a second one and is named', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'alive'));
  expect(() => Lease.acquire(at, options(8, 'alive'))).toThrow(RunLocked);
  expect(() => Lease.acquire(at, options(8, 'alive'))).toThrow(/pid 7 on here/);
  expect(currentOwner(at, options(8, 'alive'))?.pid).toBe(7);
});

test('L3: a dead owner never blocks', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'dead'));
  expect(Lease.acquire(at, options(8, 'dead')).epoch).toBe(2);
});

test('L3, attack 8.3: an owner that cannot be seen blocks until its heartbeat is stale, or by force', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'unseen'));
  expect(() => Lease.acquire(at, options(8, 'unseen'))).toThrow(RunLocked);
  expect(Lease.acquire(at, options(8, 'unseen', { force: true })).epoch).toBe(2);
  const long = new Date(Date.now() - staleAfterMs - 1_000);
  utimesSync(join(at, 'lease.2'), long, long);
  expect(Lease.acquire(at, options(9, 'unseen')).epoch).toBe(3);
});

test('a released lease is free at once, and epochs go on', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'alive')).release();
  expect(currentOwner(at, options(8, 'alive'))).toBeUndefined();
  expect(Lease.acquire(at, options(8, 'alive')).epoch).toBe(2);
});

test('L4: who lost the lease notices, and releasing it does not disturb the new owner', () => {
  const at = folder();
  const lost = Lease.acquire(at, options(7, 'dead'));
  Lease.acquire(at, options(8, 'dead'));
  expect(() => lost.assertHeld()).toThrow(/taken over/);
  lost.release();
  expect(currentOwner(at, options(9, 'alive'))?.pid).toBe(8);
});

test('L1: nothing but the lease is left behind', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'dead'));
  Lease.acquire(at, options(8, 'dead'));
  expect(readdirSync(at)).toEqual(['lease.2']);
  expect(existsSync(join(at, 'lease.1'))).toBe(false);
});

test('L5: only a release in order counts as one; a death, a disorder and a first lease do not', () => {
  const at = folder();
  const first = Lease.acquire(at, options(7, 'dead'));
  expect(first.found.inOrder).toBe(false);
  const afterDeath = Lease.acquire(at, options(8, 'dead'));
  expect(afterDeath.found.inOrder).toBe(false);
  afterDeath.release({ inOrder: false });
  const afterDisorder = Lease.acquire(at, options(9, 'alive'));
  expect(afterDisorder.found.inOrder).toBe(false);
  afterDisorder.release({ inOrder: true });
  expect(Lease.acquire(at, options(10, 'alive')).found.inOrder).toBe(true);
});

test('L2: an epoch that others have left behind is not taken by one who was slow', () => {
  const at = folder();
  Lease.acquire(at, options(7, 'alive')).release();
  Lease.acquire(at, options(8, 'alive')).release();
  expect(readdirSync(at)).toEqual(['lease.2']);
  // The slow one has seen no lease at all: it would take lease.1, which is free again.
  const slow = { ...options(9, 'alive'), livenessOf: (): Liveness => 'alive' };
  rmSync(join(at, 'lease.2'));
  const meanwhile = (): void => writeFileSync(join(at, 'lease.3'), JSON.stringify(options(8, 'alive').self));
  expect(() =>
    Lease.acquire(at, {
      ...slow,
      get self() {
        meanwhile();
        return options(9, 'alive').self;
      },
    }),
  ).toThrow(RunLocked);
  expect(readdirSync(at)).toEqual(['lease.3']);
});

test('attack 1.12: a planted lease of a number that no run reaches locks nobody out', () => {
  const at = folder();
  writeFileSync(join(at, 'lease.9007199254740992'), '');
  writeFileSync(join(at, `lease.${'9'.repeat(200)}`), '');
  expect(Lease.acquire(at, options(7, 'alive')).epoch).toBe(1);
  expect(() => Lease.acquire(at, options(8, 'alive'))).toThrow(RunLocked);
  expect(Lease.acquire(at, options(8, 'alive', { force: true })).epoch).toBe(2);
  writeFileSync(join(at, 'lease.2147483648'), '');
  expect(() => Lease.acquire(at, options(9, 'dead'))).toThrow(/lease.2147483648 .*remove it/);
});
