import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requirements } from './requirements.ts';

const root = new URL('../../', import.meta.url).pathname;

/** Ids in the titles of tests, by file. */
function citations(): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const folder of ['src', 'test']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.test.ts') && !name.endsWith('.crash.ts')) continue;
      const file = join(folder, name);
      for (const [, id = ''] of readFileSync(join(root, file), 'utf8').matchAll(/\[(change\/[\w/-]+)\]/g)) {
        cited.set(id, [...(cited.get(id) ?? []), file]);
      }
    }
  }
  return cited;
}

const cited = citations();

test('every rule of the change workflow is cited by a test', () => {
  expect(Object.keys(requirements).filter((id) => !cited.has(id))).toEqual([]);
});

test('every citation names a rule', () => {
  expect([...cited].filter(([id]) => !(id in requirements))).toEqual([]);
});
