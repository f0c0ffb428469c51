/**
 * Builds `dist/`: one folder of CommonJS files with every npm dependency bundled in, binary files, and the declarations.
 *
 * A failed build leaves the previous `dist/` as it was.
 */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import {
  bundledPackages,
  entries,
  furtherNotices,
  inputOptions,
  outputOptions,
  programs,
  separatePackages,
} from './build-options.mjs';
import { isMain, root, runNode } from './run-process.mjs';

export async function build() {
  const folder = join(root, `.build/dist.${process.pid}`);
  try {
    const chunks = await bundle(folder);
    for (const name of programs) makeExecutable(join(folder, `${name}.js`));
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
    writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licences(packagesIn(chunks), carriedIn(chunks)));
    await emitDeclarations(folder);
    rmSync(join(root, 'dist'), { recursive: true, force: true });
    renameSync(folder, join(root, 'dist'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
async function bundle(folder) {
  const input = existingEntries();
  mkdirSync(folder, { recursive: true });
  if (Object.keys(input).length === 0) return [];
  const bundler = await rolldown({ ...inputOptions, cwd: root, input });
  const { output } = await bundler.write({ ...outputOptions, dir: folder });
  await bundler.close();
  const chunks = output.filter((file) => file.type === 'chunk');
  refuseOutsideImports(chunks);
  return chunks;
}

function existingEntries() {
  const there = Object.entries(entries).filter(([, source]) => {
    const exists = existsSync(join(root, source));
    if (!exists) process.stderr.write(`pawl: ${source} does not exist, its entry is left out\n`);
    return exists;
  });
  return Object.fromEntries(there);
}

/**
 * What a user installs is in the package, in Node, or one of few packages beside it, which no file loads at its start.
 * @param {readonly import('rolldown').OutputChunk[]} chunks
 */
function refuseOutsideImports(chunks) {
  const own = new Set(chunks.map((chunk) => chunk.fileName));
  for (const chunk of chunks) {
    const late = chunk.dynamicImports.filter((id) => !separatePackages.includes(id));
    const outside = [...chunk.imports, ...late].find((id) => !own.has(id) && !isBuiltin(id));
    if (outside !== undefined) throw new Error(`dist/${chunk.fileName} imports ${outside}, which is not bundled`);
  }
}

/** @param {string} file */
function makeExecutable(file) {
  if (!existsSync(file)) return;
  const code = readFileSync(file, 'utf8');
  if (!code.startsWith('#!')) writeFileSync(file, `#!/usr/bin/env node\n${code}`);
  chmodSync(file, 0o755);
}

/**
 * The folders of the packages that modules were really taken from.
 * @param {readonly import('rolldown').OutputChunk[]} chunks
 */
function packagesIn(chunks) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const id of chunks.flatMap((chunk) => chunk.moduleIds)) {
    const match = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id);
    if (match) found.add(match[0]);
  }
  return [...found].toSorted();
}

/**
 * Names of packages that other packages carry in their own files, as their source maps tell.
 * @param {readonly import('rolldown').OutputChunk[]} chunks
 */
function carriedIn(chunks) {
  const maps = chunks.flatMap((chunk) => chunk.moduleIds.map((id) => `${id}.map`)).filter((file) => existsSync(file));
  const sources = maps.flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).sources);
  const names = sources.map((source) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))];
}

/**
 * @param {readonly string[]} folders
 * @param {readonly string[]} carried
 */
function licences(folders, carried) {
  const noticed = Object.values(furtherNotices).flat();
  const unnoticed = carried.filter(
    (name) => !bundledPackages.includes(name) && !noticed.some((notice) => notice.split(/[: ]/)[0] === name),
  );
  if (unnoticed.length > 0)
    throw new Error(`no licence notice of ${unnoticed.join(', ')} in scripts/build-options.mjs`);
  const sections = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!bundledPackages.includes(name)) {
      throw new Error(
        `${name} was pulled into dist/: import it from tests only, or list it in scripts/build-options.mjs`,
      );
    }
    const file = readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence file in ${folder.split(sep).join('/')}`);
    const text = [readFileSync(join(folder, file), 'utf8').trim(), ...(furtherNotices[name] ?? [])].join('\n\n');
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return ['Pawl contains the following packages.\n', ...sections].join(`\n${'-'.repeat(80)}\n\n`);
}

/** @param {string} folder */
async function emitDeclarations(folder) {
  if (!existsSync(join(root, entries.index)) && !existsSync(join(root, entries.testing))) return;
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { code, output } = await runNode([tsc, '-p', 'tsconfig.build.json', '--outDir', join(folder, 'types')], {
    capture: true,
  });
  if (code !== 0) throw new Error(`the declarations could not be written:\n${output}`);
}

if (isMain(import.meta.url)) await build();
