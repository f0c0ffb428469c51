import { appendFileSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Journal } from './journal.ts';
import { readJournal } from './read-journal.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import type { Liveness } from './run-store.ts';
import { decodeJournal, JournalCorrupt, type Entry } from './record.ts';

const leaseBy = (pid: number, liveness: Liveness = 'dead', force = false): LeaseOptions => ({
  self: { pid, startedAt: '1', host: 'here', bootId: 'b', pidNamespace: 'n' },
  livenessOf: () => liveness,
  now: () => Date.now(),
  force,
});

const entry = (tool: string): Entry => ({ type: 'report.filed', dispatch: 'd#1', tool, args: { text: 'ünï\n"x"' } });

function folder(): string {
  return mkdtempSync(join(tmpdir(), 'pawl-journal-'));
}

function open(at: string, now: () => number = () => 1_000): { journal: Journal; lease: Lease } {
  const lease = Lease.acquire(at, leaseBy(1));
  return { journal: new Journal(at, { lease, now, stateVersion: 0 }), lease };
}

function filled(count: number): string {
  const at = folder();
  const { journal } = open(at);
  for (let number = 1; number <= count; number += 1) journal.append(entry(`tool-${number}`));
  journal.close({ inOrder: true, state: null });
  return at;
}

const fileOf = (at: string): string => join(at, 'journal.jsonl');

describe('journal', () => {
  test('R2, attack 8.5: sequence and time rise strictly, even when the clock does not', () => {
    const at = folder();
    const { journal } = open(at, () => 5);
    const records = [journal.append(entry('a')), journal.append(entry('b')), journal.append(entry('c'))];
    expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(records.map(({ at: time }) => Date.parse(time))).toEqual([5, 6, 7]);
  });

  test('what was appended is read back, by another process too', () => {
    const at = filled(3);
    expect(readJournal(at)?.map((record) => record.type === 'report.filed' && record.tool)).toEqual([
      'tool-1',
      'tool-2',
      'tool-3',
    ]);
    const { journal } = open(at);
    expect(journal.append(entry('more')).seq).toBe(4);
    expect(readJournal(at)).toHaveLength(4);
  });

  test('there is no journal where there is none', () => {
    expect(readJournal(folder())).toBeUndefined();
  });

  test('R3, J3: a torn tail of any length is cut when the journal is opened, and only then', () => {
    const at = filled(3);
    const whole = readFileSync(fileOf(at));
    const second = whole.indexOf(10, whole.indexOf(10) + 1) + 1;
    fc.assert(
      fc.property(fc.integer({ min: second + 1, max: whole.length - 1 }), (length) => {
        writeFileSync(fileOf(at), whole.subarray(0, length));
        expect(readJournal(at)).toHaveLength(2);
        expect(readFileSync(fileOf(at))).toHaveLength(length);
        const { journal } = open(at);
        expect(journal.records).toHaveLength(2);
        journal.close({ inOrder: true, state: null });
        expect(readFileSync(fileOf(at))).toHaveLength(second);
      }),
      { numRuns: 40 },
    );
  });

  test('R1: a changed byte in any earlier record is an error that names the record', () => {
    const at = filled(3);
    const whole = readFileSync(fileOf(at));
    const firstEnd = whole.indexOf(10);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: firstEnd - 1 }), (position) => {
        const damaged = Buffer.from(whole);
        damaged[position] = damaged[position] === 65 ? 66 : 65;
        expect(() => decodeJournal(damaged, 'journal.jsonl')).toThrow(JournalCorrupt);
        expect(() => decodeJournal(damaged, 'journal.jsonl')).toThrow(/record 1 is damaged/);
      }),
      { numRuns: 60 },
    );
  });

  test('R1: a missing, doubled or reordered record is noticed', () => {
    const at = filled(3);
    const [one = '', two = '', three = ''] = readFileSync(fileOf(at), 'utf8').split(/(?<=\n)/);
    for (const lines of [
      [one, three],
      [one, one, two, three],
      [two, one, three],
    ]) {
      expect(() => decodeJournal(Buffer.from(lines.join('')), 'j')).toThrow(JournalCorrupt);
    }
  });

  test('R3: a complete last record that was changed is corruption, not a torn tail', () => {
    const at = filled(2);
    const text = readFileSync(fileOf(at), 'utf8').replace('tool-2', 'tool-X');
    expect(() => decodeJournal(Buffer.from(text), 'j')).toThrow(/record 2 is damaged/);
  });

  test('an empty file is a journal without records', () => {
    const at = filled(1);
    truncateSync(fileOf(at), 0);
    expect(readJournal(at)).toEqual([]);
    appendFileSync(fileOf(at), 'half a li');
    expect(readJournal(at)).toEqual([]);
  });

  test('J2: a writer whose lease was taken over writes nothing more', () => {
    const at = folder();
    const { journal } = open(at);
    journal.append(entry('mine'));
    Lease.acquire(at, leaseBy(2));
    expect(() => journal.append(entry('late'))).toThrow(/taken over/);
    expect(readJournal(at)).toHaveLength(1);
  });
});
