/** Grammars are files that the bundler must copy, and the code must find again beside itself. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, expect, test } from 'vitest';
import { inputOptions, outputOptions } from '../scripts/build-options.mjs';
import { root } from './source-tree.ts';

const execute = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), 'pawl-syntax-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the bundle reads every language with nothing but its own folder', async () => {
  const bundler = await rolldown({ ...inputOptions, cwd: root, input: { syntax: 'src/syntax/same-tokens.ts' } });
  await bundler.write({ ...outputOptions, dir: folder });
  await bundler.close();
  const files = ['a.rs', 'a.ts', 'a.tsx', 'a.js', 'a.py'];
  const program = `const { sameTokens } = require(${JSON.stringify(join(folder, 'syntax.js'))});
    const read = ${JSON.stringify(files)}.map((file) => Promise.all([sameTokens(file, 'a', ' a'), sameTokens(file, '(a)', '(b)')]));
    Promise.all(read).then((results) => console.log(JSON.stringify(results)));`;
  const { stdout } = await execute(process.execPath, ['-e', program], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual([['unknown', 'unknown'], ...Array.from({ length: 4 }, () => [true, false])]);
  expect((await readdir(folder)).filter((name) => name.endsWith('.wasm'))).toHaveLength(6);
});
