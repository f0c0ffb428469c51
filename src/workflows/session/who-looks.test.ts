/** Small judgements that decide who is asked to look: checklist, recommendation, what was touched. */

import { describe, expect, test } from 'vitest';
import { recommendStrategy } from './strategy.ts';
import { touches } from './touched.ts';
import { checklistFor } from './prompt.ts';
import { projectTypes } from './session-words.ts';

describe('the checklist', () => {
  const skipped = (type: (typeof projectTypes)[number]): string[] =>
    checklistFor(type)
      .filter(({ text }) => text.startsWith('N/A'))
      .map(({ id }) => id);

  test('has the same items for all, each once', () => {
    const ids = checklistFor('mixed').map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const type of projectTypes) expect(checklistFor(type).map(({ id }) => id)).toEqual(ids);
  });

  test('skips what makes no sense', () => {
    expect(skipped('mixed')).toEqual([]);
    expect(skipped('cli')).toEqual(expect.arrayContaining(['csrf', 'xss', 'tenancy', 'templates', 'accessibility']));
    expect(skipped('lib')).toEqual(expect.arrayContaining(['csrf', 'xss', 'tenancy', 'templates', 'exit-codes']));
    expect(skipped('api')).toEqual(expect.arrayContaining(['csrf', 'xss', 'templates', 'exit-codes']));
    expect(skipped('api')).not.toContain('tenancy');
    expect(skipped('web')).toEqual(['api-compatibility', 'exit-codes', 'cli-help', 'cli-files', 'public-surface']);
  });
});

describe('the recommended strategy', () => {
  const task = (id: string, depends_on: string[] = [], risk_flags: string[] = []) => ({ id, depends_on, risk_flags });

  test('is one final review for few plain tasks, also in a chain', () => {
    const chain = [task('T-001'), task('T-002', ['T-001']), task('T-003', ['T-002']), task('T-004', ['T-003'])];
    expect(recommendStrategy(chain)).toEqual({
      strategy: 'single-final',
      reasons: [
        'There are only 4 tasks, without cross-cutting dependencies and without a security or breaking-change flag.',
      ],
    });
    expect(recommendStrategy([task('T-001', [], ['docs'])]).reasons[0]).toMatch(/^There is one task,/);
  });

  test.each([
    ['five tasks', [1, 2, 3, 4, 5].map((n) => task(`T-00${n}`)), 'There are 5 tasks, 5 or more.'],
    [
      'a shared dependency',
      [task('T-001'), task('T-002', ['T-001']), task('T-003', ['T-001'])],
      '2 tasks depend on T-001.',
    ],
    [
      'a task where others meet',
      [task('T-001'), task('T-002'), task('T-003', ['T-001', 'T-002'])],
      'T-003 depends on 2 tasks.',
    ],
    ['a security flag', [task('T-001', [], ['Security'])], 'T-001 carries the risk flag Security.'],
    ['a breaking change', [task('T-001', [], ['breaking-change'])], 'T-001 carries the risk flag breaking-change.'],
  ])('is per batch with %s', (_, tasks, reason) => {
    expect(recommendStrategy(tasks)).toEqual({ strategy: 'per-batch', reasons: [reason] });
  });
});

describe('what was touched', () => {
  const plain = { type: 'feature', risk_flags: [] };
  const risky = { type: 'feature', risk_flags: ['security'] };

  test.each([
    [[], risky],
    [['README.md', 'docs/guide/a.png', 'CHANGELOG', 'docs/x.rst'], risky],
    [['src/prompts/README.md'], plain],
  ])('%j is documentation', (paths, task) => {
    expect(touches(paths, task)).toEqual({ behaviour: false, risky: false });
  });

  test.each([
    [['src/colour.ts'], plain],
    [['README.md', 'rows.txt'], plain],
    [['src/prompts/plan.md'], plain],
    [['docs/conf.py'], plain],
  ])('%j is behaviour', (paths, task) => {
    expect(touches(paths, task)).toMatchObject({ behaviour: true, risky: false });
  });

  test.each([
    [['src/colour.ts'], risky],
    [['src/colour.ts'], { type: 'auth', risk_flags: [] }],
    [['src/OAuthTokenStore.ts'], plain],
    [['lib/http-client.js'], plain],
    [['src/parseInput.ts'], plain],
    [['db/SQLQuery.java'], plain],
  ])('%j of a task %j is risky', (paths, task) => {
    expect(touches(paths, task)).toEqual({ behaviour: true, risky: true });
  });

  test('a word inside another word is none', () => {
    expect(touches(['src/author.ts', 'src/internet-ish.ts', 'src/apiary.ts'], plain).risky).toBe(false);
  });
});

describe('[DEF-12] Security is needed by the lines of a change [session/roles/security-by-content]', () => {
  const diffOf = (path: string, ...lines: readonly string[]): string =>
    [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, '@@ -1 +1,2 @@', ...lines, ''].join('\n');
  const none = { risk_flags: [], type: 'feature' };

  test.each([
    ['a server', "+import http from 'node:http';"],
    ['a password check', '+if (given === user.password) open();'],
    ['eval', '+return eval(text);'],
    ['a program', "+import { spawn } from 'node:child_process';"],
    ['cryptography', "+createHash('md5')"],
    ['a secret', "+const apiKey = 'x';"],
    ['input', '+const { name } = req.body;'],
    ['SQL', '+db.get(`SELECT * FROM users WHERE id = ${id}`)'],
    ['a check that was removed', '-  requirePermission(user);'],
  ])('%s', (_, line) => {
    expect(touches(['src/a.mjs'], none, diffOf('src/a.mjs', line))).toEqual({ behaviour: true, risky: true });
  });

  test.each([
    ['plain code', '+export const add = (a, b) => a + b;'],
    ['a regular expression', '+const [, word] = /(x)/.exec(text) ?? [];'],
    ['words of the context', ' const password = 1;'],
  ])('not by %s', (_, line) => {
    expect(touches(['src/a.mjs'], none, diffOf('src/a.mjs', line))).toEqual({ behaviour: true, risky: false });
  });

  test('not by documentation that speaks of it', () => {
    const diff = diffOf('README.md', '+Set your password.') + diffOf('src/a.mjs', '+export {};');
    expect(touches(['README.md', 'src/a.mjs'], none, diff).risky).toBe(false);
  });

  test.each(['package.json', 'go.mod', 'requirements-dev.txt', 'lib/Cargo.toml'])('by a dependency in %s', (path) => {
    expect(touches([path], none, diffOf(path, '+left-pad')).risky).toBe(true);
  });
});
