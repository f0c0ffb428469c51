import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JournalStamp } from './read-journal.ts';
import { Notes } from './file-store.ts';
import type { RunKey } from './run-store.ts';

let folder = '';
const file = () => join(folder, '.notes');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-notes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = { workflow: 'change', run: 'x' };
const now = { bytes: 100, ms: 5.25 };
const noted = (of: RunKey, stamp: JournalStamp = now, path = file()) => new Notes(path).read(() => stamp)(of);

test('N1: a note counts only for the journal it was written for', () => {
  new Notes(file()).keep(key, now, '{"phase":"proposed"}');
  expect(noted(key)).toBe('{"phase":"proposed"}');
  expect(noted(key, { ...now, bytes: 101 })).toBeUndefined();
  expect(noted(key, { ...now, ms: 5.5 })).toBeUndefined();
  expect(noted({ ...key, run: 'y' })).toBeUndefined();
  expect(noted(key, now, join(folder, 'nowhere/.notes'))).toBeUndefined();
});

test('N1: a note that lost its end does not count', () => {
  new Notes(file()).keep(key, now, 'whole');
  writeFileSync(file(), readFileSync(file(), 'utf8').replace('whole', 'who'));
  expect(noted(key)).toBeUndefined();
});

test('N3: the last note counts, whichever process wrote it', () => {
  const [mine, other] = [new Notes(file()), new Notes(file())];
  mine.keep(key, now, 'first');
  other.keep(key, now, 'second');
  expect(noted(key)).toBe('second');
  mine.keep(key, now, 'third');
  expect(noted(key)).toBe('third');
});

test('N2: a torn line spoils no other but the next', () => {
  const notes = new Notes(file());
  notes.keep(key, now, 'whole');
  appendFileSync(file(), 'change/y\t100 5.2');
  notes.keep({ ...key, run: 'z' }, now, 'joined to it');
  notes.keep({ ...key, run: 'a' }, now, 'whole too');
  expect(noted(key)).toBe('whole');
  expect(noted({ ...key, run: 'a' })).toBe('whole too');
  expect(noted({ ...key, run: 'z' })).toBeUndefined();
  expect(noted({ ...key, run: 'y' })).toBeUndefined();
});

test('N3: the file is written anew once most of its lines do not count', () => {
  const line = (text: string) => `change/x\t100 5.25 3\t${text}\n`;
  writeFileSync(file(), `${line('old').repeat(1_100)}change/y\t1 2 5\tother\n${line('new')}`);
  expect(noted(key)).toBe('new');
  expect(readFileSync(file(), 'utf8').split('\n').toSorted()).toEqual([
    '',
    'change/x\t100 5.25 3\tnew',
    'change/y\t1 2 5\tother',
  ]);
});

test('N2: where it cannot be written, nothing is kept', () => {
  const nowhere = join(folder, 'nowhere/.notes');
  new Notes(nowhere).keep(key, now, 'lost');
  expect(noted(key, now, nowhere)).toBeUndefined();
});
