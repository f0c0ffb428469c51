/** What a user gets: the packed package, installed into an empty folder. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { separatePackages } from '../scripts/build-options.mjs';
import { root } from './source-tree.ts';
import { npmEnv } from './npm-env.ts';

const installedBytesMax = 20_000_000;
const packagesMax = 30;
/** What a program may load before it knows which command was given. */
const startupBytesMax = 64_000;
const installScripts = ['preinstall', 'install', 'postinstall', 'prepare'];

const execute = promisify(execFile);

let folder = '';
let version = '';

beforeAll(async () => {
  ({ version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')));
  folder = await mkdtemp(join(tmpdir(), 'pawl-pack-'));
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: root, env: npmEnv });
  // What it needs is in the package, but for few packages beside it: they come out of npm's cache, or from the registry.
  const args = ['install', '--prefer-offline', '--no-audit', '--prefix', folder, join(folder, `pawl-${version}.tgz`)];
  await execute('npm', args, { cwd: folder, env: npmEnv });
});

afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

test.each(['pawl', 'agentd'])('%s runs there and knows its version', async (program) => {
  const { stdout } = await execute(join(folder, 'node_modules/.bin', program), ['--version'], {
    cwd: folder,
    env: npmEnv,
  });
  expect(stdout.trim().split(/\s+/)).toContain(version);
});

test('attack 7.2: what is installed beside it is pinned, and draws pictures there', async () => {
  const program = join(folder, 'node_modules/.bin/pawl');
  const { stdout } = await execute(program, ['show', 'change', '--format', 'svg'], { cwd: folder, env: npmEnv });
  expect(stdout).toMatch(/^<svg [^]*<\/svg>\n$/);
  const { dependencies } = JSON.parse(await readFile(join(folder, 'node_modules/pawl/package.json'), 'utf8'));
  const pinned = separatePackages.map((name) => [name, expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  expect(dependencies).toEqual(Object.fromEntries(pinned));
});

test('attack 7.2: it is small, few packages, and runs nothing when installed', async () => {
  const lock = JSON.parse(await readFile(join(folder, 'node_modules/.package-lock.json'), 'utf8'));
  const packages = Object.keys(lock.packages);
  expect(packages).toContain('node_modules/pawl');
  expect(packages.length).toBeLessThanOrEqual(packagesMax);
  for (const path of packages) {
    const { scripts = {} } = JSON.parse(await readFile(join(folder, path, 'package.json'), 'utf8'));
    expect(Object.keys(scripts).filter((name) => installScripts.includes(name))).toEqual([]);
  }
  expect(await bytesIn(join(folder, 'node_modules'))).toBeLessThanOrEqual(installedBytesMax);
});

test('attack 7.1: it holds the build and the documents, and no sources', async () => {
  const files = await readdir(join(folder, 'node_modules/pawl'));
  const folders = ['dist', 'docs', 'examples', 'integrations', 'schemas'];
  expect(files).toEqual(expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json', ...folders]));
  expect(
    files.filter((name) => !folders.includes(name) && !/^(?:LICENSE|[A-Z]+\.md|package\.json)$/.test(name)),
  ).toEqual([]);
  const licences = await readFile(join(folder, 'node_modules/pawl/dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
  expect(licences).toMatch(/^yaml \d+\.\d+\.\d+ \(ISC\)$/m);
  // attack 7.4: also those that another package carries in its files; the build refuses one without a notice.
  for (const name of ['ajv', 'ajv-formats', 'fast-deep-equal', 'fast-uri', 'json-schema-traverse'])
    expect(licences).toMatch(new RegExp(`^${name}[: ]`, 'm'));
});

test('every link between its documents leads somewhere', async () => {
  const base = join(folder, 'node_modules/pawl');
  const pages = (await readdir(base, { recursive: true })).filter(
    (name) => name.endsWith('.md') && !name.startsWith('dist'),
  );
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/configuration.md']));
  for (const page of pages) {
    const text = (await readFile(join(base, page), 'utf8')).replaceAll(/```.*?```|`[^`]*`/gs, '');
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      await expect(stat(join(base, dirname(page), target)), `${page}: ${target}`).resolves.toBeDefined();
    }
  }
});

test.each(['pawl.js', 'agentd.js'])('%s loads little before it knows the command', async (program) => {
  const file = join(folder, 'node_modules/pawl/dist', program);
  const show = `process.argv = ['', '', '--version']; require(${JSON.stringify(file)});
    process.stdout.write(Object.keys(require.cache).join('\\n'));`;
  const { stdout } = await execute(process.execPath, ['-e', show], { cwd: folder, env: npmEnv });
  const loaded = stdout.trim().split('\n').slice(1);
  expect(loaded).toContain(file);
  const sizes = await Promise.all(loaded.map(async (path) => (await stat(path)).size));
  expect(sizes.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(startupBytesMax);
});

test('a TypeScript program can use both of its entries, declarations checked', async () => {
  const program =
    "import * as pawl from 'pawl';\nimport * as testing from 'pawl/testing';\nexport const both = [pawl, testing];\n";
  const compilerOptions = {
    target: 'es2023',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  await writeFile(join(folder, 'program.mts'), program);
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.mts'] }));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const checked = execute(process.execPath, [tsc, '-p', folder], { env: npmEnv }).catch(
    (error: { stdout: string }) => error,
  );
  expect((await checked).stdout).toBe('');
  const loaded =
    "Object.keys({ ...await import('pawl'), ...await import('pawl/testing') }).length > 0 || process.exit(1)";
  await execute(process.execPath, ['--input-type=module', '-e', loaded], { cwd: folder, env: npmEnv });
});

async function bytesIn(path: string): Promise<number> {
  const entries = await readdir(path, { recursive: true });
  const sizes = await Promise.all(entries.map(async (entry) => (await stat(join(path, entry))).size));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
