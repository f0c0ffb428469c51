import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RepositoryFixture, stateYaml } from '../cli/repository.fixture.ts';
import { changeSurface } from '../workflows/change/surface.ts';
import { sessionSurface } from '../workflows/session/surface.ts';
import { findJournal, findRun, findRunOf, runKeys } from './find.ts';
import { recordsOf } from './find.ts';
import { isRefusal } from './refusal.ts';

let fixture: RepositoryFixture;
beforeAll(() => {
  fixture = new RepositoryFixture();
  fixture.journal('add-login', { state: 'challenge' });
  fixture.journal('add-login.1', { state: 'archived' }, { id: 'add-login' });
  fixture.journal('2026-03-04_pdf-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('2026-03-05_pdf-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('2026-03-04_csv-export', { state: 'intake' }, { workflow: 'session' });
  fixture.journal('twice', { state: 'challenge' });
  fixture.journal('twice', { state: 'draft' }, { workflow: 'docs-review' });
  fixture.journal('Not A Run', { state: 'challenge' });
  fixture.journal('talk', { state: 'intake' }, { workflow: 'session' });
  fixture.write('agentd/changes/cloned/STATE.yaml', stateYaml('proposed'));
  fixture.write('.agents-work/2026-03-06_xml-export/status.json', '{"current_state": "PLAN"}');
});
afterAll(() => fixture.remove());

const named = (word: string) => findRun(fixture.repository, word);

test('a run is found by its id, and by workflow and id', () => {
  const found = { workflow: 'change', run: 'add-login' };
  expect(named('add-login')).toEqual(found);
  expect(named('change/add-login')).toEqual(found);
  expect(named('docs-review/twice')).toEqual({ workflow: 'docs-review', run: 'twice' });
});

test('a session is found by its name, which has a date', () => {
  expect(named('2026-03-04_csv-export')).toMatchObject({ workflow: 'session' });
  expect(named('csv-export')).toEqual({ workflow: 'session', run: '2026-03-04_csv-export' });
  expect(named('session/csv-export')).toMatchObject({ run: '2026-03-04_csv-export' });
  expect(named('export')).toMatchObject({ code: 'RunNotFound', message: expect.stringContaining('no run "export"') });
});

test('a retired run is found by its number', () => {
  expect(named('add-login.1')).toEqual({ workflow: 'change', run: 'add-login.1' });
});

test('ignores folders whose names are not valid run names', () => {
  const runs = (workflow: string) => runKeys(fixture.repository, workflow).map(({ run }) => run);
  expect(runs('change').toSorted()).toEqual(['add-login', 'add-login.1', 'twice']);
  expect(runs('session').toSorted()).toEqual([
    '2026-03-04_csv-export',
    '2026-03-04_pdf-export',
    '2026-03-05_pdf-export',
  ]);
  expect(runs('nothing')).toEqual([]);
  expect(named('talk')).toMatchObject({ code: 'RunNotFound' });
});

test('a run without a complete record is not found', () => {
  fixture.repository.store.open({ workflow: 'change', run: 'begins' }).close({ inOrder: true, state: null });
  expect(named('begins')).toMatchObject({ code: 'RunNotFound' });
});

describe('explains why a run is not found', () => {
  test.each([
    ['add-logim', 'RunNotFound', 'there is no run "add-logim" in this repository; did you mean add-login?'],
    ['change/add-logim', 'RunNotFound', 'did you mean change/add-login?'],
    ['xyz', 'RunNotFound', 'there is no run "xyz" in this repository'],
    ['session/add-login', 'RunNotFound', 'there is no run "session/add-login"'],
    ['twice', 'AmbiguousRun', 'several runs: change/twice, docs-review/twice'],
    ['../change', 'InvalidRunName', 'is not a valid run name'],
    ['pdf-export', 'AmbiguousRun', 'several runs: session/2026-03-04_pdf-export, session/2026-03-05_pdf-export'],
    ['2026_csv', 'InvalidRunName', 'is not a valid run name'],
    ['2026-03-04_C.V', 'InvalidRunName', 'is not a valid run name'],
    ['/etc/passwd', 'InvalidRunName', 'is not a valid run name'],
    ['a/b/c', 'InvalidRunName', 'is not a valid run name'],
    ['', 'InvalidRunName', 'is not a valid run name'],
    ['a\u0000b', 'InvalidRunName', String.raw`a\u0000b`],
    ['x'.repeat(300), 'InvalidRunName', '…'],
  ])('%j', (word, code, words) => {
    expect(named(word)).toMatchObject({ code, outcome: 'usage', message: expect.stringContaining(words) });
  });
});

describe('a run of one workflow', () => {
  const change = (word: string) => findRunOf(fixture.repository, changeSurface, word);
  const session = (word: string) => findRunOf(fixture.repository, sessionSurface, word);

  test('is found by a part of its name that no other has, and without a journal', () => {
    expect(session('csv')).toMatchObject({ run: '2026-03-04_csv-export' });
    expect(session('xml-export')).toMatchObject({ run: '2026-03-06_xml-export', foreign: { run: expect.any(String) } });
    expect(change('cloned')).toMatchObject({ foreign: { path: 'agentd/changes/cloned/STATE.yaml' } });
    expect(change('add-login')).toEqual({ workflow: 'change', run: 'add-login' });
  });

  test.each([
    ['pdf', 'AmbiguousRun', '"pdf" could be any of 2026-03-04_pdf-export, 2026-03-05_pdf-export'],
    ['cvs-export', 'SessionNotFound', 'did you mean 2026-03-04_csv-export?'],
    ['../../etc/passwd', 'SessionNotFound', 'there is no session "../../etc/passwd"'],
  ])('a session %j is refused', (word, code, words) => {
    expect(session(word)).toMatchObject({ code, message: expect.stringContaining(words) });
  });

  test.each([
    ['ad-login', 'ChangeNotFound', 'there is no change "ad-login"; did you mean add-login?'],
    ['add', 'ChangeNotFound', 'there is no change "add"'],
    ['../up', 'InvalidChangeId', '"../up" is not a valid change name'],
    ['a'.repeat(70), 'InvalidChangeId', 'aaa…" is not a valid change name'],
  ])('a change %j is refused', (word, code, words) => {
    expect(change(word)).toMatchObject({ code, message: expect.stringContaining(words) });
  });
});

test('the journal of a finished run is read from the documents it was exported to', () => {
  const journal = fixture.repository.store.records({ workflow: 'change', run: 'add-login' }) ?? [];
  const folder = fixture.folder('add-login').slice(fixture.root.length + 1);
  fixture.copy(`${folder}/journal.jsonl`, 'agentd/archive/filed/journal.jsonl');
  for (const word of ['filed', 'change/filed']) {
    const found = findJournal(fixture.repository, word);
    if (isRefusal(found)) throw new Error(found.message);
    expect(found).toMatchObject({ workflow: 'change', run: 'filed' });
    expect(recordsOf(fixture.repository, found)).toEqual(journal);
  }
  expect(findJournal(fixture.repository, 'cloned')).toMatchObject({ code: 'RunNotFound' });
});
