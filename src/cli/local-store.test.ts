import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { initialSnapshot } from '../engine/snapshot.ts';
import type { JournalRecord } from '../store/record.ts';
import { toyMachine } from '../../test/toy.ts';
import { bundled } from '../workflows/bundled.ts';
import { storeOf } from './local-store.ts';

const commonDir = mkdtempSync(join(tmpdir(), 'pawl-store-'));
afterAll(() => rmSync(commonDir, { recursive: true, force: true }));

/** A run of an earlier version. */
function earlierRun(workflow: string) {
  const key = { workflow, run: 'x' };
  const flags = { course: 'full', round: 'task', owed: 'nothing' };
  const snapshot = { ...initialSnapshot(toyMachine), flags };
  const held = storeOf(commonDir, []).open(key);
  held.append({ type: 'created', format: 1, workflow, run: 'x', workspace: '/', input: {}, snapshot });
  held.append({ type: 'moved', from: 'idle', signal: 'go', change: { flags: { course: 'lean' } } });
  held.append({
    type: 'state.edited',
    phase: 'idle',
    change: { flags: { owed: 'all' } },
    by: { how: 'edit', who: 'test' },
  });
  held.close({ inOrder: true, state: null });
  return key;
}

const flagsIn = (records: readonly JournalRecord[] = []) =>
  records.map((record) => {
    if (record.type === 'created') return record.snapshot.flags;
    return record.type === 'moved' || record.type === 'state.edited' ? record.change.flags : undefined;
  });

describe('flags of an earlier version have the names and values of today, wherever records are read', () => {
  const key = earlierRun('session');
  const store = storeOf(commonDir, bundled);
  const today = [
    { mode: 'full', round: 'task', pending_reviews: 'none' },
    { mode: 'lean' },
    { pending_reviews: 'all' },
  ];

  test('all records', () => {
    expect(flagsIn(store.records(key))).toEqual(today);
  });

  test('those behind the checkpoint', () => {
    expect(flagsIn(store.read(key)?.tail)).toEqual(today);
  });

  test('those of a run at work', () => {
    const held = store.open(key);
    expect(flagsIn(held.records)).toEqual(today);
    held.close({ inOrder: true, state: null });
  });

  test('those that are followed', async () => {
    const stop = new AbortController();
    const followed: JournalRecord[] = [];
    for await (const record of store.follow(key, { after: 0, signal: stop.signal })) {
      followed.push(record);
      if (followed.length === today.length) stop.abort();
    }
    expect(flagsIn(followed)).toEqual(today);
  });

  test('another workflow may have a flag of that name', () => {
    const [first] = flagsIn(store.records(earlierRun('toy')));
    expect(first).toEqual({ course: 'full', round: 'task', owed: 'nothing' });
  });
});
