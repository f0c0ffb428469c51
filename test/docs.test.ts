/** What is committed under docs/workflows is what `pawl show` says today, and the table of attacks what tests hold. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { documents } from '../scripts/docs.mjs';
import { root } from './source-tree.ts';

test('the generated documents are fresh (npm run docs writes them anew)', async () => {
  const expected = await documents();
  const pages = readdirSync(join(root, 'docs/workflows')).map((name) => `docs/workflows/${name}`);
  const names = [...pages, 'docs/security.md'];
  expect(names.toSorted()).toEqual(Object.keys(expected).toSorted());
  expect(names).toContain('docs/workflows/change.md');
  for (const name of names) expect(readFileSync(join(root, name), 'utf8'), name).toBe(expected[name]);
});
