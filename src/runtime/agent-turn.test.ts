import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../agents/agent.ts';
import { TurnListener } from './agent-turn.ts';

const failed: AgentEvent = { type: 'finished', error: { kind: 'wait', until: null, message: 'out of quota' } };
const clean: AgentEvent = { type: 'finished', error: null };

test('kills an agent that reports failure but keeps running', async () => {
  const end = new TurnListener(new AbortController().signal, 5);
  end.hear({ type: 'text', text: 'hm' });
  end.hear(failed);
  expect(end.signal.aborted).toBe(false);
  await once(end.signal, 'abort');
});

test('does not kill an agent that exits by itself, still works, or reports success', async () => {
  const [ended, working, done] = [1, 2, 3].map(() => new TurnListener(new AbortController().signal, 5));
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
])('the conversation %j is gone on with: %j (2.23)', (id, isKept) => {
  const listener = new TurnListener(new AbortController().signal);
  listener.hear({ type: 'conversation', id, model: null });
  expect(listener.turn.session).toBe(isKept ? id : null);
});

test('stops at once on an interruption', () => {
  const interrupted = new AbortController();
  const end = new TurnListener(interrupted.signal, 60_000);
  interrupted.abort();
  expect(end.signal.aborted).toBe(true);
});
