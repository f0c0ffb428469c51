/** What is generated from the code is what the code says today; docs/json.md is what the program prints. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documents } from '../scripts/docs.mjs';
import { root } from './source-tree.ts';

test('the generated documents are fresh (npm run docs writes them anew)', async () => {
  const expected = await documents();
  const pages = readdirSync(join(root, 'docs/workflows')).map((name) => `docs/workflows/${name}`);
  const schemas = readdirSync(join(root, 'schemas')).map((name) => `schemas/${name}`);
  const reference = ['cli', 'configuration', 'json', 'scripts', 'security'].map((name) => `docs/${name}.md`);
  const names = [...pages, ...schemas, ...reference];
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
  expect(names).toContain('docs/workflows/change.md');
  for (const name of names) expect(readFileSync(join(root, name), 'utf8'), name).toBe(expected[name]);
});
