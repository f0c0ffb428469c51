/** The simulation finds what it is there for: a disk that breaks one promise makes a run end otherwise. */

import { expect, test } from 'vitest';
import type { Disk } from '../../src/disk/disk.ts';
import { CrashSimulation, everyKill, everyPowerLoss } from './crash-simulation.ts';
import { seed } from './crashes.ts';
import { ownLife } from './lives.ts';

const life = await ownLife();

/** The same disk with some operations replaced. */
function but(disk: Disk, replaced: Partial<Disk>): Disk {
  return new Proxy(disk, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in replaced ? replaced : target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function onFolder(disk: Disk, sync: boolean): Partial<Disk> {
  const folders = new Set<number>();
  return {
    open: (path, flags, mode) => {
      const descriptor = disk.open(path, flags, mode);
      if (disk.entry(path)?.kind === 'folder') folders.add(descriptor);
      return descriptor;
    },
    fsync: (descriptor) => {
      if (folders.has(descriptor) === sync) disk.fsync(descriptor);
    },
  };
}

test.each<[what: string, seenAs: (disk: Disk) => Disk]>([
  ['no record is synced', (disk) => but(disk, { fdatasync: () => {} })],
  ['no folder is synced', (disk) => but(disk, onFolder(disk, false))],
  ['no file but the journal is synced', (disk) => but(disk, onFolder(disk, true))],
])('the simulation finds problems after a power loss when %s', async (_, seenAs) => {
  const simulation = new CrashSimulation({ ...life, seenAs });
  const [start] = await simulation.undisturbed();
  if (!start) throw new Error('there is no command');
  expect(await simulation.problemsAfter(start, everyPowerLoss(start, [seed]))).not.toEqual([]);
});

test('the simulation finds problems after a kill when files are replaced in place', async () => {
  const seenAs = (disk: Disk): Disk =>
    but(disk, {
      rename: (from, to) => {
        if (disk.entry(from)?.kind !== 'file') return disk.rename(from, to);
        disk.writeFile(to, disk.readFile(from));
        disk.unlink(from);
      },
    });
  const simulation = new CrashSimulation({ ...life, seenAs });
  const [start] = await simulation.undisturbed();
  if (!start) throw new Error('there is no command');
  expect(simulation.writtenInPlace(start)).not.toEqual([]);
  expect(await simulation.problemsAfter(start, everyKill(start, seed))).not.toEqual([]);
});

test('the simulation fails when records are not written', async () => {
  const simulation = new CrashSimulation({ ...life, seenAs: (disk) => but(disk, { write: forgetting(disk) }) });
  await expect(simulation.undisturbed()).rejects.toThrow(/was changed by something other than Pawl/);
});

/** Calls every third record written, and does not write it. */
function forgetting(disk: Disk): Disk['write'] {
  let records = 0;
  return (descriptor, bytes) => {
    if (bytes.toString('latin1', 0, 7) === '{"seq":' && (records += 1) % 3 === 0) return bytes.length;
    return disk.write(descriptor, bytes);
  };
}
