/** D6m, D13: what an agent consumed counts, also when it was cut off, and when only its tokens are known. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { config, planned, propose, type ChangeRepository, type Turn } from '../change/scripts.ts';
import { hanging, keepTidy, killAll, run, scratch, startUntil, until, type AtWork } from './at-work.ts';

keepTidy();

const plan = ['plan', run, 'Greet people'];
const usage = { input_tokens: 1_000, output_tokens: 200, cost_usd: 10 };

/** An agent that has told what it consumed and does not come to an end. */
async function atWork(
  settings = config,
  turn: Turn = { role: 'planner', step: 'propose' },
): Promise<{ change: ChangeRepository; work: AtWork }> {
  const change = scratch([hanging({ ...turn, usage })], settings);
  const work = await startUntil(change, ['change', ...plan], { step: 'propose' });
  const events = join(change.repository.runFolder('change', run), 'dispatches', '1', 'events.jsonl');
  await until('its usage is told', () => existsSync(events) && readFileSync(events, 'utf8').includes('"usage"'));
  return { change, work };
}

const ends: Readonly<Record<string, (change: ChangeRepository, work: AtWork) => Promise<void>>> = {
  'Ctrl-C': async (_, { child, ended }) => {
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
  },
  'kill -9': killAll,
};

describe.concurrent('D6m: a dispatch that is cut off', () => {
  test.each(Object.entries(ends))('%s: its tokens, cost and time count, and it is one agent call', async (_, end) => {
    const { change, work } = await atWork();
    await end(change, work);
    change.script(planned.map((turn) => ({ ...turn, usage })));
    const { code, json } = await change.change(...plan);
    expect(code).toBe(0);
    expect(json['usage']).toMatchObject({ dispatches: 4, reruns: 1, inputTokens: 5_000, costUsd: 50, unknownCost: 0 });
  });

  test('one that had filed its report counts as complete, with what it consumed', async () => {
    const { change, work } = await atWork(config, propose());
    await killAll(change, work);
    change.script(planned.map((turn) => ({ ...turn, usage })));
    const { json } = await change.change(...plan);
    expect(json['usage']).toMatchObject({ dispatches: 4, reruns: 0, costUsd: 40, unknownCost: 0 });
  });

  test('its cost is spent: a run whose money is used up does not go on', async () => {
    const { change, work } = await atWork(`${config}\n[budget]\ncost_usd = 10\n`);
    work.child.kill('SIGINT');
    await work.ended;
    const { code, json } = await change.change(...plan);
    expect([code, json['outcome']]).toEqual([5, 'over_budget']);
    expect(json['diagnostics'][0].message).toContain("the run's 10 USD are used");
  });

  test('trial 2 B5: crashes have a limit of their own, which Next and the help of resume name', async () => {
    const { change, work } = await atWork(`${config}\n[budget]\ncrashes = 1\n`);
    await killAll(change, work);
    change.script(planned);
    const stopped = await change.change(...plan);
    expect([stopped.code, stopped.json['outcome']]).toEqual([5, 'over_budget']);
    expect(stopped.json['diagnostics'][0].message).toContain(
      'agent calls of this run were interrupted 1 times by crashes',
    );
    expect(stopped.json['next']).toBe(`pawl resume ${run} --budget crashes=2`);
    expect((await change.repository.pawl(['resume', '--help'])).stdout).toMatch(/--budget .*\bcrashes\b/);
    const raised = await change.pawl(...stopped.json['next'].split(' ').slice(1));
    expect([raised.code, raised.json['phase']]).toEqual([0, 'challenged']);
  });
});

test('D13: tokens of a model with prices cost what they say', async () => {
  const prices = 'name = "m", max_complexity = "critical", price_input = 10, price_output = 20';
  const told = { input_tokens: 2_000_000, output_tokens: 100_000 };
  const change = scratch(
    planned.map((turn) => ({ ...turn, usage: told })),
    `${config}\n[scripted]\nmodels = [{ ${prices} }]\n\n[budget]\ncost_usd = 1000\n`,
  );
  const { json } = await change.change(...plan);
  expect(json['usage']).toMatchObject({ dispatches: 4, costUsd: 4 * 22, unknownCost: 0 });
});
