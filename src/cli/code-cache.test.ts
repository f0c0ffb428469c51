/** What runs from the cache, and what does not. The planted code ends the process with an exit code of its own. */

import { createHash } from 'node:crypto';
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ScratchRepository } from '../testing/scratch-repository.ts';

const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const repositories: ScratchRepository[] = [];
afterAll(() => repositories.forEach((repository) => repository.remove()));

let repository: ScratchRepository;
beforeEach(() => {
  repository = ScratchRepository.create(join(dist, 'pawl.js'), {});
  repositories.push(repository);
});

const looking = ['runs', '--json'];
const planted = 77;

/** A process of its own: a warm one keeps its code in memory. */
async function look(env: Readonly<Record<string, string>> = {}): Promise<number | null> {
  const { code, stdout, stderr } = await repository.pawl(looking, { env: { XDG_CACHE_HOME: '', ...env } });
  expect(stderr).toBe('');
  if (code === 0) expect(JSON.parse(stdout)).toMatchObject({ runs: [] });
  return code;
}

function cacheFolder(home = join(repository.home, '.cache')): string {
  return join(home, 'pawl', `code-v8-${process.versions.v8}-${process.arch}`);
}

/** Code that V8 accepts for this file, because its source has the same length. */
function plant(folder = cacheFolder()): void {
  const name = readdirSync(folder).find((each) => each.startsWith('quick-')) ?? '';
  const source = readFileSync(join(dist, name));
  const head = '(function (exports, require, module, __filename, __dirname) {';
  const length = `${head}${source.toString()}\n})`.length;
  const script = new Script(`${head}process.exit(${planted})})`.padEnd(length));
  script.runInThisContext();
  const code = script.createCachedData();
  const digest = createHash('sha256').update(`${source.length}\n`).update(source).update(code).digest();
  writeFileSync(join(folder, name), Buffer.concat([digest, code]));
}

test('C3: the first command keeps its code for the user alone, and the next runs it', async () => {
  expect(await look()).toBe(0);
  expect(lstatSync(cacheFolder()).mode & 0o777).toBe(0o700);
  const names = readdirSync(cacheFolder());
  // Code that imports modules cannot be kept: none of these may.
  const kept = ['program', 'quick', 'reading'].map((name) => expect.stringMatching(`^${name}-`));
  expect(names).toEqual(kept);
  for (const name of names) expect(lstatSync(join(cacheFolder(), name)).mode & 0o777).toBe(0o600);
  const before = names.map((name) => lstatSync(join(cacheFolder(), name)).ino);
  expect(await look()).toBe(0);
  expect(names.map((name) => lstatSync(join(cacheFolder(), name)).ino)).toEqual(before);
  plant();
  expect(await look()).toBe(planted);
});

test('code of every command but a few can be kept', () => {
  const imports = readdirSync(dist).filter((name) => name.endsWith('.js') && /\bimport\(/.test(textOf(name)));
  expect(imports.map((name) => name.replace(/-[\w-]{8}\.js$/, ''))).toEqual([
    'load-workflow',
    'module-hooks.js',
    // The parser of programming languages, which takes longer than its loading.
    'parse',
    'scripted-agent.js',
    'show-workflow',
    'start',
  ]);
});

function textOf(name: string): string {
  return readFileSync(join(dist, name), 'utf8');
}

test('XDG_CACHE_HOME says where; a relative one does not', async () => {
  const cache = join(repository.folder, 'cache');
  mkdirSync(cache);
  expect(await look({ XDG_CACHE_HOME: cache })).toBe(0);
  plant(cacheFolder(cache));
  expect(await look({ XDG_CACHE_HOME: cache })).toBe(planted);
  expect(await look({ XDG_CACHE_HOME: 'cache' })).toBe(0);
  expect(readdirSync(repository.root)).toEqual(['.git']);
});

describe('C1: planted code does not run from a folder', () => {
  test.each([0o770, 0o707, 0o750, 0o705])('of mode %o', async (mode) => {
    await look();
    plant();
    chmodSync(cacheFolder(), mode);
    expect(await look()).toBe(0);
  });

  test('behind a link', async () => {
    await look();
    plant();
    const elsewhere = join(repository.folder, 'elsewhere');
    renameSync(cacheFolder(), elsewhere);
    symlinkSync(elsewhere, cacheFolder());
    expect(await look()).toBe(0);
  });

  test.skipIf(process.getuid?.() !== 0)('of another user', async () => {
    await look();
    plant();
    chownSync(cacheFolder(), 12_345, 12_345);
    expect(await look()).toBe(0);
  });
});

describe('C2: a file is ignored and replaced that', () => {
  const damage: Readonly<Record<string, (file: string) => void>> = {
    'is empty': (file) => truncateSync(file),
    'ends early': (file) => truncateSync(file, 5_000),
    'has another byte in the middle': (file) => {
      const bytes = readFileSync(file);
      bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
      writeFileSync(file, bytes);
    },
    'is for another source': (file) => {
      const other = readdirSync(dirname(file)).find((name) => name.startsWith('program-')) ?? '';
      writeFileSync(file, readFileSync(join(dirname(file), other)));
    },
    'is a link to a device': (file) => {
      rmSync(file);
      symlinkSync('/dev/zero', file);
    },
  };
  test.each(Object.entries(damage))('%s', async (_, act) => {
    await look();
    const name = readdirSync(cacheFolder()).find((each) => each.startsWith('quick-')) ?? '';
    const file = join(cacheFolder(), name);
    const { length } = readFileSync(file);
    act(file);
    expect(await look()).toBe(0);
    // Not always the same bytes, but the same code.
    expect(readFileSync(file).length).toBeGreaterThan(length / 2);
    expect(lstatSync(file).isFile()).toBe(true);
    plant();
    expect(await look()).toBe(planted);
  });
});

describe('C3, C4: nothing is kept, and no command fails', () => {
  test('without a home', async () => {
    expect(await look({ HOME: join(repository.folder, 'nowhere') })).toBe(0);
    expect(await look({ HOME: '' })).toBe(0);
    expect(await look({ HOME: '/dev/null' })).toBe(0);
    expect(readdirSync(repository.root)).toEqual(['.git']);
  });

  test('where a file stands in the way', async () => {
    writeFileSync(join(repository.home, '.cache'), 'a file');
    expect(await look()).toBe(0);
    expect(readFileSync(join(repository.home, '.cache'), 'utf8')).toBe('a file');
  });

  test('in a work tree', async () => {
    expect(await look({ HOME: repository.root })).toBe(0);
    mkdirSync(join(repository.root, 'home'));
    expect(await look({ HOME: join(repository.root, 'home') })).toBe(0);
    expect(readdirSync(repository.root)).toEqual(['.git', 'home']);
    expect(readdirSync(join(repository.root, 'home'))).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)("in another user's home", async () => {
    chownSync(repository.home, 12_345, 12_345);
    expect(await look()).toBe(0);
    expect(readdirSync(repository.home)).toEqual([]);
  });
});

test('files of other versions go when there are many', async () => {
  await look();
  for (let number = 0; number < 200; number += 1) writeFileSync(join(cacheFolder(), `old-${number}.js`), '');
  await look();
  expect(readdirSync(cacheFolder()).length).toBeGreaterThan(200);
  rmSync(join(cacheFolder(), readdirSync(cacheFolder()).find((name) => name.startsWith('quick-')) ?? ''));
  await look();
  expect(readdirSync(cacheFolder())).toEqual([expect.stringMatching(/^quick-/)]);
});
