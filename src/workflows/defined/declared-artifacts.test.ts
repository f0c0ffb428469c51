import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { artifactDigest, artifactPath, contractProblem, filesOf } from './declared-artifacts.ts';
import { filesFrom, goodPage } from './page.fixture.ts';

const page = { path: 'docs/{{run}}.md', sections: ['Usage', 'Limits'] };
const folder = { path: 'docs/{{run}}/' };
const problem = (text: string | undefined) =>
  contractProblem(page, filesFrom(text === undefined ? {} : { 'docs/a.md': text }), 'a');

test('an artifact is a file, or all files of a folder', () => {
  const files = filesFrom({ 'docs/a/2.md': '', 'docs/a/1.md': '', 'docs/ab.md': '' });
  expect(artifactPath(page, 'a')).toBe('docs/a.md');
  expect(filesOf(page, files, 'a')).toEqual(['docs/a.md']);
  expect(filesOf(folder, files, 'a')).toEqual(['docs/a/1.md', 'docs/a/2.md']);
});

describe('the contract', () => {
  test.each<[string, string | undefined, string | null]>([
    ['is kept', goodPage, null],
    ['is kept with carriage returns and closed headings', '# Usage #\r\n\r\n### Limits ###\r\n', null],
    ['needs the file', undefined, 'docs/a.md is missing or empty'],
    ['needs something in it', ' \n\n', 'docs/a.md is missing or empty'],
    ['needs every heading', '# Usage\n', 'docs/a.md lacks the heading "Limits"'],
    ['names all that lack', 'words\n', 'docs/a.md lacks the heading "Usage", "Limits"'],
    ['is not kept by a word in the text', 'Usage\nLimits\n', 'docs/a.md lacks the heading "Usage", "Limits"'],
    ['is not kept by code', '# Usage\n```\n# Limits\n```\n', 'docs/a.md lacks the heading "Limits"'],
    ['is not kept by a lonely #', '# Usage\n\n#\n\nLimits\n', 'docs/a.md lacks the heading "Limits"'],
    ['takes headings as they are written', '# usage\n# Limits\n', 'docs/a.md lacks the heading "Usage"'],
  ])('%s', (_, text, expected) => {
    expect(problem(text)).toBe(expected);
  });

  test('a folder needs one file that is not empty, and the headings in any of its files', () => {
    const sections = { ...folder, sections: ['Usage', 'Limits'] };
    const one = filesFrom({ 'docs/a/1.md': '# Usage\n', 'docs/a/2.md': '# Limits\n' });
    expect(contractProblem(sections, one, 'a')).toBe(null);
    expect(contractProblem(folder, filesFrom({ 'docs/a/1.md': '' }), 'a')).toBe('docs/a/ is missing or empty');
    expect(contractProblem(folder, filesFrom({}), 'a')).toBe('docs/a/ is missing or empty');
  });
});

test('rejects a file that is not text, and names it', () => {
  const root = mkdtempSync(join(tmpdir(), 'pawl-artifact-'));
  mkdirSync(join(root, 'docs/a'), { recursive: true });
  writeFileSync(join(root, 'docs/a/1.md'), '# Usage\n');
  writeFileSync(join(root, 'docs/a/2.png'), Buffer.from([255, 254, 0]));
  const problemOf = () => contractProblem(folder, workspaceFiles(root), 'a');
  expect(problemOf()).toBe('docs/a/2.png is not text; every file of an artifact must be');
  rmSync(join(root, 'docs/a/2.png'));
  expect(problemOf()).toBe(null);
  rmSync(root, { recursive: true });
});

describe('the digest', () => {
  const of = (files: Record<string, string>) => artifactDigest(folder, filesFrom(files), 'a');

  test('is equal only for equal paths and texts', () => {
    const texts = [
      {},
      { 'docs/a/1': 'x' },
      { 'docs/a/2': 'x' },
      { 'docs/a/1': '' },
      { 'docs/a/1': 'x', 'docs/a/2': '' },
      { 'docs/a/1': '', 'docs/a/2': 'x' },
      { 'docs/a/1': 'x\n{"path":"docs/a/2","length":1}\ny' },
      { 'docs/a/1': 'x', 'docs/a/2': 'y' },
    ];
    expect(new Set(texts.map(of)).size).toBe(texts.length);
    for (const files of texts) expect(of(files)).toBe(of({ ...files, 'docs/other': 'z' }));
  });

  test('a missing file is not an empty one', () => {
    const digest = (files: Record<string, string>) => artifactDigest(page, filesFrom(files), 'a');
    expect(digest({})).not.toBe(digest({ 'docs/a.md': '' }));
  });
});
