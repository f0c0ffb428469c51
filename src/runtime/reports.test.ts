import { expect, test } from 'vitest';
import { initialSnapshot } from '../engine/snapshot.ts';
import { change } from '../workflows/change/change.ts';
import type { DispatchContext, Tool } from '../workflows/workflow.ts';
import { Reports } from './reports.ts';

/** Appends a line to a file, once for each report. */
const note: Tool = {
  description: '',
  roles: ['implementer'],
  report: { once: false },
  schema: { type: 'object' },
  call: ({ text }, { files }) => {
    const before = files.read('notes.md');
    if (before === undefined) return { error: 'there is no notes.md' };
    return { text: 'noted', writes: [{ path: 'notes.md', content: `${before}${String(text)}\n` }] };
  },
};
const tools = { note };

function contextOf(disk: Map<string, string>): DispatchContext {
  return {
    run: 'r',
    snapshot: initialSnapshot(change.machine),
    files: { read: (path) => disk.get(path), exists: (path) => disk.has(path), list: () => [...disk.keys()] },
    at: '2026-01-01T00:00:00.000Z',
    history: [],
    step: 'implement',
    role: 'implementer',
    agent: 'scripted',
    dispatch: 'change.r#1',
  };
}

test('P4: writing a report keeps what somebody added to the file after it was filed', async () => {
  const disk = new Map([['notes.md', 'first\n']]);
  const reports = new Reports(tools, contextOf(disk), () => {});
  await reports.call('note', { text: 'a' });
  await reports.call('note', { text: 'b' });
  disk.set('notes.md', 'first\nby hand\n');
  expect(reports.restaged().staged.at(-1)).toEqual({ path: 'notes.md', content: 'first\nby hand\na\nb\n' });
});

test('P4: a report that no longer fits the current file does not count', async () => {
  const disk = new Map([['notes.md', 'first\n']]);
  const reports = new Reports(tools, contextOf(disk), () => {});
  await reports.call('note', { text: 'a' });
  disk.delete('notes.md');
  expect(reports.restaged().filed).toEqual([]);
  expect(reports.restaged().staged).toEqual([]);
});
