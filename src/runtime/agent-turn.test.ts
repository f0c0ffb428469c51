import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../agents/agent.ts';
import { unknownUsage } from '../engine/usage.ts';
import { TurnListener } from './agent-turn.ts';

const failed: AgentEvent = { type: 'finished', error: { kind: 'wait', until: null, message: 'out of quota' } };
const clean: AgentEvent = { type: 'finished', error: null };

test('kills an agent that reports failure but keeps running', async () => {
  const end = new TurnListener(new AbortController().signal, { msMax: 5 });
  end.hear({ type: 'text', text: 'hm' });
  end.hear(failed);
  expect(end.signal.aborted).toBe(false);
  await once(end.signal, 'abort');
});

test('does not kill an agent that exits by itself, still works, or reports success', async () => {
  const [ended, working, done] = [1, 2, 3].map(() => new TurnListener(new AbortController().signal, { msMax: 5 }));
  ended?.hear(failed);
  ended?.close();
  working?.hear({ type: 'text', text: 'hm' });
  done?.hear(clean);
  await wait(20);
  expect([ended, working, done].map((each) => each?.signal.aborted)).toEqual([false, false, false]);
});

test.each([
  ['0199a213-81c0-7800-8aa1-bbab2a035a53', true],
  ['ses_5f3a.b', true],
  ['--dangerously-bypass-approvals-and-sandbox', false],
  ['-c', false],
  ['../../etc/passwd', false],
  ['a b', false],
  ['a\n--b', false],
  ['', false],
  ['x'.repeat(129), false],
])('the conversation %j is gone on with: %j (attack 2.23)', (id, isKept) => {
  const listener = new TurnListener(new AbortController().signal);
  listener.hear({ type: 'conversation', id, model: null });
  expect(listener.turn.session).toBe(isKept ? id : null);
});

test.each([
  ['2026-03-01T15:00:00.000Z', true],
  ['2026-02-28T00:00:00.000Z', true],
  ['2100-01-01T00:00:00.000Z', false],
  ['+033658-09-27T01:46:40.000Z', false],
  ['whenever', false],
])('a limit until %j is believed: %j (attack 6.2)', (until, isBelieved) => {
  const now = () => Date.parse('2026-03-01T12:00:00Z');
  const listener = new TurnListener(new AbortController().signal, { now });
  listener.hear({ type: 'finished', error: { kind: 'wait', until, message: 'out of quota' } });
  listener.close();
  expect(listener.turn.finished?.error).toMatchObject({ kind: 'wait', until: isBelieved ? until : null });
});

test('usage never goes down, and never beyond what can be (attack 6.1)', () => {
  const listener = new TurnListener(new AbortController().signal);
  const tell = (inputTokens: number, outputTokens: number, costUsd: number | null) =>
    listener.hear({ type: 'usage', inputTokens, outputTokens, costUsd });
  tell(-5, 1e300, -1_000_000);
  expect(listener.turn.usage).toEqual(unknownUsage);
  tell(100, 10, 0.5);
  tell(-50, Number.NaN, -0.4);
  tell(1, 1, null);
  expect(listener.turn.usage).toEqual({ inputTokens: 101, outputTokens: 11, costUsd: 0.5 });
});

test('stops at once on an interruption', () => {
  const interrupted = new AbortController();
  const end = new TurnListener(interrupted.signal, { msMax: 60_000 });
  interrupted.abort();
  expect(end.signal.aborted).toBe(true);
});
