/** A vendor's rate limit: the run is parked, says until when, and goes on by the same command. */

import { describe, expect, test } from 'vitest';
import { journalOf, repositoryFor, stepsOf } from './observed.ts';
import { challenge, listTasks, planned, propose, specify } from './scripts.ts';

const limited = (reset: string) => ({ role: 'planner', step: 'specify', fault: `rate_limited${reset}` });

describe.concurrent('[change/faults/rate-limit]', () => {
  test('exit 75 with the time, in message, status and journal; not retried; run the same command to continue', async (context) => {
    const change = repositoryFor(context, [propose(), limited(':90'), specify(), listTasks(), challenge('approved')]);
    const before = Date.now();
    const ran = await change.change('plan', 'greet', 'Greet by name');
    expect([ran.code, ran.json['action'], ran.json['outcome']]).toEqual([75, 'rate_limited', 'temporary']);
    expect(stepsOf(ran.json)).toEqual(['propose', 'specify']);
    const until: string = ran.json['until'];
    expect(Date.parse(until)).toBeGreaterThanOrEqual(before + 90_000);
    expect(Date.parse(until)).toBeLessThanOrEqual(Date.now() + 90_000);
    expect(ran.stderr).toMatch(/is rate limited until [-\d ]*\d\d:\d\d \(in 1m \d\ds\)/);
    expect(ran.json['diagnostics'].at(-1)).toMatchObject({ code: 'rate_limited', fix: 'pawl resume greet' });

    const status = await change.pawl('change', 'status', 'greet');
    expect(status.json).toMatchObject({ outcome: 'temporary', until, next: 'pawl resume greet' });
    expect((await change.repository.pawl(['change', 'status', 'greet'])).stdout).toContain(until);
    expect(journalOf(change, 'greet').at(-1)).toMatchObject({
      type: 'moved',
      signal: 'rate_limited',
      change: { state: 'proposed', outcome: 'temporary', problem: { code: 'rate_limited', until } },
      dispatch: { problem: expect.stringContaining(until) },
    });

    const again = await change.change('plan', 'greet');
    expect([again.code, again.json['phase'], again.json['until']]).toEqual([0, 'challenged', null]);
    expect(stepsOf(again.json)).toEqual(['propose', 'specify', 'specify', 'list_tasks', 'challenge']);
  });

  test('a limit whose end nobody knows says so by saying nothing; resume goes on at the step', async (context) => {
    const [first, ...rest] = planned;
    const at = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 90_000_000).toISOString();
    const turns = [first ?? {}, limited(`:${at}`), limited(''), ...rest];
    const change = repositoryFor(context, turns);
    const known = await change.change('plan', 'greet', 'Greet by name');
    expect([known.code, known.json['until']]).toEqual([75, at]);
    const unknown = await change.pawl('resume', 'greet');
    expect([unknown.code, unknown.json['until']]).toEqual([75, null]);
    expect(unknown.stderr).toContain('is rate limited');
    const resumed = await change.pawl('resume', 'greet');
    expect([resumed.code, resumed.json['phase']]).toEqual([0, 'challenged']);
  });
});
