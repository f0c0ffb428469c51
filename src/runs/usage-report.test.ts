import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatchEntries, RepositoryFixture, startedMs } from '../cli/repository.fixture.ts';
import type { Entry } from '../store/record.ts';
import { dispatchRecord } from './dispatch-record.ts';
import { usageOf } from './usage-report.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const step = { step: 'challenge', signal: 'approved', to: 'challenged' };
const unknown = { inputTokens: null, outputTokens: null, costUsd: null };

function withoutUsage(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) =>
    entry.type === 'moved' && entry.dispatch ? { ...entry, dispatch: { ...entry.dispatch, usage: unknown } } : entry,
  );
}

test('calls are summed by run, workflow, role and agent; U1: unknown cost is counted, never zero', () => {
  fixture.journal('a', { state: 'challenge' }, { entries: dispatchEntries('a#1', step) });
  fixture.journal('b', { state: 'challenge' }, { entries: withoutUsage(dispatchEntries('b#1', step)) });
  const { total, runs, workflows, roles, agents, unread } = usageOf(fixture.repository, null);
  const known = { calls: 1, inputTokens: 1_200, outputTokens: 300, costUsd: 0.01, unknownTokens: 0, unknownCost: 0 };
  const none = { calls: 1, inputTokens: null, outputTokens: null, costUsd: null, unknownTokens: 1, unknownCost: 1 };
  const all = { ...known, calls: 2, unknownTokens: 1, unknownCost: 1, agentMs: 24_000 };
  expect(total).toEqual(all);
  expect(runs).toMatchObject([
    { name: 'change/a', ...known },
    { name: 'change/b', ...none },
  ]);
  expect([workflows, roles, agents]).toEqual([
    [{ name: 'change', ...all }],
    [{ name: 'change/challenger', ...all }],
    [{ name: 'codex', ...all }],
  ]);
  expect(unread).toEqual([]);
});

test('a call that was cut off is counted with what it consumed; one of before is not', () => {
  const [started] = dispatchEntries('a#1', step);
  const usage = { inputTokens: 5, outputTokens: 1, costUsd: 0.2 };
  const cut = { type: 'dispatch.abandoned', id: 'a#1', why: 'killed', patch: null, usage, ms: 7 } as const;
  fixture.journal(
    'a',
    { state: 'challenge' },
    { entries: started ? [started, cut, ...dispatchEntries('a#2', step)] : [] },
  );
  expect(usageOf(fixture.repository, null).total).toMatchObject({ calls: 2, costUsd: 0.21, agentMs: 12_007 });
  // Records are a second apart: the second call ended with the fifth.
  expect(usageOf(fixture.repository, startedMs + 5_000).total).toMatchObject({ calls: 1, costUsd: 0.01 });
  expect(usageOf(fixture.repository, startedMs + 60_000).total).toMatchObject({ calls: 0, costUsd: 0 });
});

test('one agent call: prompt, transcript, reports and end; a number there is none of is refused', () => {
  const [started, ended] = dispatchEntries('a#1', step);
  const report = {
    type: 'report.filed',
    dispatch: 'a#1',
    tool: 'append_review',
    args: { status: 'approved' },
  } as const;
  fixture.journal('a', { state: 'challenge' }, { entries: started && ended ? [started, report, ended] : [] });
  const files = fixture.folder('a').slice(fixture.root.length + 1);
  const found = { workflow: 'change', run: 'a' };
  expect(dispatchRecord(fixture.repository, found, 1)).toMatchObject({ prompt: null, transcript: null });
  fixture.write(`${files}/dispatches/1/prompt.md`, 'Judge it.');
  const events = [
    { type: 'text', text: 'I read.' },
    { type: 'tool', name: 'Read' },
  ];
  fixture.write(`${files}/dispatches/1/events.jsonl`, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  expect(dispatchRecord(fixture.repository, found, 1)).toMatchObject({
    role: 'challenger',
    agent: 'codex',
    prompt: 'Judge it.',
    transcript: ['I read.', 'uses Read'],
    reports: [{ tool: 'append_review', args: { status: 'approved' } }],
    end: { signal: 'approved', ms: 12_000, problem: null },
  });
  expect(dispatchRecord(fixture.repository, found, 2)).toMatchObject({
    code: 'DispatchNotFound',
    message: 'a has no agent call 2; there are 1 to 1',
  });
});
