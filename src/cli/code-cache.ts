/**
 * Compiled code, kept between starts: to compile takes a third of the time of a short command.
 *
 * C1. Only the user can have written what is run: a folder that somebody else owns or may use is not read.
 * C2. A file counts only with a digest of this very source and this very code; anything else is compiled anew.
 * C3. No command fails because of the cache, or waits for it: it is written at the end of the process.
 * C4. It is never in a work tree, where it would count as somebody's change.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import { orElse } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';

const codeBytesMax = 16 * 1024 ** 2;
/** A version of Pawl has about 60 files; those of other versions are removed when there are more. */
const filesMax = 200;
const digestBytes = 32;

/** A file that was compiled, and whose code shall be kept. */
interface Compiled {
  readonly name: string;
  readonly source: Buffer;
  readonly script: Script;
}

let isOn = false;

/** For all code of Pawl that this process loads from now on. */
export function keepCompiledCode(): void {
  const place = cachePlace();
  if (!place || isOn) return;
  const { folder } = place;
  isOn = true;
  const fresh: Compiled[] = [];
  const { extensions } = module.createRequire(import.meta.filename);
  const load = extensions['.js'];
  extensions['.js'] = (loaded, file) => {
    const source = dirname(file) === import.meta.dirname ? readFileSync(file) : undefined;
    if (!source || !canBeKept(source)) return void load(loaded, file);
    const name = basename(file);
    const code = isPrivate(folder) ? keptCode(join(folder, name), source) : undefined;
    const script = compiled(source, file, code);
    if (!code || script.cachedDataRejected === true) fresh.push({ name, source, script });
    // oxlint-disable-next-line typescript/no-unsafe-assignment -- what a script gives has no type
    const run: (...args: readonly unknown[]) => void = script.runInThisContext();
    const require = (id: string): unknown => loaded.require(id);
    run.call(loaded.exports, loaded.exports, require, loaded, file, dirname(file));
  };
  process.once('exit', () => orElse(undefined, () => keep(place, fresh)));
}

/** Neither a program, whose first line is not JavaScript, nor code that imports modules: kept code cannot. */
function canBeKept(source: Buffer): boolean {
  return source.toString('latin1', 0, 2) !== '#!' && !source.includes('import(');
}

function compiled(source: Buffer, filename: string, code: Buffer | undefined): Script {
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source.toString()}\n})`, {
    filename,
    ...(code && { cachedData: code }),
  });
}

interface Place {
  /** The folder that the user names, which is there already. */
  readonly home: string;
  readonly folder: string;
}

/** Undefined where nobody can tell whose it is. */
function cachePlace(): Place | undefined {
  const { XDG_CACHE_HOME: cache = '', HOME: user = '' } = process.env;
  const home = isAbsolute(cache) ? cache : user;
  if (!process.getuid || !isAbsolute(home)) return undefined;
  const base = home === cache ? cache : join(user, '.cache');
  return { home, folder: join(base, 'pawl', `code-v8-${process.versions.v8}-${process.arch}`) };
}

/** C1. */
function isPrivate(folder: string): boolean {
  const found = orElse(undefined, () => lstatSync(folder, { throwIfNoEntry: false }));
  return found !== undefined && found.isDirectory() && isOurs(found) && (found.mode & 0o077) === 0;
}

function isOurs({ uid }: { readonly uid: number }): boolean {
  return uid === process.getuid?.();
}

/** C2. */
function keptCode(path: string, source: Buffer): Buffer | undefined {
  const kept = orElse(undefined, () => readRegular(path, codeBytesMax));
  const code = kept?.subarray(digestBytes);
  return kept && code && kept.subarray(0, digestBytes).equals(digestOf(source, code)) ? code : undefined;
}

function digestOf(source: Buffer, code: Buffer): Buffer {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  return hash.update(`${source.length}\n`).update(source).update(code).digest();
}

/** C3, C4. Somebody who only borrows a home, such as root, leaves nothing in it. */
function keep({ home, folder }: Place, fresh: readonly Compiled[]): void {
  if (fresh.length === 0 || !isOurs(statSync(home)) || isInWorkTree(home)) return;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isPrivate(folder)) return;
  const there = readdirSync(folder);
  if (there.length > filesMax) for (const name of there) rmSync(join(folder, name), { force: true });
  for (const { name, source, script } of fresh) {
    const path = join(folder, name);
    const code = script.createCachedData();
    rmSync(path, { force: true });
    writeFileSync(path, Buffer.concat([digestOf(source, code), code]), { flag: 'wx', mode: 0o600 });
  }
}

function isInWorkTree(folder: string): boolean {
  const git = join(folder, '.git');
  const isTop = existsSync(join(git, 'HEAD')) || lstatSync(git, { throwIfNoEntry: false })?.isFile() === true;
  return isTop || (dirname(folder) !== folder && isInWorkTree(dirname(folder)));
}
