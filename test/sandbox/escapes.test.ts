/**
 * Agents and checks that really try to get out of their box, as root and as a user without privileges: no test here
 * passes because of the permissions of files.
 */

import { afterEach, describe, expect, test } from 'vitest';
import { HostileRun, levelHere, secret, users } from './hostile-run.ts';

const { level, problem } = levelHere();
const isMissing = level !== 'files+network' && process.env['CI'] !== 'true';
const runs: HostileRun[] = [];
afterEach(() => runs.splice(0).forEach((run) => run.close()));

async function begin(...args: Parameters<typeof HostileRun.create>): Promise<HostileRun> {
  const run = await HostileRun.create(...args);
  runs.push(run);
  return run;
}

/** What a box refuses to everybody. Where a write only reaches a folder that is empty in the box, `changed` tells. */
const refused = {
  'write a system folder': /EROFS|EACCES/,
  'write a hook': /EROFS/,
  'write the git configuration': /EROFS/,
  'move main': /EROFS/,
  'replace the git folder': /EBUSY|EROFS/,
  'put an answer into the inbox': /ENOENT/,
  'write the index of snapshots': /ENOENT/,
  'read the variables of a process outside': /ENOENT|EACCES/,
  'read a private key': /ENOENT/,
  'read the login of another vendor': /ENOENT/,
  'signal a process outside': /ESRCH|EPERM/,
  'see a process outside': /none/,
  'reach a socket of this computer': /ENOENT/,
};
/** What a box refuses to a role that only reads. */
const refusedToReaders = {
  'write the workspace': /EROFS/,
  'write a file that git ignores': /EROFS/,
  'write a file and take it back': /EROFS/,
};
const withoutNetwork = {
  'reach a server of this computer': /ECONNREFUSED/,
  'reach it through the proxy': /403/,
};

function expectRefused(outcomes: Readonly<Record<string, string>>, expected: Readonly<Record<string, RegExp>>): void {
  expect(Object.keys(outcomes).length).toBeGreaterThan(10);
  for (const [attack, outcome] of Object.entries(expected)) expect(outcomes[attack], attack).toMatch(outcome);
  expect(JSON.stringify(outcomes)).not.toContain(secret);
}

/** What the attacks below amount to: in Pawl's folder or git's, by a process left behind, or by a role that only reads. */
const rows = [
  'attack 1.4, 1.8, 1.9, 1.10, 1.13, 1.14, 1.15, 1.16, 1.18, 1.31, 2.5, 2.24, 3.13',
  'attack 1.3, 1.7, 1.29, 1.32, 2.15',
  'attack 2.1, 2.2, 2.3, 2.4, 2.6, 2.25, 2.26, 2.27, 2.28',
].join(', ');

describe.skipIf(isMissing)(
  `escapes from a box [H5] (${rows}; needs files+network; here: ${level}, ${problem ?? 'complete'})`,
  () => {
    test.each(users)('as %s: a role that only reads, a role that writes, and a check', async (user) => {
      const run = await begin(user);
      const plan = await run.change('plan', 'Greet people by name');
      expect(plan.code, plan.stderr + plan.stdout).toBe(0);
      expect(plan.stderr + plan.stdout).toMatch(/sandbox +files\+network/);
      const reader = run.outcomesOf(1);
      expectRefused(reader, { ...refused, ...refusedToReaders, ...withoutNetwork });
      expect(reader['link the own output elsewhere']).toMatch(/EBUSY|EROFS/);
      expect(run.repository.exists('src/planted.mjs')).toBe(false);
      expect(plan.stderr + plan.stdout).toMatch(/the sandbox denied scripted the network: .*"127\.0\.0\.1:\d+"/);

      const impl = await run.change('impl');
      expect(impl.code, impl.stderr + impl.stdout).toBe(0);
      expectRefused(run.outcomesOf(5), { ...refused, ...withoutNetwork, 'write the workspace': /done/ });
      expectRefused(run.outcomesOfCheck(), { ...refused, ...withoutNetwork, 'write the workspace': /done/ });

      expect(run.journal()).not.toContain('planted\n');
      expect(run.changed()).toEqual([]);
      expect(run.bystanderLives()).toBe(true);
      // The daemons had no time to be ended by anything but their box.
      expect(run.daemons()).toEqual([]);
      const levels = run.records().flatMap((record) => (record.type === 'dispatch.started' ? [record.sandbox] : []));
      expect(new Set(levels)).toEqual(new Set(['files+network']));
    });

    test('with [network] allow = ["*"] the level is files: the network is open, the rest is not', async () => {
      const run = await begin('this user', '[network]\nallow = ["*"]\n');
      const plan = await run.change('plan', 'Greet people by name');
      expect(plan.code, plan.stderr).toBe(0);
      expect(plan.stderr + plan.stdout).toMatch(/sandbox +files \(/);
      expectRefused(run.outcomesOf(1), { ...refused, 'reach a server of this computer': /done/ });
      expect(run.changed()).toEqual([]);
      expect(run.daemons()).toEqual([]);
    });

    test('a later command at a lower level is refused until a person accepts it, which is recorded', async () => {
      const run = await begin('this user');
      await run.change('plan', 'Greet people by name');
      const config = run.repository.read('pawl.toml');
      run.repository.write('pawl.toml', `${config}\n[network]\nallow = ["*"]\n`);
      const before = run.records().length;
      const refused = await run.change('impl');
      expect([refused.code, run.records().length], refused.stderr).toEqual([4, before]);
      expect(refused.stderr).toContain('the sandbox of this run was files+network before, and is files now');
      expect(refused.stderr).toContain('--accept-sandbox');
      const accepted = await run.change('impl', '--accept-sandbox');
      const kept = run.records().slice(before);
      expect(kept.length, accepted.stderr).toBeGreaterThan(0);
      expect(kept[0]).toMatchObject({
        type: 'sandbox.lowered',
        from: 'files+network',
        to: 'files',
        by: { how: 'flag' },
      });
      expect(kept.find(({ type }) => type === 'dispatch.started')).toMatchObject({ sandbox: 'files' });
      // What was accepted once is not asked again; a higher level is never asked about.
      const again = await run.change('impl');
      expect(again.stderr).not.toContain('--accept-sandbox');
      run.repository.write('pawl.toml', config);
      expect((await run.change('impl')).stderr).not.toContain('--accept-sandbox');
    });

    test('with sandbox = "require" no flag lowers it', async () => {
      const run = await begin('this user');
      await run.change('plan', 'Greet people by name');
      const config = run.repository.read('pawl.toml');
      run.repository.write('pawl.toml', `sandbox = "require"\n${config}\n[network]\nallow = ["*"]\n`);
      const before = run.records().length;
      const impl = await run.change('impl', '--accept-sandbox');
      expect(impl.stderr).toContain('was files+network before, and is files now');
      expect([impl.code, run.records().length]).toEqual([4, before]);
    });
  },
);

test('without a box the same attacks succeed: the tests above can fail', async () => {
  const run = await begin('this user');
  const outcomes = await run.attackWithoutBox();
  const kept = Object.keys(refused).filter((attack) => outcomes[attack] !== 'done' && outcomes[attack] !== secret);
  expect(kept).toEqual([]);
  expect(outcomes['reach a server of this computer']).toBe('done');
  expect(run.repository.exists('git-elsewhere/pawl/change/greet/lease.99')).toBe(true);
  expect(run.changed()).toHaveLength(5);
  expect(run.daemons()).toHaveLength(1);
});

test.skipIf(isMissing)('where user namespaces are forbidden, doctor says why there is no sandbox', () => {
  // As it is in a box of our own: none can be made inside.
  const outer = [
    'bwrap',
    '--unshare-user',
    '--disable-userns',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
  ];
  const inner = levelHere(outer);
  expect(inner.level).toBe('none');
  expect(inner.problem).toMatch(/^bubblewrap cannot start here: bwrap: /);
});

test('sandbox = "require" starts nothing without one, whatever the environment says', async () => {
  const run = await begin('this user', 'sandbox = "require"\n');
  const plan = await run.repository.pawl(
    ['change', 'plan', 'greet', 'Greet people by name', '--agent', 'scripted', '--no-input'],
    { env: { PAWL_SANDBOX: 'off' } },
  );
  expect(plan.code).toBe(69);
  expect(plan.stderr).toContain('sandbox = "require" demands the level files+network, and this computer has none');
  expect(run.records().some(({ type }) => type === 'dispatch.started')).toBe(false);
});
