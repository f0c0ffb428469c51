/** What somebody else does to a journal, while Pawl is at work and between its commands. */

import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FileStore } from './file-store.ts';
import { decodeJournal, encodeRecord, type Entry, type JournalRecord } from './record.ts';
import type { HeldRun, OpenOptions } from './run-store.ts';

const key = { workflow: 'w', run: 'r' };
let folder = '';
let boot = 'b1';
let warnings: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-seal-'));
  [boot, warnings] = ['b1', []];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const store = (): FileStore<unknown> =>
  new FileStore(join(folder, 'pawl'), {
    self: { pid: process.pid, startedAt: '1', host: 'h', bootId: boot, pidNamespace: 'n' },
    livenessOf: () => 'dead',
    now: () => Date.now(),
    stateVersion: 1,
    seals: { folder: join(folder, 'seals'), boot: () => boot },
  });
const open = (options: OpenOptions = {}): HeldRun<unknown> =>
  store().open(key, { ...options, warn: (message) => void warnings.push(message) });
const close = (held: HeldRun<unknown>): void => held.close({ inOrder: true, state: null });
const report = (tool: string): Entry => ({ type: 'report.filed', dispatch: 'd', tool, args: {} });
const file = (): string => join(folder, 'pawl/w/r/journal.jsonl');
const tools = (): readonly string[] =>
  (store().records(key) ?? []).flatMap((record) => (record.type === 'report.filed' ? [record.tool] : []));

function written(...names: readonly string[]): void {
  const held = open();
  for (const name of names) held.append(report(name));
  close(held);
}

/** With sums that are as they should be: whoever reads the source can compute them. */
function forge(change: (records: readonly JournalRecord[]) => readonly JournalRecord[]): string {
  const { records } = decodeJournal(readFileSync(file()), file());
  let last = '';
  const lines = change(records).map((record) => {
    const { line, sum } = encodeRecord(record, last);
    last = sum;
    return line;
  });
  return lines.join('');
}

const lengthened = () =>
  forge((records) => {
    const [first] = records;
    return first ? [...records, { ...first, seq: records.length + 1, tool: 'forged' } as JournalRecord] : records;
  });

describe('between two commands', () => {
  test('S1: a journal that nobody touched goes on', () => {
    written('a', 'b');
    written('c');
    expect(tools()).toEqual(['a', 'b', 'c']);
    expect(warnings).toEqual([]);
  });

  test.each<[row: string, how: string, forged: () => string]>([
    [
      'attack 1.9',
      'rewritten',
      () => forge((all) => all.map((each) => ({ ...each, tool: 'approved' }) as JournalRecord)),
    ],
    ['attack 1.10', 'rewound', () => forge((all) => all.slice(0, 1))],
    [
      'attack 1.9',
      'rewritten and lengthened',
      () => forge((all) => [...all, ...all].map((each, at) => ({ ...each, seq: at + 1, tool: 'x' }) as JournalRecord)),
    ],
  ])('%s: one that was %s is refused, and taken only when a person vouches for it', (_row, _how, forged) => {
    written('a', 'b');
    writeFileSync(file(), forged());
    expect(() => open()).toThrow('was rewritten or shortened by something other than Pawl');
    expect(() => open()).toThrow(
      expect.objectContaining({ code: 'JournalChanged', fix: expect.stringContaining('--accept-state') }),
    );
    close(open({ acceptChanged: true }));
    written('c');
    expect(tools().at(-1)).toBe('c');
  });

  test('attack 1.14: records that Pawl did not write are removed, with a copy', () => {
    written('a', 'b');
    writeFileSync(file(), lengthened());
    expect(tools()).toEqual(['a', 'b', 'forged']);
    written('c');
    expect(tools()).toEqual(['a', 'b', 'c']);
    expect(warnings).toEqual([expect.stringContaining('records that Pawl did not write were removed')]);
    expect(readFileSync(`${file()}.foreign-1`, 'utf8')).toContain('forged');
  });

  test('S2: after a power loss the journal may be longer than its seal says', () => {
    written('a', 'b');
    writeFileSync(file(), lengthened());
    boot = 'b2';
    written('c');
    expect(tools()).toEqual(['a', 'b', 'forged', 'c']);
  });

  test('S3: one without a seal gets one; a run that begins anew under its name is another', () => {
    written('a');
    rmSync(join(folder, 'seals'), { recursive: true });
    written('b');
    writeFileSync(
      file(),
      forge((all) => all.slice(0, 1)),
    );
    expect(() => open()).toThrow('was rewritten or shortened');
    store().retire(key);
    written('c');
    expect(tools()).toEqual(['c']);
  });

  test('seals are for nobody else to read', () => {
    written('a');
    const [name = ''] = readdirSync(join(folder, 'seals'));
    expect(statSync(join(folder, 'seals')).mode & 0o077).toBe(0);
    expect(statSync(join(folder, 'seals', name)).mode & 0o077).toBe(0);
  });

  test('attack 1.11, S4: a forged checkpoint beside an untouched journal does not count', () => {
    const held = open();
    for (let at = 0; at < 1_100; at += 1) held.append(report('a'));
    held.close({ inOrder: true, state: { verdict: 'rejected' } });
    expect(store().read(key)?.checkpoint?.state).toEqual({ verdict: 'rejected' });
    const checkpoint = join(folder, 'pawl/w/r/checkpoint');
    const forged = readFileSync(checkpoint, 'utf8').split('\n')[1]?.replace('rejected', 'approved') ?? '';
    const { hash } = process.getBuiltinModule('node:crypto');
    writeFileSync(checkpoint, `${hash('sha256', forged)}\n${forged}`);
    expect(store().read(key)).toMatchObject({ checkpoint: null });
    const again = open();
    expect(again.checkpoint).toBeNull();
    close(again);
  });
});

describe('while a command is at work', () => {
  test('attack 1.15: a journal that is swapped by a rename is put back, and nothing of it is lost', () => {
    const held = open();
    held.append(report('a'));
    writeFileSync(
      join(folder, 'other'),
      forge((all) => all.map((each) => ({ ...each, tool: 'forged' }) as JournalRecord)),
    );
    renameSync(join(folder, 'other'), file());
    held.append(report('rejected'));
    close(held);
    expect(tools()).toEqual(['a', 'rejected']);
    expect(warnings).toEqual([expect.stringContaining('replaced or changed the journal; it was put back')]);
    written('b');
    expect(tools()).toEqual(['a', 'rejected', 'b']);
  });

  test('attack 1.14: what was added is taken out', () => {
    const held = open();
    held.append(report('a'));
    appendFileSync(file(), lengthened().split('\n').at(-2) ?? '');
    held.append(report('b'));
    close(held);
    expect(tools()).toEqual(['a', 'b']);
    expect(warnings).toHaveLength(1);
  });

  test('a journal that is deleted is written again', () => {
    const held = open();
    held.append(report('a'));
    rmSync(file());
    held.append(report('b'));
    close(held);
    expect(tools()).toEqual(['a', 'b']);
  });

  test('one that is cut short in place stops the command', () => {
    const held = open();
    held.append(report('a'));
    writeFileSync(file(), '');
    expect(() => held.append(report('b'))).toThrow('was changed by something other than Pawl');
    close(held);
  });
});
