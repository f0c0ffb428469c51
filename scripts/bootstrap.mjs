/**
 * Makes a clone ready to run: dependencies installed, `dist/` built. Does nothing where nothing changed.
 *
 * B1. Plain Node, no dependencies: it runs before anything is installed.
 * B2. A stamp is written last, so an interrupted set-up is repeated.
 * B3. Prints to stderr only: `npm pack --json` runs it and owns stdout.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isMain, root, run, runNode } from './run-process.mjs';

export async function bootstrap() {
  await ensureInstalled();
  await ensureBuilt();
}

async function ensureInstalled() {
  const stamp = join(root, 'node_modules/.pawl-stamp');
  const wanted = hashOf(['package-lock.json']) + ` ${process.platform}-${process.arch}\n`;
  if (readOr(stamp, '') === wanted) return;
  if (!installedAsLocked()) await install();
  writeFileSync(stamp, wanted);
}

/** Whether a person has already installed what the lock file says, by npm's own record of it. */
function installedAsLocked() {
  const locked = packagesIn('package-lock.json');
  const installed = packagesIn('node_modules/.package-lock.json');
  const entries = Object.entries(locked).filter(([path]) => path !== '');
  return entries.every(([path, { version, optional }]) => {
    const found = installed[path];
    return found ? found.version === version : optional === true;
  });
}

/**
 * @param {string} lockFile
 * @returns {Record<string, {version?: string, optional?: boolean}>}
 */
function packagesIn(lockFile) {
  return JSON.parse(readOr(join(root, lockFile), '{}')).packages ?? {};
}

async function install() {
  say('installing dependencies');
  // The tools are devDependencies, which NODE_ENV=production would leave out.
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  const npm = process.env['npm_execpath'] ?? '';
  const options = { stdoutToStderr: true };
  const { code } = npm.endsWith('npm-cli.js')
    ? await runNode([npm, ...args], options)
    : await run('npm', args, options);
  if (code !== 0) throw new Error(`npm ci failed with exit code ${code}`);
}

async function ensureBuilt() {
  const stamp = join(root, '.build/dist.stamp');
  const wanted = hashOf(buildInputs());
  if (readOr(stamp, '') === wanted && existsSync(join(root, 'dist'))) return;
  say('building dist/');
  const { build } = await import('./build.mjs');
  await build();
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function buildInputs() {
  const sources = filesUnder('src').filter((path) => !path.endsWith('.test.ts'));
  const scripts = filesUnder('scripts').filter((path) => path.startsWith('scripts/build'));
  const configs = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
  return [...sources, ...scripts, ...configs].toSorted();
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesUnder(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesUnder(path) : [path];
  });
}

/** @param {readonly string[]} paths */
function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const content = readFileSync(join(root, path));
    hash.update(`${path} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/**
 * @param {string} path
 * @param {string} otherwise
 */
function readOr(path, otherwise) {
  return existsSync(path) ? readFileSync(path, 'utf8') : otherwise;
}

/** @param {string} text */
function say(text) {
  process.stderr.write(`pawl: ${text}\n`);
}

if (isMain(import.meta.url)) await bootstrap();
