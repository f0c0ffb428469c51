import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findRun, runsIn, workflowsIn } from './find-run.ts';
import { Problem } from './problem.ts';
import { RepositoryFixture } from './repository.fixture.ts';

let fixture: RepositoryFixture;
let commonDir = '';
beforeAll(() => {
  fixture = new RepositoryFixture();
  ({ commonDir } = fixture.repository);
  fixture.journal('add-login', { state: 'challenge' });
  fixture.journal('add-login.1', { state: 'archived' }, { id: 'add-login' });
  fixture.journal('2026-03-04_pdf-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('2026-03-05_pdf-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('2026-03-04_csv-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('twice', { state: 'challenge' });
  fixture.journal('twice', { state: 'challenge' }, { workflow: 'session' });
});
afterAll(() => fixture.remove());

test('a run is found by its id, and by workflow and id', () => {
  const found = { workflow: 'change', run: 'add-login', folder: fixture.folder('add-login') };
  expect(findRun(commonDir, 'add-login')).toEqual(found);
  expect(findRun(commonDir, 'change/add-login')).toEqual(found);
  expect(findRun(commonDir, 'session/twice').workflow).toBe('session');
});

test('a session is found by its name, which has a date', () => {
  expect(findRun(commonDir, '2026-03-04_csv-export')).toMatchObject({ workflow: 'session' });
  expect(findRun(commonDir, 'csv-export')).toMatchObject({ workflow: 'session', run: '2026-03-04_csv-export' });
  expect(findRun(commonDir, 'session/csv-export')).toMatchObject({ run: '2026-03-04_csv-export' });
  expect(() => findRun(commonDir, 'export')).toThrow('there is no run "export"');
  expect(runsIn(commonDir, 'session')).toEqual([
    '2026-03-04_csv-export',
    '2026-03-04_pdf-export',
    '2026-03-05_pdf-export',
    'twice',
  ]);
});

test('one that was set aside is found by its number', () => {
  expect(findRun(commonDir, 'add-login.1')).toMatchObject({ run: 'add-login.1' });
});

test('what there is can be listed', () => {
  expect(workflowsIn(commonDir)).toEqual(['change', 'session']);
  expect(runsIn(commonDir, 'change')).toEqual(['add-login', 'add-login.1', 'twice']);
  expect(runsIn(commonDir, 'nothing')).toEqual([]);
});

describe('what cannot be found is explained, with exit code 2', () => {
  test.each([
    ['add-logim', 'RunNotFound', 'there is no run "add-logim" in this repository; did you mean add-login?'],
    ['change/add-logim', 'RunNotFound', 'did you mean change/add-login?'],
    ['xyz', 'RunNotFound', 'there is no run "xyz" in this repository'],
    ['session/add-login', 'RunNotFound', 'there is no run "session/add-login"'],
    ['twice', 'ambiguous_run', 'several runs: change/twice, session/twice'],
    ['../change', 'invalid_run', 'cannot name a run'],
    ['pdf-export', 'ambiguous_run', 'several runs: session/2026-03-04_pdf-export, session/2026-03-05_pdf-export'],
    ['2026_csv', 'invalid_run', 'cannot name a run'],
    ['2026-03-04_CSV', 'invalid_run', 'cannot name a run'],
    ['/etc/passwd', 'invalid_run', 'cannot name a run'],
    ['a/b/c', 'invalid_run', 'cannot name a run'],
    ['', 'invalid_run', 'cannot name a run'],
    ['a\u0000b', 'invalid_run', String.raw`a\u0000b`],
    ['x'.repeat(300), 'invalid_run', '…'],
  ])('%j', (word, code, words) => {
    const problem = problemOf(() => findRun(commonDir, word));
    expect(problem).toMatchObject({ exitCode: 2, diagnostic: { code } });
    expect(problem.message).toContain(words);
  });
});

function problemOf(find: () => unknown): Problem {
  try {
    find();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was found');
}
