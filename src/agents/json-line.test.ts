import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSettingsFile } from './json-line.ts';

const folder = mkdtempSync(join(tmpdir(), 'pawl-settings-'));

test.each([
  ['{"a": 1}', { a: 1 }],
  ['// why\n{"a": "http://x/*y*/", /* b */ "c": [1, 2,],}\n', { a: 'http://x/*y*/', c: [1, 2] }],
  ['{"a": ",]", "b": "\\"//"}', { a: ',]', b: '"//' }],
  ['[1]', {}],
  ['{', {}],
  ['', {}],
])('%s', (text, value) => {
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  expect(readSettingsFile(file)).toEqual(value);
  rmSync(file);
});

test('a file that is not there is empty', () => {
  expect(readSettingsFile(join(folder, 'none'))).toEqual({});
});
