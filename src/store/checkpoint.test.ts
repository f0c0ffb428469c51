import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MemoryDisk } from '../disk/memory-disk.ts';
import { Journal } from './journal.ts';
import { readJournal, readShort } from './read-journal.ts';
import { Lease } from './lease.ts';
import { JournalCorrupt } from './record.ts';

const version = 1;
const folder = '/run';

/** In memory: thousands of records are appended here, and each of them would wait for a real disk. */
let disk: MemoryDisk;
beforeEach(() => {
  disk = new MemoryDisk();
  disk.mkdir(folder);
});

const readText = (file: string): string => disk.readFile(file).toString();
const made = 1_000;

function open(stateVersion = version): { journal: Journal<{ count: number }>; close: () => void } {
  const self = { pid: 1, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' };
  const lease = Lease.acquire(folder, { self, livenessOf: () => 'dead', now: () => 1, disk });
  const journal = new Journal<{ count: number }>(folder, { lease, now: () => 1, stateVersion, disk });
  return {
    journal,
    close: () => journal.close({ inOrder: true, state: null }),
  };
}

function append(journal: Journal<{ count: number }>, count: number): void {
  for (let number = 0; number < count; number += 1) {
    journal.append({ type: 'report.filed', dispatch: 'd', tool: `tool-${journal.length}`, args: {} });
  }
}

/** A journal with a checkpoint after its thousandth record, and two records behind it. */
function keep(): void {
  const first = open();
  append(first.journal, made);
  first.journal.keep({ count: made });
  append(first.journal, 2);
  first.close();
}

const journalFile = join(folder, 'journal.jsonl');
const checkpointFile = join(folder, 'checkpoint');

test('P1: what is known of the bytes that are there is used, and only the rest is read', () => {
  keep();
  const { journal } = open();
  expect(journal.checkpoint?.state).toEqual({ count: made });
  expect(journal.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2]);
  expect(journal.length).toBe(made + 2);
  append(journal, 1);
  expect(journal.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2, made + 3]);
});

test('J5: reads the records in front of a checkpoint on demand', () => {
  keep();
  const { journal } = open();
  append(journal, 1);
  expect(journal.records).toEqual(readJournal(folder, disk));
  append(journal, 1);
  expect(journal.records).toEqual(readJournal(folder, disk));
  expect(journal.tail).toHaveLength(4);
});

test('a short journal has none', () => {
  const { journal } = open();
  append(journal, 10);
  journal.keep({ count: 10 });
  expect(disk.exists(checkpointFile)).toBe(false);
});

test('the next one is made when as many records are new again', () => {
  keep();
  const before = readText(checkpointFile);
  const { journal } = open();
  append(journal, 100);
  journal.keep({ count: made + 102 });
  expect(readText(checkpointFile)).toBe(before);
  append(journal, made - 102);
  journal.keep({ count: 2 * made });
  expect(readText(checkpointFile)).not.toBe(before);
});

test('P1: a record changed in front of it is still found, and named', () => {
  keep();
  disk.writeFile(journalFile, readText(journalFile).replace('tool-7"', 'tool-x"'));
  expect(() => open()).toThrow(JournalCorrupt);
  expect(() => open()).toThrow(/record 8 is damaged/);
});

test('P1: a journal that was replaced by a shorter one is replayed', () => {
  keep();
  const lines = readText(journalFile).split('\n');
  disk.writeFile(journalFile, `${lines.slice(0, 3).join('\n')}\n`);
  const { journal } = open();
  expect(journal.checkpoint).toBeNull();
  expect(journal.tail).toHaveLength(3);
});

test('P2: a checkpoint that is damaged or of another version does not count', () => {
  keep();
  expect(open(version + 1).journal.checkpoint).toBeNull();
  disk.writeFile(checkpointFile, ' ', { flag: 'a' });
  expect(open().journal.checkpoint).toBeNull();
  disk.writeFile(checkpointFile, '');
  expect(open().journal.tail).toHaveLength(made + 2);
});

test('J3: a torn record behind it is cut', () => {
  keep();
  const whole = readText(journalFile);
  disk.writeFile(journalFile, '{"seq":1003,"epo', { flag: 'a' });
  open().close();
  expect(readText(journalFile)).toBe(whole);
});

test('J3, P1: a reader starts behind the checkpoint, too, and cuts nothing', () => {
  keep();
  disk.writeFile(journalFile, '{"seq":1003,"epo', { flag: 'a' });
  const torn = readText(journalFile);
  const found = readShort<{ count: number }>(folder, version, { disk, seal: undefined });
  expect(found?.checkpoint?.state).toEqual({ count: made });
  expect(found?.tail.map(({ seq }) => seq)).toEqual([made + 1, made + 2]);
  expect(readText(journalFile)).toBe(torn);
  expect(readShort(folder, version + 1, { disk, seal: undefined })?.tail).toHaveLength(made + 2);
  expect(readShort(join(folder, 'nowhere'), version, { disk, seal: undefined })).toBeUndefined();
});
