import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Disk } from '../disk/disk.ts';
import { MemoryDisk, overlay } from '../disk/memory-disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { runStoreContract, type StoreUnderTest } from '../testing/run-store-contract.ts';
import { SimulatedDisk } from '../../test/simulated/simulated-disk.ts';
import { FileStore } from './file-store.ts';
import type { Liveness } from './run-store.ts';

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })));

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-store-'));
  folders.push(folder);
  return folder;
}

function storeOn(disk: Disk, root: string): StoreUnderTest {
  const lost = new Map<number, Liveness>();
  disk.mkdir(root);
  return {
    as: (pid) =>
      new FileStore(root, {
        disk,
        self: { pid, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' },
        livenessOf: (owner) => lost.get(owner.pid) ?? 'alive',
        now: () => Date.now(),
        stateVersion: 1,
        seals: { folder: join(root, '../seals'), boot: () => 'b' },
      }),
    lose: (pid, how) => void lost.set(pid, how),
  };
}

const kinds: readonly (readonly [name: string, empty: () => StoreUnderTest])[] = [
  ['files on a real disk', () => storeOn(nodeDisk, join(scratch(), 'pawl'))],
  ['files in memory', () => storeOn(new MemoryDisk(), '/repo/.git/pawl')],
  ['files over a real disk', () => storeOn(overlay(nodeDisk), join(scratch(), 'pawl'))],
];

describe.each(kinds)('%s', (name, empty) => {
  test.each(runStoreContract(name, empty).map((contract) => [contract.name, contract] as const))(
    '%s',
    async (_, contract) => {
      await contract.check();
    },
  );
});

const key = { workflow: 'change', run: 'x' };
const root = '/repo/.git/pawl';

test('J1: what append returned is there after a power loss, whatever else is lost', () => {
  const disk = new SimulatedDisk(() => Date.now());
  disk.mkdir('/repo/.git');
  const on = disk.afterKill(disk.instants);
  const held = storeOn(on, root).as(1).open(key);
  const appended = [1, 2, 3].map((number) => {
    held.append({ type: 'report.filed', dispatch: 'd', tool: `tool-${number}`, args: {} });
    return on.instants;
  });
  for (const [index, instant] of appended.entries()) {
    for (let seed = 1; seed <= 50; seed += 1) {
      const found = storeOn(on.afterPowerLoss(instant, seed), root).as(2).records(key);
      expect(found, `seed ${seed}`).toHaveLength(index + 1);
    }
  }
});

test('L6: an end in order counts only for the records of its own epoch and earlier ones', () => {
  const disk = new MemoryDisk();
  const store = storeOn(disk, root);
  store.as(1).open(key).close({ inOrder: true, state: null });
  const lease = join(store.as(1).folder(key), 'lease.1');
  const released = disk.readFile(lease);
  const held = store.as(2).open(key);
  held.append({ type: 'report.filed', dispatch: 'd', tool: 't', args: {} });
  // As a power loss may leave it: the record is there, and the lease before it.
  store.lose(2, 'dead');
  disk.unlink(join(store.as(1).folder(key), 'lease.2'));
  disk.writeFile(lease, released);
  const again = store.as(3).open(key);
  expect([again.foundInOrder, again.powerLost]).toEqual([false, true]);
});

test('N1: half of a note is none', () => {
  const disk = new MemoryDisk();
  const store = storeOn(disk, root);
  const held = store.as(1).open(key);
  held.append({ type: 'report.filed', dispatch: 'd', tool: 't', args: {} });
  held.keepNote('a note');
  const file = join(root, '.notes');
  expect(store.as(2).notes()(key)).toBe('a note');
  disk.writeFile(file, disk.readFile(file).subarray(0, -'e\n'.length));
  expect(store.as(2).notes()(key)).toBeUndefined();
});

test('following reads what is new, not the journal again', async () => {
  const disk = new MemoryDisk();
  const held = storeOn(disk, root).as(1).open(key);
  const append = (): void =>
    void held.append({ type: 'report.filed', dispatch: 'd', tool: 't'.repeat(1_000), args: {} });
  for (let number = 0; number < 100; number += 1) append();
  let bytes = 0;
  const counting = new Proxy(disk, {
    get: (target, name) => {
      if (name === 'readFile') throw new Error('the whole file is read');
      const value: unknown = Reflect.get(target, name);
      if (name !== 'read') return typeof value === 'function' ? value.bind(target) : value;
      return (descriptor: number, into: Buffer, position: number) => {
        const read = target.read(descriptor, into, position);
        bytes += read;
        return read;
      };
    },
  });
  const stop = new AbortController();
  const reader = new FileStore(root, {
    disk: counting,
    self: { pid: 2, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' },
    livenessOf: () => 'alive',
    now: () => Date.now(),
    stateVersion: 1,
  });
  for await (const { seq } of reader.follow(key, { after: 0, signal: stop.signal })) {
    if (seq >= 100 && seq < 105) append();
    if (seq === 105) stop.abort();
  }
  const { length } = disk.readFile(join(reader.folder(key), 'journal.jsonl'));
  expect(bytes).toBe(length);
});

test('a folder that is no run stops nobody', () => {
  const folder = join(scratch(), 'pawl');
  nodeDisk.mkdir(join(folder, 'change', 'empty'));
  writeFileSync(join(folder, 'change', 'file'), '');
  const store = storeOn(nodeDisk, folder).as(1);
  for (const run of ['empty', 'file']) expect(store.has({ workflow: 'change', run })).toBe(false);
});
