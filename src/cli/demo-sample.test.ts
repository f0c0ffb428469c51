import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSpec } from '../documents/spec.ts';
import { readConfig } from '../workflows/change/config.ts';
import { demo } from '../workflows/change/sample-change.ts';
import { validateSpec } from '../workflows/change/validate-documents.ts';
import { Problem } from './problem.ts';
import { makeSampleRepository, sampleFiles } from './demo.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-sample-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

describe('the repository', () => {
  let root = '';
  beforeAll(async () => {
    root = await makeSampleRepository(demo.sample, join(folder, 'made/for/this'));
  });

  test('is one commit on main by a fixed author, and clean', () => {
    expect(git('log', '--format=%an <%ae>')).toBe('Pawl Demo <demo@pawl.invalid>\n');
    expect(git('branch', '--show-current')).toBe('main\n');
    expect(git('status', '--porcelain')).toBe('');
  });

  test('has tests of its own that pass', () => {
    const env = { PATH: process.env['PATH'] };
    expect(execFileSync('npm', ['test'], { cwd: root, encoding: 'utf8', env })).toMatch(/pass 3$/m);
  });

  test('says nothing about an identity in its configuration', () => {
    expect(readFileSync(join(root, '.git/config'), 'utf8')).not.toMatch(/user|Pawl/);
  });

  function git(...args: string[]): string {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  }
});

test('settings and the permanent spec are without fault', () => {
  const files = sampleFiles(demo.sample);
  expect(readConfig({ read: (path) => files.get(path) }).warnings).toEqual([]);
  const spec = readSpec(files.get('agentd/specs/slug.md') ?? '', 'agentd/specs/slug.md');
  expect(validateSpec(spec, 'agentd/specs/slug.md')).toEqual([]);
  expect(spec.stated?.ids).toEqual(spec.requirements.map(({ id }) => id));
});

describe('the folder', () => {
  test('may exist if it is empty', async () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(await makeSampleRepository(demo.sample, empty)).toBe(empty);
  });

  test("with somebody's files is refused and left alone", async () => {
    const full = join(folder, 'full');
    mkdirSync(full);
    writeFileSync(join(full, 'mine.txt'), 'mine');
    await expect(makeSampleRepository(demo.sample, full)).rejects.toThrow(Problem);
    expect(readdirSync(full)).toEqual(['mine.txt']);
  });

  test('that is a file is refused', async () => {
    await expect(makeSampleRepository(demo.sample, join(folder, 'full/mine.txt'))).rejects.toThrow('is not a folder');
  });

  test('is a fresh temporary one when none is named', async () => {
    const made = await makeSampleRepository(demo.sample, undefined);
    expect(made.startsWith(join(tmpdir(), 'pawl-demo-'))).toBe(true);
    expect(existsSync(join(made, '.git'))).toBe(true);
    rmSync(made, { recursive: true });
  });
});
