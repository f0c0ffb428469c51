import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WorkTree } from './tree.ts';

let top: string;
let root: string;
const open: WorkTree[] = [];

function write(path: string, content: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

function tree(name: string): WorkTree {
  const made = new WorkTree({ root, shadowDir: join(top, name), commonDir: join(root, '.git') });
  open.push(made);
  return made;
}

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-ignored-')));
  root = join(top, 'repo');
  write('.gitignore', 'out/\n*.local\n');
  write('a/one', '1\n');
  write('out/deep/b', 'b\n');
  write('x.local', 'x\n');
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root });
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message=start');
});
afterEach(() => {
  for (const each of open.splice(0)) each.close();
  rmSync(top, { recursive: true, force: true, maxRetries: 5 });
});

test('finds what git ignores, and tells what was changed, even with size and time put back (N1)', async () => {
  const subject = tree('shadow');
  const { ignored: before } = await subject.snapshotWithIgnored();
  expect([...before.times.keys()].toSorted()).toEqual(['out/deep/b', 'x.local']);
  expect([before.alone, before.tooMany]).toEqual([['x.local'], false]);
  const old = new Date('2020-01-01T00:00:00Z');
  write('out/deep/b', 'c\n');
  utimesSync(join(root, 'out/deep/b'), old, old);
  write('out/new', 'x\n');
  renameSync(join(root, 'x.local'), join(root, 'y.local'));
  const { ignored: after } = await subject.snapshotWithIgnored();
  const names = [...new Set([...before.times.keys(), ...after.times.keys()])].toSorted();
  expect(names.filter((name) => before.times.get(name) !== after.times.get(name))).toEqual([
    'out/deep/b',
    'out/new',
    'x.local',
    'y.local',
  ]);
});

test('whatever becomes of ignore rules, the tree is the one that a first look gives', async () => {
  const subject = tree('shadow');
  const steps: readonly [path: string, content: string | null][] = [
    ['a/two', '2\n'],
    ['a/.gitignore', '*\n'],
    ['a/one', 'changed\n'],
    ['a/three', '3\n'],
    ['a/.gitignore', 'three\n'],
    ['a/.gitignore', null],
    ['a/three', null],
    ['.gitignore', ''],
    ['b/four', '4\n'],
    ['.gitignore', 'out/\n*.local\nfour\n'],
    ['b/five', '5\n'],
    ['b/.gitignore', '*\n'],
    ['.gitignore', 'out/\n'],
    ['b/.gitignore', '!*\n'],
  ];
  for (const [at, [path, content]] of steps.entries()) {
    if (content === null) rmSync(join(root, path));
    else write(path, content);
    const { tree: found } = await subject.snapshotWithIgnored();
    expect(found, `step ${at}: ${path}`).toBe(await tree(`fresh-${at}`).snapshot());
    if (at % 3 === 0) expect(await subject.snapshot()).toBe(found);
    expect((await subject.snapshotWithIgnored()).tree).toBe(found);
  }
});
