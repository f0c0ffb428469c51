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
    workspace: '/repository',
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

/** May be filed once, and takes only a verdict. */
const judge: Tool = {
  ...note,
  report: { once: true },
  call: ({ verdict }) => (typeof verdict === 'string' ? { text: 'judged' } : { error: 'there is no verdict' }),
};

function judging() {
  const recorded: unknown[] = [];
  const reports = new Reports({ note, judge }, contextOf(new Map([['notes.md', '']])), (report) =>
    recorded.push(report),
  );
  return { reports, recorded };
}

test('P2: two closing reports that differ void the dispatch, also after a crash (attack 3.11, 3.12, 3.13)', async () => {
  const { reports, recorded } = judging();
  expect((await reports.call('judge', { verdict: 'approved', notes: { a: 1, b: 2 } })).isError).toBe(false);
  expect((await reports.call('judge', { notes: { b: 2, a: 1 }, verdict: 'approved' })).isError).toBe(false);
  expect((await reports.call('judge', { verdict: 7 })).text).toBe('there is no verdict');
  expect(reports.contradiction).toBeNull();
  const { text, isError } = await reports.call('judge', { verdict: 'rejected' });
  expect([text, isError]).toEqual([reports.contradiction, true]);
  expect(reports.contradiction).toContain('judge was called twice with different contents: neither report counts');
  expect(await reports.call('note', { text: 'more' })).toEqual({ text: reports.contradiction, isError: true });
  expect(recorded).toHaveLength(2);
  const again = Reports.restage({ note, judge }, contextOf(new Map()), recorded as never);
  expect(again.contradiction).toBe(reports.contradiction);
});

test('P5: reports are limited in size and number, and what is kept of refused ones too (attack 3.15)', async () => {
  const { reports, recorded } = judging();
  const large = 'x'.repeat(3_900_000);
  const answers = [];
  for (let number = 0; number < 25; number += 1)
    answers.push(await reports.call('note', { text: `${number}${large}` }));
  expect(answers.filter(({ isError }) => !isError)).toHaveLength(4);
  expect(answers.at(-1)?.text).toBe('at most 1000 reports with 16 MB in all count in one dispatch');
  for (let number = 0; number < 1_200; number += 1) await reports.call('note', { text: `small ${number}` });
  expect(recorded).toHaveLength(1_000);
  expect((await reports.call('judge', { verdict: 'late' })).text).toMatch(/^at most 1000 reports/);
  for (let number = 0; number < 50; number += 1) await reports.call('judge', { path: `${number}${large}` });
  expect(reports.refusals.length).toBeLessThanOrEqual(20);
  expect(reports.refusals.join('').length).toBeLessThan(100_000);
});

test('arguments that are nested too deeply are refused, and nothing is filed (attack 3.5)', async () => {
  const { reports, recorded } = judging();
  const deep: unknown = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  const { text, isError } = await reports.call('note', { text: deep });
  expect([text, isError]).toEqual(['the arguments are nested too deeply; nothing was filed', true]);
  expect(recorded).toEqual([]);
});

test('a flood of reports does not hide a contradiction (attack 3.13, 3.15)', async () => {
  const { reports } = judging();
  await reports.call('judge', { verdict: 'approved' });
  for (let number = 0; number < 1_000; number += 1) await reports.call('note', { text: `${number}` });
  await reports.call('judge', { verdict: 'rejected' });
  expect(reports.contradiction).not.toBeNull();
});
