/** A role that only reads cannot write from its sandbox, so what changes meanwhile is a person's, and stays. */

import { describe, expect, test } from 'vitest';
import { implement, planned, propose, review } from '../change/scripts.ts';
import {
  agentsOf,
  folder,
  keepTidy,
  recordsOf,
  run,
  scratch,
  slowly,
  start,
  stateOf,
  until,
} from '../durability/at-work.ts';
import { levelHere } from './hostile-run.ts';

keepTidy();

const { level, problem } = levelHere();
const isMissing = level === 'none' && process.env['CI'] !== 'true';
const env = { PAWL_SANDBOX: '' };
const plan = ['change', 'plan', run, 'Greet people'];

describe.skipIf(isMissing)(
  `X3, B2: edits beside a reader in a sandbox (needs files; here: ${problem ?? level})`,
  () => {
    test('after Ctrl-C they are kept, and nobody is asked', async () => {
      const change = scratch([slowly(propose())]);
      const work = start(change, plan, { env });
      await until(
        'the planner is at work',
        () => stateOf(change)?.open !== null && agentsOf(change.repository).length > 0,
      );
      change.repository.write('README.md', '# Edited meanwhile\n');
      work.child.kill('SIGINT');
      expect((await work.ended).code).toBe(130);
      expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
      change.script(planned);
      expect((await change.change('plan', run, '--accept-sandbox')).code).toBe(0);
    });

    test('while it works they are kept, and its report does not count', async () => {
      const change = scratch([{ ...propose(), sleep_ms: 3_000 }, ...planned]);
      const work = start(change, plan, { env });
      await until(
        'the planner is at work',
        () => stateOf(change)?.open !== null && agentsOf(change.repository).length > 0,
      );
      change.repository.write('README.md', '# Edited meanwhile\n');
      const { code, stderr } = await work.ended;
      expect(code, stderr).toBe(0);
      expect(stderr).toContain('files changed while the planner, which may change none, was judging them (README.md)');
      expect(change.repository.read('README.md')).toBe('# Edited meanwhile\n');
      const signals = recordsOf(change).flatMap((record) => (record.type === 'moved' ? [record.signal] : []));
      expect(signals).toContain('out_of_bounds');
    });

    test('[trial 2 B1] a plan edited while the reviewer works: no verdict counts before the edit is accepted', async () => {
      const change = scratch(planned);
      expect((await change.change('plan', run, 'Greet people')).code).toBe(0);
      const turns = [...planned, implement()];
      change.script([...turns, { ...review('APPROVED'), sleep_ms: 3_000 }]);
      const work = start(change, ['change', 'impl', run], { env });
      await until(
        'the reviewer is at work',
        () => stateOf(change)?.open?.started.step === 'review' && agentsOf(change.repository).length > 0,
      );
      const spec = `${folder}/specs/greeting.md`;
      change.repository.write(spec, `${change.repository.read(spec)}\nEdited meanwhile.\n`);
      const { code, stdout } = await work.ended;
      expect([code, JSON.parse(stdout).next], stdout).toEqual([4, `pawl change impl ${run} --accept-edits`]);
      change.script([...turns, { role: 'reviewer' }, review('APPROVED')]);
      expect((await change.change('impl', run, '--accept-edits', '--accept-sandbox')).json['phase']).toBe('complete');
    });
  },
);
