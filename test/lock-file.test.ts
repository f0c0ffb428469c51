/** `npm ci` refuses a lock file that lacks the native packages of any platform, on every platform. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { root } from './source-tree.ts';

const lockedPackage = z.object({
  version: z.string(),
  resolved: z.string().optional(),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});
const lockFile = z.object({ packages: z.record(z.string(), lockedPackage) });
const { packages } = lockFile.parse(JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')));

test('locks every optional dependency in the version its dependent pins', () => {
  const optional = Object.entries(packages).flatMap(([path, { optionalDependencies }]) =>
    Object.entries(optionalDependencies).map(([name, range]) => ({ path, name, range })),
  );
  expect(optional.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['@rolldown/binding-darwin-arm64', '@rolldown/binding-win32-x64-msvc']),
  );
  const unmet = optional.filter(({ path, name, range }) => {
    const version = lockedVersion(path, name);
    return version === undefined || (/^\d/.test(range) && version !== range);
  });
  expect(unmet).toEqual([]);
});

test('names no registry host', () => {
  expect(Object.keys(packages).filter((path) => packages[path]?.resolved !== undefined)).toEqual([]);
});

/** Searches as Node does: the dependent's own `node_modules` first, then those of its parents. */
function lockedVersion(dependent: string, name: string): string | undefined {
  const found = packages[dependent === '' ? `node_modules/${name}` : `${dependent}/node_modules/${name}`];
  if (found || dependent === '') return found?.version;
  return lockedVersion(dependent.slice(0, Math.max(0, dependent.lastIndexOf('/node_modules/'))), name);
}
