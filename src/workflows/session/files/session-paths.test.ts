import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as paths from './session-paths.ts';
import { isSessionId, isSlug, sessionId, slugOf } from './session-paths.ts';

test('every file of a session has its place', () => {
  const id = '2026-05-01_csv-export';
  const places = [
    paths.ignorePath,
    paths.statusPath(id),
    paths.tasksPath(id),
    paths.acceptancePath(id),
    paths.specPath(id),
    paths.architecturePath(id),
    paths.adrFolder(id),
    paths.researchFolder(id),
    paths.designFolder(id),
    paths.reportPath(id),
    paths.historyPath(id),
  ];
  expect(places).toEqual([
    '.agents-work/.gitignore',
    ...[
      'status.json',
      'tasks.yaml',
      'acceptance.json',
      'spec.md',
      'architecture.md',
      'adr',
      'research',
      'design-specs',
      'report.md',
      'approve-design-history.jsonl',
    ].map((name) => `.agents-work/${id}/${name}`),
  ]);
});

test.each([
  ['2026-05-01_csv-export', true],
  ['2024-02-29_x', true],
  ['2026-05-01_-odd--name-', true],
  ['2026-02-29_csv-export', false],
  ['2026-13-01_csv-export', false],
  ['2026-05-01', false],
  ['2026-05-01_', false],
  ['2026-05-01_CSV', true],
  ['2026-03-28-macro-app-spec', true],
  ['2026-05-01_csv.export', false],
  ['2026-05-01', false],
  ['csv-export', false],
  ['2026-05-01_../x', false],
  ['2026-05-01_a\n', false],
  [`2026-05-01_${'a'.repeat(65)}`, false],
])('%j names a session: %s', (text, expected) => {
  expect(isSessionId(text)).toBe(expected);
  if (!expected) expect(() => paths.statusPath(text)).toThrow('names no session');
});

test.each([
  ['Add a CSV export to the report page, please', 'add-csv-export-report'],
  ['Übersetze die Größenangaben für Ærø', 'ubersetze-die-grossenangaben-fur'],
  ["Fix the user's login", 'fix-users-login'],
  ['I want to make it', undefined],
  ['Fix it', undefined],
  ['データを書き出す', undefined],
  ['', undefined],
  ['x '.repeat(3), 'x-x-x'],
])('%j is called %j', (goal, slug) => {
  expect(slugOf(goal)).toBe(slug);
});

test('whatever the goal, its slug is a slug and makes a session id', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string({ unit: 'grapheme' }),
        fc.lorem(),
        fc.string({ unit: fc.constantFrom('a', 'b', ' '), maxLength: 200 }),
      ),
      (goal) => {
        const slug = slugOf(goal);
        if (slug === undefined) return;
        expect(isSlug(slug)).toBe(true);
        expect(isSessionId(sessionId('2026-05-01T23:59:59.999Z', slug))).toBe(true);
      },
    ),
  );
});

test.each(['one', 'a-b-c-d-e', 'A-b', 'a--b', '-a-b', `a-${'b'.repeat(50)}`, ''])('%j is no slug', (text) => {
  expect(isSlug(text)).toBe(false);
  expect(() => sessionId('2026-05-01T00:00:00Z', text)).toThrow('is not a slug');
});
