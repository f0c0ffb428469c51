/** Every disk does what the real one does: random operations on all of them give the same results and the same files. */

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { codeOf } from './disk-error.ts';
import type { Disk } from './disk.ts';
import { MemoryDisk, overlay } from './memory-disk.ts';
import { nodeDisk } from './node-disk.ts';
import { DurableFiles } from './syncing.ts';

const scratch: string[] = [];
afterEach(() => scratch.splice(0).forEach((folder) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })));

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'pawl-disk-'));
  scratch.push(made);
  return made;
}

/** One operation below a root; what it gives is compared. */
type Operation = (disk: Disk, root: string) => unknown;

const names = ['a', 'b', 'a/c', 'a/d', 'a/d/e', 'l'];
const path = fc.constantFrom(...names);
const text = fc.constantFrom('', 'one', 'zwei ü', 'x'.repeat(5_000));

const operation: fc.Arbitrary<readonly [string, Operation]> = fc.oneof(
  fc
    .tuple(path, text, fc.constantFrom('w', 'wx', 'a'))
    .map(
      ([name, content, flag]) =>
        [
          `writeFile ${name} ${content.length} ${flag}`,
          (disk: Disk, root: string) => disk.writeFile(join(root, name), content, { flag }),
        ] as const,
    ),
  fc
    .tuple(path, path)
    .map(
      ([from, to]) =>
        [`rename ${from} ${to}`, (disk: Disk, root: string) => disk.rename(join(root, from), join(root, to))] as const,
    ),
  fc
    .tuple(path, path)
    .map(
      ([from, to]) =>
        [`link ${from} ${to}`, (disk: Disk, root: string) => disk.link(join(root, from), join(root, to))] as const,
    ),
  fc
    .tuple(path, path)
    .map(
      ([target, name]) =>
        [`symlink ${name} ${target}`, (disk: Disk, root: string) => disk.symlink(target, join(root, name))] as const,
    ),
  path.map((name) => [`readlink ${name}`, (disk: Disk, root: string) => disk.readlink(join(root, name))] as const),
  path.map(
    (name) =>
      [`realpath ${name}`, (disk: Disk, root: string) => disk.realpath(join(root, name)).slice(root.length)] as const,
  ),
  path.map((name) => [`unlink ${name}`, (disk: Disk, root: string) => disk.unlink(join(root, name))] as const),
  path.map((name) => [`rmdir ${name}`, (disk: Disk, root: string) => disk.rmdir(join(root, name))] as const),
  path.map(
    (name) =>
      [`mkdir ${name}`, (disk: Disk, root: string) => disk.mkdir(join(root, name))?.slice(root.length)] as const,
  ),
  path.map(
    (name) => [`readFile ${name}`, (disk: Disk, root: string) => disk.readFile(join(root, name)).toString()] as const,
  ),
  path.map((name) => [`exists ${name}`, (disk: Disk, root: string) => disk.exists(join(root, name))] as const),
  fc.tuple(path, text).map(([name, content]) => [`append ${name}`, appending(name, content)] as const),
);

/** As the journal does it. */
function appending(name: string, content: string): Operation {
  return (disk, root) => {
    const descriptor = disk.open(join(root, name), 'a+');
    try {
      const written = disk.write(descriptor, Buffer.from(content));
      disk.fdatasync(descriptor);
      const into = Buffer.alloc(3);
      const read = disk.read(descriptor, into, 1);
      const bytes = disk.bytesIn(descriptor);
      disk.truncate(descriptor, Math.max(0, bytes - 1));
      return [written, read, into.toString(), bytes, disk.bytesIn(descriptor)];
    } finally {
      disk.close(descriptor);
    }
  };
}

/** Systems differ in which of two mistakes they name: nothing can be below a file, or nothing is there. */
const alike: Readonly<Record<string, string>> = {
  ENOTDIR: 'ENOENT',
  EEXIST: 'taken',
  ENOTEMPTY: 'taken',
  EPERM: 'EISDIR',
};

function outcome(deed: () => unknown): unknown {
  try {
    return deed() ?? null;
  } catch (error) {
    const code = codeOf(error);
    return `failed: ${alike[code] ?? code}`;
  }
}

function everything(disk: Disk, root: string, at = ''): Record<string, unknown> {
  return Object.fromEntries(
    disk.list(join(root, at)).flatMap(({ name, kind }) => {
      const inside = `${at}/${name}`;
      const file = join(root, inside);
      if (kind === 'folder') return [[inside, kind], ...Object.entries(everything(disk, root, inside))];
      return [[inside, kind === 'file' ? disk.readFile(file).toString() : `-> ${disk.readlink(file)}`]];
    }),
  );
}

function compared(prepare: (real: string) => { disk: Disk; root: string }): void {
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 25 }), (operations) => {
      const real = folder();
      const { disk, root } = prepare(real);
      for (const [what, operate] of operations) {
        expect(
          outcome(() => operate(disk, root)),
          what,
        ).toEqual(outcome(() => operate(nodeDisk, real)));
      }
      expect(everything(disk, root)).toEqual(everything(nodeDisk, real));
    }),
    { numRuns: 150 },
  );
}

test('a disk in memory', () => {
  compared(() => {
    const disk = new MemoryDisk();
    disk.mkdir('/root');
    return { disk, root: '/root' };
  });
});

test('M1: a disk in memory over a real one, which stays as it is', () => {
  let below = '';
  let before: unknown;
  const unchanged = (): void => {
    if (below !== '') expect(everything(nodeDisk, below)).toEqual(before);
  };
  compared((real) => {
    unchanged();
    for (const name of ['a/d', 'b']) mkdirSync(join(real, name), { recursive: true });
    nodeDisk.writeFile(join(real, 'a/c'), 'from below');
    nodeDisk.symlink('a', join(real, 'l'));
    below = folder();
    cpSync(real, below, { recursive: true, verbatimSymlinks: true });
    before = everything(nodeDisk, below);
    return { disk: overlay(nodeDisk), root: below };
  });
  unchanged();
});

test('M1: a file below that grows is seen until it is written above', () => {
  const below = folder();
  const disk = overlay(nodeDisk);
  const file = join(below, 'log');
  nodeDisk.writeFile(file, 'one');
  expect(disk.readFile(file).toString()).toBe('one');
  nodeDisk.writeFile(file, ' two', { flag: 'a' });
  expect(disk.readFile(file).toString()).toBe('one two');
  disk.writeFile(file, ' above', { flag: 'a' });
  nodeDisk.writeFile(file, ' three', { flag: 'a' });
  expect(disk.readFile(file).toString()).toBe('one two above');
  expect(nodeDisk.readFile(file).toString()).toBe('one two three');
});

/** Counts which paths are synced. */
function counting(): { disk: MemoryDisk; synced: () => string[] } {
  const synced: string[] = [];
  class Counting extends MemoryDisk {
    protected override perform(change: Parameters<MemoryDisk['perform']>[0]): void {
      if (change.type === 'sync') synced.push(change.path);
      super.perform(change);
    }
  }
  return { disk: new Counting(), synced: () => synced.splice(0) };
}

test('Y1, Y2: a file is made durable with all folders above it, and those only once', () => {
  const { disk, synced } = counting();
  disk.mkdir('/repo/a/b');
  for (const name of ['one', 'two']) disk.writeFile(join('/repo/a/b', name), name);
  const files = new DurableFiles(disk, '/repo');
  files.sync(['a/b/one']);
  expect(synced()).toEqual(['/repo/a/b/one', '/repo/a/b', '/repo/a', '/repo']);
  files.sync(['a/b/two']);
  expect(synced()).toEqual(['/repo/a/b/two', '/repo/a/b']);
  disk.unlink('/repo/a/b/one');
  files.sync(['a/b/one']);
  expect(synced()).toEqual(['/repo/a/b', '/repo/a', '/repo']);
});
