import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Notes } from './notes.ts';

let folder = '';
const file = () => join(folder, '.notes');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-notes-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const key = { workflow: 'change', run: 'x' };
const now = { bytes: 100, ms: 5.25 };

test('N1: a note counts only for the journal it was written for', () => {
  new Notes(file()).keep(key, now, '{"phase":"proposed"}');
  const notes = new Notes(file());
  expect(notes.of(key, now)).toBe('{"phase":"proposed"}');
  expect(notes.of(key, { ...now, bytes: 101 })).toBeUndefined();
  expect(notes.of(key, { ...now, ms: 5.5 })).toBeUndefined();
  expect(notes.of({ ...key, run: 'y' }, now)).toBeUndefined();
  expect(new Notes(join(folder, 'nowhere/.notes')).of(key, now)).toBeUndefined();
});

test('N3: the last one counts, also of what another process adds', () => {
  const [mine, other] = [new Notes(file()), new Notes(file())];
  mine.keep(key, now, 'first');
  expect(mine.of(key, now)).toBe('first');
  other.keep(key, now, 'second');
  mine.forget();
  expect(mine.of(key, now)).toBe('second');
  mine.keep(key, now, 'third');
  expect(mine.of(key, now)).toBe('third');
});

test('N2: a torn line spoils no other but the next', () => {
  const notes = new Notes(file());
  notes.keep(key, now, 'whole');
  appendFileSync(file(), 'change/y\t100 5.2');
  notes.keep({ ...key, run: 'z' }, now, 'joined to it');
  notes.keep({ ...key, run: 'a' }, now, 'whole too');
  const read = new Notes(file());
  expect(read.of(key, now)).toBe('whole');
  expect(read.of({ ...key, run: 'a' }, now)).toBe('whole too');
  expect(read.of({ ...key, run: 'z' }, now)).toBeUndefined();
  expect(read.of({ ...key, run: 'y' }, now)).toBeUndefined();
});

test('N3: the file is written anew once most of its lines do not count', () => {
  const line = (text: string) => `change/x\t100 5.25\t${text}\n`;
  writeFileSync(file(), `${line('old').repeat(1_100)}change/y\t1 2\tother\n${line('new')}`);
  expect(new Notes(file()).of(key, now)).toBe('new');
  expect(readFileSync(file(), 'utf8').split('\n').toSorted()).toEqual([
    '',
    'change/x\t100 5.25\tnew',
    'change/y\t1 2\tother',
  ]);
});

test('N2: where it cannot be written, nothing is kept', () => {
  const notes = new Notes(join(folder, 'nowhere/.notes'));
  notes.keep(key, now, 'lost');
  expect(new Notes(join(folder, 'nowhere/.notes')).of(key, now)).toBeUndefined();
});
