import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { versionNotes } from './version-notes.ts';

function notesIn() {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-versions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [file, program] = [join(folder, 'state', 'versions.json'), join(folder, 'vendor')];
  writeFileSync(program, 'one');
  let nowMs = 1_000_000;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { file, program, pass, notes: versionNotes(file, () => nowMs) };
}

const started = [['--acp'], { KEY: 'a-secret-value' }];

test('a version counts for the same file, arguments and variables, for a day (V1)', () => {
  const { program, pass, notes } = notesIn();
  expect(notes.versionOf(program, started)).toBeUndefined();
  notes.keep(program, started, '1.2.3');
  expect(notes.versionOf(program, started)).toBe('1.2.3');
  expect(notes.versionOf(program, [['--other'], {}])).toBeUndefined();
  const { atime, mtime } = statSync(program);
  writeFileSync(program, 'two');
  utimesSync(program, atime, mtime);
  expect(notes.versionOf(program, started)).toBeUndefined();
  notes.keep(program, started, '1.2.4');
  pass(23 * 3_600_000);
  expect(notes.versionOf(program, started)).toBe('1.2.4');
  pass(2 * 3_600_000);
  expect(notes.versionOf(program, started)).toBeUndefined();
});

test('only its owner reads the file, and it holds no variable (V2)', () => {
  const { file, program, notes } = notesIn();
  notes.keep(program, started, '1.2.3');
  expect(readFileSync(file, 'utf8')).not.toMatch(/secret|KEY|vendor/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a file that cannot be read or written stops nothing; the oldest notes go (V3)', () => {
  const { file, program, notes } = notesIn();
  notes.keep(program, started, '1.2.3');
  writeFileSync(file, '{"a": 1, torn');
  expect(notes.versionOf(program, started)).toBeUndefined();
  for (let number = 0; number < 60; number += 1) notes.keep(program, number, `1.0.${number}`);
  expect(notes.versionOf(program, 59)).toBe('1.0.59');
  expect(notes.versionOf(program, 0)).toBeUndefined();
  expect(() => versionNotes(join(program, 'below-a-file')).keep(program, started, '1.2.3')).not.toThrow();
});
