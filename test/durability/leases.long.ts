/** One run, one writer: whoever comes second is told so, and nobody waits for the dead. */

import { beforeAll, describe, expect, test } from 'vitest';
import { planned, propose, type ChangeRepository } from '../change/scripts.ts';
import {
  agentsOf,
  copyOf,
  filesOf,
  keepTidy,
  killAll,
  recordsOf,
  run,
  scratch,
  slowly,
  start,
  startUntil,
  until,
  type AtWork,
} from './at-work.ts';

keepTidy();

const slow = [slowly(propose())];
const plan = ['change', 'plan', run, 'Greet people'];

async function stop({ child, ended }: AtWork): Promise<void> {
  child.kill('SIGINT');
  expect((await ended).code).toBe(130);
}

describe.concurrent('two processes at the same moment', () => {
  test.each([1, 2, 3, 4, 5, 6])('L2, attack 8.1, 8.2: exactly one works, the other exits 6 (%i)', async (number) => {
    const change = scratch(slow);
    // Every other pair meets the lease of a dead owner.
    if (number % 2 === 0) await killAll(change, await startUntil(change, plan, { step: 'propose' }));
    const started = recordsOf(change).filter(({ type }) => type === 'dispatch.started').length;
    const pair = [start(change, plan), start(change, plan)] as const;
    const [ran, loser] = await Promise.race(pair.map(async (work, index) => [await work.ended, index] as const));
    expect(ran.code, ran.stderr).toBe(6);
    expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 6, diagnostics: [{ code: 'RunLocked' }] });
    const winner = pair[1 - loser] ?? pair[0];
    expect(ran.stderr).toContain(`pid ${winner.child.pid}`);
    await until('the winner is at work', () => agentsOf(change.repository).length > 0);
    const later = recordsOf(change).filter(({ type }) => type === 'dispatch.started').length;
    expect(later - started).toBe(1);
    expect(recordsOf(change).filter(({ type }) => type === 'created')).toHaveLength(1);
    await stop(winner);
  });
});

describe.concurrent('a run that another process works on', () => {
  let checkpoint: ChangeRepository;

  beforeAll(() => {
    checkpoint = scratch(slow);
  });

  test('L3: refuses every other command that would write, and does not disturb the process', async () => {
    const change = copyOf(checkpoint, slow);
    const work = await startUntil(change, plan, { step: 'propose' });
    const before = filesOf(change.repository);
    const records = recordsOf(change);
    for (const args of [
      ['change', 'plan', run],
      ['change', 'impl', run],
      ['resume', run],
      ['retry', run],
      ['undo', run],
    ]) {
      const ran = await change.pawl(...args);
      expect(ran.code, args.join(' ')).toBe(6);
    }
    expect(filesOf(change.repository)).toEqual(before);
    expect(recordsOf(change)).toEqual(records);
    await stop(work);
  });

  test('L3: a dead owner never blocks', async () => {
    const change = copyOf(checkpoint, slow);
    await killAll(change, await startUntil(change, plan, { step: 'propose' }));
    change.script(planned);
    expect((await change.change('plan', run)).code).toBe(0);
  });

  test('L3: a suspended owner counts as alive', async () => {
    const change = copyOf(checkpoint, slow);
    const work = await startUntil(change, plan, { step: 'propose' });
    work.child.kill('SIGSTOP');
    try {
      expect((await change.change('plan', run)).code).toBe(6);
    } finally {
      work.child.kill('SIGCONT');
    }
    await stop(work);
  });

  test('L4, attack 8.2: a process whose lock was taken over by force writes nothing more, and says so', async () => {
    const change = copyOf(checkpoint, slow);
    const work = await startUntil(change, plan, { step: 'propose' });
    change.script(planned);
    const taken = await change.change('plan', run, '--force');
    expect(taken.code, taken.stderr).toBe(0);
    const lost = await work.ended;
    expect(lost.code).toBe(75);
    expect(JSON.parse(lost.stdout)).toMatchObject({ exitCode: 75, diagnostics: [{ code: 'LeaseLost' }] });
    const epochs = recordsOf(change).map(({ epoch }) => epoch);
    expect(epochs).toEqual(epochs.toSorted((left, right) => left - right));
  });
});
