import { afterEach, beforeEach, expect, test } from 'vitest';
import { dispatchEntries, RepositoryFixture } from '../cli/repository.fixture.ts';
import type { RunEvent } from '../runtime/host.ts';
import type { Entry } from '../store/record.ts';
import { followRun } from './follow-run.ts';

let fixture: RepositoryFixture;
beforeEach(() => {
  fixture = new RepositoryFixture();
});
afterEach(() => fixture.remove());

const key = { workflow: 'change', run: 'x' };

/** What is told while another process writes these records, one after each event of `dispatch.output` or `opened`. */
async function told(state: string, entries: readonly Entry[], untilAsked = false) {
  fixture.journal('x', { state });
  const held = fixture.repository.store.open(key);
  const events: RunEvent[] = [];
  const stop = new AbortController();
  const end = followRun(fixture.repository, key, {
    observe: (event) => {
      events.push(event);
      if (event.type !== 'opened') return;
      for (const entry of entries) held.append(entry);
      held.close({ inOrder: true, state: null });
    },
    signal: stop.signal,
    untilAsked,
  });
  return { end: await end, events };
}

test('F2: what a process writes is told as it tells it, its last record too when it has gone', async () => {
  const step = { step: 'challenge', signal: 'approved', to: 'challenged' };
  const entries: Entry[] = [
    { type: 'moved', from: 'validate', signal: 'valid', change: { state: 'challenge' } },
    ...dispatchEntries('x#1', step),
  ];
  const { end, events } = await told('validate', entries);
  expect(end).toBe('ended');
  expect(events.map(({ type }) => type)).toEqual([
    'opened',
    'check.started',
    'check.ended',
    'moved',
    'dispatch.started',
    'moved',
    'dispatch.ended',
  ]);
  expect(events).toMatchObject([
    { phase: 'proposed' },
    { check: 'validate' },
    { check: 'validate', signal: 'valid' },
    { from: 'validate', to: 'challenge' },
    { id: 'x#1', role: 'challenger', agent: 'codex', remaining: { dispatches: 60 } },
    { from: 'challenge', signal: 'approved', to: 'challenged', phase: 'challenged' },
    { id: 'x#1', signal: 'approved', ms: 12_000, problem: null },
  ]);
});

test('whoever can answer is called when the run asks; a run that nobody works on is not followed', async () => {
  const entries = [{ type: 'moved', from: 'challenge', signal: 'x', change: { state: 'ask_revision' } }] as const;
  expect(await told('challenge', entries, true)).toMatchObject({ end: 'asks' });
  const none = followRun(fixture.repository, key, { observe: () => {}, signal: AbortSignal.abort(), untilAsked: true });
  expect(await none).toBe('ended');
});

test('F1: leaving ends the following alone', async () => {
  fixture.journal('x', { state: 'challenge' });
  const release = fixture.hold('x');
  const stop = new AbortController();
  const observe = (): void => stop.abort();
  expect(await followRun(fixture.repository, key, { observe, signal: stop.signal, untilAsked: false })).toBe('left');
  expect(fixture.repository.store.owner(key)).toMatchObject({ pid: process.pid });
  release();
});
