import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal, readJournal, readShortened } from './journal.ts';
import { Lease } from './lease.ts';
import { JournalCorrupt } from './record.ts';

const version = 1;
const made = 1_000;

function open(folder: string, stateVersion = version): { journal: Journal<{ count: number }>; close: () => void } {
  const self = { pid: 1, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' };
  const lease = Lease.acquire(folder, { self, livenessOf: () => 'dead', now: () => 1 });
  const journal = Journal.open<{ count: number }>(folder, { lease, now: () => 1, stateVersion });
  return {
    journal,
    close: () => {
      journal.close();
      lease.release({ inOrder: true });
    },
  };
}

function append(journal: Journal<{ count: number }>, count: number): void {
  for (let number = 0; number < count; number += 1) {
    journal.append({ type: 'report.filed', dispatch: 'd', tool: `tool-${journal.length}`, args: {} });
  }
}

/** A journal with a checkpoint after its thousandth record, and two records behind it. */
function kept(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-checkpoint-'));
  const first = open(folder);
  append(first.journal, made);
  first.journal.keep({ count: made }, version);
  append(first.journal, 2);
  first.close();
  return folder;
}

const fileOf = (folder: string): string => join(folder, 'journal.jsonl');

test('P1: what is known of the bytes that are there is used, and only the rest is read', () => {
  const folder = kept();
  const { journal } = open(folder);
  expect(journal.checkpoint?.state).toEqual({ count: made });
  expect(journal.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2]);
  expect(journal.length).toBe(made + 2);
  append(journal, 1);
  expect(journal.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2, made + 3]);
});

test('J5: the records in front of it are there for whoever asks', () => {
  const folder = kept();
  const { journal } = open(folder);
  append(journal, 1);
  expect(journal.records).toEqual(readJournal(folder));
  append(journal, 1);
  expect(journal.records).toEqual(readJournal(folder));
  expect(journal.tail).toHaveLength(4);
});

test('a short journal has none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-checkpoint-'));
  const { journal } = open(folder);
  append(journal, 10);
  journal.keep({ count: 10 }, version);
  expect(existsSync(join(folder, 'checkpoint'))).toBe(false);
});

test('the next one is made when as many records are new again', () => {
  const folder = kept();
  const before = readFileSync(join(folder, 'checkpoint'), 'utf8');
  const { journal } = open(folder);
  append(journal, 100);
  journal.keep({ count: made + 102 }, version);
  expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).toBe(before);
  append(journal, made - 102);
  journal.keep({ count: 2 * made }, version);
  expect(readFileSync(join(folder, 'checkpoint'), 'utf8')).not.toBe(before);
});

test('P1: a record changed in front of it is still found, and named', () => {
  const folder = kept();
  writeFileSync(fileOf(folder), readFileSync(fileOf(folder), 'utf8').replace('tool-7"', 'tool-x"'));
  expect(() => open(folder)).toThrow(JournalCorrupt);
  expect(() => open(folder)).toThrow(/record 8 is damaged/);
});

test('P1: a journal that was replaced by a shorter one is replayed', () => {
  const folder = kept();
  const lines = readFileSync(fileOf(folder), 'utf8').split('\n');
  writeFileSync(fileOf(folder), `${lines.slice(0, 3).join('\n')}\n`);
  const { journal } = open(folder);
  expect(journal.checkpoint).toBeNull();
  expect(journal.tail).toHaveLength(3);
});

test('P2: a checkpoint that is damaged or of another version does not count', () => {
  const folder = kept();
  expect(open(folder, version + 1).journal.checkpoint).toBeNull();
  appendFileSync(join(folder, 'checkpoint'), ' ');
  expect(open(folder).journal.checkpoint).toBeNull();
  writeFileSync(join(folder, 'checkpoint'), '');
  expect(open(folder).journal.tail).toHaveLength(made + 2);
});

test('J3: a torn record behind it is cut', () => {
  const folder = kept();
  const whole = readFileSync(fileOf(folder), 'utf8');
  appendFileSync(fileOf(folder), '{"seq":1003,"epo');
  open(folder).close();
  expect(readFileSync(fileOf(folder), 'utf8')).toBe(whole);
});

test('J3, P1: whoever only looks reads behind it too, and cuts nothing', () => {
  const folder = kept();
  appendFileSync(fileOf(folder), '{"seq":1003,"epo');
  const torn = readFileSync(fileOf(folder), 'utf8');
  const found = readShortened<{ count: number }>(folder, version);
  expect(found?.checkpoint?.state).toEqual({ count: made });
  expect(found?.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2]);
  expect(readFileSync(fileOf(folder), 'utf8')).toBe(torn);
  expect(readShortened(folder, version + 1)?.tail).toHaveLength(made + 2);
  expect(readShortened(join(folder, 'nowhere'), version)).toBeUndefined();
});
