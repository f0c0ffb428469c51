import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../agents/agent.ts';
import { SelfExit } from './self-exit.ts';

const failed: AgentEvent = { type: 'finished', error: { kind: 'wait', until: null, message: 'out of quota' } };
const clean: AgentEvent = { type: 'finished', error: null };

test('an agent that says it has failed is ended after its moment', async () => {
  const end = new SelfExit(new AbortController().signal, 5);
  end.hear([{ type: 'text', text: 'hm' }, failed]);
  expect(end.signal.aborted).toBe(false);
  await once(end.signal, 'abort');
});

test('one that ends by itself, or is not done, or says that all is well, is left alone', async () => {
  const [ended, working, done] = [1, 2, 3].map(() => new SelfExit(new AbortController().signal, 5));
  ended?.hear([failed]);
  ended?.close();
  working?.hear([{ type: 'text', text: 'hm' }]);
  done?.hear([clean]);
  await wait(20);
  expect([ended, working, done].map((each) => each?.signal.aborted)).toEqual([false, false, false]);
});

test('an interruption counts at once', () => {
  const interrupted = new AbortController();
  const end = new SelfExit(interrupted.signal, 60_000);
  interrupted.abort();
  expect(end.signal.aborted).toBe(true);
});
