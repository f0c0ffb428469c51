import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from './simulated-disk.ts';

const seeds = Array.from({ length: 200 }, (_, index) => index + 1);

/** A disk with an old file, switched on anew. */
function prepared(): SimulatedDisk {
  const disk = new SimulatedDisk(() => 1);
  disk.mkdir('/a');
  disk.mkdir('/b');
  disk.writeFile('/a/file', 'old');
  return disk.afterKill(disk.instants);
}

function syncOf(disk: SimulatedDisk, path: string): void {
  const descriptor = disk.open(path, 'r');
  disk.fsync(descriptor);
  disk.close(descriptor);
}

function textIn(disk: SimulatedDisk, path: string): string | null {
  return disk.exists(path) ? disk.readFile(path).toString() : null;
}

/** Everything that can be found at a path after a power loss at the end. */
function found(disk: SimulatedDisk, ...paths: readonly string[]): ReadonlySet<string> {
  return new Set(
    seeds.map((seed) => {
      const left = disk.afterPowerLoss(disk.instants, seed);
      return paths.map((path) => textIn(left, path) ?? '-').join(' ');
    }),
  );
}

describe('a kill (D1)', () => {
  test('keeps everything written before it, and does not change the original disk', () => {
    const disk = prepared();
    disk.writeFile('/a/new', 'content');
    disk.rename('/a/new', '/a/file');
    expect(Array.from({ length: 4 }, (_, at) => textIn(disk.afterKill(at), '/a/file'))).toEqual([
      'old',
      'old',
      'old',
      'content',
    ]);
    expect(textIn(disk, '/a/file')).toBe('content');
  });

  test('can truncate a write', () => {
    const disk = prepared();
    disk.writeFile('/a/file', ' and new', { flag: 'a' });
    expect(textIn(disk.afterKill(0, { torn: true }), '/a/file')).toBe('old and');
  });

  test('keeps two hard links to one file', () => {
    const disk = prepared();
    disk.link('/a/file', '/b/other');
    const left = disk.afterKill(disk.instants);
    left.writeFile('/a/file', '!', { flag: 'a' });
    expect(textIn(left, '/b/other')).toBe('old!');
  });

  test('keeps the modification times of files', () => {
    let now = 10;
    const disk = new SimulatedDisk(() => now);
    disk.writeFile('/file', 'one');
    now = 20;
    disk.writeFile('/file', 'two', { flag: 'a' });
    expect([1, 2, 3].map((instant) => disk.afterKill(instant).entry('/file')?.mtimeMs)).toEqual([10, 10, 20]);
  });
});

describe('a power loss', () => {
  test('D2: keeps everything that was synced', () => {
    const disk = prepared();
    disk.writeFile('/a/new', 'content');
    syncOf(disk, '/a/new');
    disk.rename('/a/new', '/a/file');
    syncOf(disk, '/a');
    expect([...found(disk, '/a/file', '/a/new')]).toEqual(['content -']);
  });

  test('D2, D5: syncing a file does not sync its folder entry, nor the reverse', () => {
    const byContent = prepared();
    byContent.writeFile('/a/new', 'content');
    syncOf(byContent, '/a/new');
    expect([...found(byContent, '/a/new')].toSorted()).toEqual(['-', 'content']);
    const byName = prepared();
    byName.writeFile('/a/new', 'content');
    syncOf(byName, '/a');
    expect([...found(byName, '/a/new')].toSorted()).toEqual(['', 'content']);
  });

  test('D3: a file that was replaced is the old one, the new one, or the new one without content', () => {
    const disk = prepared();
    disk.writeFile('/a/new', 'content');
    disk.rename('/a/new', '/a/file');
    expect([...found(disk, '/a/file', '/a/new')].toSorted()).toEqual([
      ' -',
      'content -',
      'old ',
      'old -',
      'old content',
    ]);
  });

  test('D3: a rename between folders is visible in both folders or in neither', () => {
    const disk = prepared();
    disk.rename('/a/file', '/b/file');
    expect([...found(disk, '/a/file', '/b/file')].toSorted()).toEqual(['- old', 'old -']);
    syncOf(disk, '/b');
    expect([...found(disk, '/a/file', '/b/file')]).toEqual(['- old']);
  });

  test('D3: a file is not moved into a lost folder', () => {
    const disk = prepared();
    disk.mkdir('/b/inside');
    disk.rename('/a/file', '/b/inside/file');
    expect([...found(disk, '/a/file', '/b/inside/file')].toSorted()).toEqual(['- old', 'old -']);
    syncOf(disk, '/a');
    expect([...found(disk, '/a/file', '/b/inside/file')]).toEqual(['- old']);
  });

  test('D3: synced files of a lost folder are lost', () => {
    const disk = prepared();
    disk.mkdir('/b/inside');
    disk.writeFile('/b/inside/file', 'content');
    for (const path of ['/b/inside/file', '/b/inside']) syncOf(disk, path);
    expect([...found(disk, '/b/inside/file')].toSorted()).toEqual(['-', 'content']);
  });

  test('D4: writes survive in order, the last one truncated at a page', () => {
    const disk = prepared();
    disk.writeFile('/a/long', 'x'.repeat(10_000));
    disk.writeFile('/a/long', 'y'.repeat(10), { flag: 'a' });
    syncOf(disk, '/a');
    const lengths = new Set(seeds.map((seed) => disk.afterPowerLoss(disk.instants, seed).readFile('/a/long').length));
    expect([...lengths].toSorted((a, b) => a - b)).toEqual([0, 4096, 8192, 10_000, 10_010]);
  });

  test('the same seed loses the same', () => {
    const disk = prepared();
    for (const name of ['c', 'd', 'e']) disk.writeFile(`/a/${name}`, name);
    const left = (seed: number) => ['c', 'd', 'e'].map((name) => textIn(disk.afterPowerLoss(6, seed), `/a/${name}`));
    for (const seed of seeds.slice(0, 20)) expect(left(seed)).toEqual(left(seed));
  });
});
