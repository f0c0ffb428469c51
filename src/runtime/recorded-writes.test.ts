import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { nodeDisk } from '../disk/node-disk.ts';
import { encodeRecord, decodeJournal, type JournalRecord, type RecordedWrite } from '../store/record.ts';
import {
  applyDue,
  dueWrites,
  examineWrites,
  noteRecorded,
  wholeWrite,
  applyEdit,
  editBetween,
} from './recorded-writes.ts';

const path = 'tasks.yaml';
const line = (status: string): string => `  - id: T-001\n    status: ${status}\n`;
const long = (status: string): string => `${'# before\n'.repeat(500)}${line(status)}${'# after\n'.repeat(500)}`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'pawl-writes-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

const workspace = () => ({ disk: nodeDisk, rootOf: () => root });
const file = (): string => join(root, path);

/** Writes these texts one after the other, and gives their records as a reader of the journal finds them. */
function written(...contents: readonly (string | null)[]): RecordedWrite[][] {
  const onRecord = new Map<string, string>();
  return contents.map((content) => {
    const { due, recorded } = dueWrites(workspace(), [{ path, content }], onRecord);
    noteRecorded(onRecord, recorded);
    applyDue(workspace(), due);
    return recorded;
  });
}

/** Through the journal's own form, so that whatever JSON does to a text is done. */
function recordsOf(writes: readonly (readonly RecordedWrite[])[]): readonly JournalRecord[] {
  let last = '';
  const lines = writes.map((each, index) => {
    const record: JournalRecord = {
      seq: index + 1,
      epoch: 1,
      at: '2026-01-01T00:00:00.000Z',
      type: 'moved',
      from: 'a',
      signal: 'b',
      change: {},
      writes: each,
    };
    const encoded = encodeRecord(record, last);
    last = encoded.sum;
    return encoded.line;
  });
  return decodeJournal(Buffer.from(lines.join('')), 'journal').records;
}

function last(records: readonly JournalRecord[]): RecordedWrite {
  const record = records.at(-1);
  const write = record?.type === 'moved' ? record.writes?.at(-1) : undefined;
  if (!write) throw new Error('nothing was recorded');
  return write;
}

test('records a small change to a recorded long text as an edit', () => {
  const [whole, edit] = written(long('not-started'), long('completed'));
  expect(whole).toEqual([{ path, before: null, content: long('not-started') }]);
  expect(edit).toMatchObject([{ path, edit: { inserted: 'comple', removed: 'not-star'.length } }]);
  expect(JSON.stringify(edit).length).toBeLessThan(400);
  expect(readFileSync(file(), 'utf8')).toBe(long('completed'));
});

test('records short texts, large changes and unrecorded texts as a whole', () => {
  const texts = ['short', 'shorter', long('a'), 'x'.repeat(long('a').length), null, long('b')];
  expect(written(...texts)).toMatchObject(texts.map((content) => [{ path, content }]));
  writeFileSync(file(), long('by hand'));
  expect(
    dueWrites(workspace(), [{ path, content: long('e') }], new Map([[path, 'sha256:of what was there']])).recorded,
  ).toMatchObject([{ content: long('e') }]);
});

test.each([
  ['as before', long('b'), 'missing'],
  ['written', long('c'), 'done'],
  ['edited by somebody', long('by hand'), 'contested'],
  ['edited where the edit is', `${long('b')}\n`, 'contested'],
  ['gone', null, 'contested'],
])('after a kill, a file that is %s counts as %s', (_, found, as) => {
  const records = recordsOf(written(long('a'), long('b'), long('c')));
  if (found === null) rmSync(file());
  else writeFileSync(file(), found);
  const { missing, contested } = examineWrites(workspace(), [last(records)]);
  expect({ missing: missing.length, contested: contested.length }).toEqual({
    missing: as === 'missing' ? 1 : 0,
    contested: as === 'contested' ? 1 : 0,
  });
  // Whatever became of the file, the journal knows what it shall hold.
  applyDue(workspace(), [wholeWrite(last(records), records)]);
  expect(readFileSync(file(), 'utf8')).toBe(long('c'));
});

test('applies an edit to its original text, not to one written meanwhile', () => {
  const first = written(long('a'), long('b'));
  const elsewhere = written(long('of another process'));
  const then = written(long('a'), long('b'), long('c'), long('b'), long('d'));
  const records = recordsOf([...first, ...elsewhere, ...then]);
  expect(wholeWrite(last(records), records)).toEqual({ path, content: long('d') });
});

test('refuses an edit without its original text', () => {
  const records = recordsOf(written(long('a'), long('b')).slice(1));
  expect(() => wholeWrite(last(records), records)).toThrow('tasks.yaml');
});

test('an edit turns any text into any other', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '\n', 'é', '\u{1F600}', '\u{1F601}'),
    maxLength: 12,
  });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const edit = editBetween(before, after);
      expect(applyEdit(before, JSON.parse(JSON.stringify(edit)))).toBe(after);
      expect(edit.removed).toBeGreaterThanOrEqual(0);
    }),
  );
});
