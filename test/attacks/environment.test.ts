/** What agents and checks see of the user's secrets, and what other users see of Pawl's: rows of the attack table. */

import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { config, implemented, planned, program } from '../change/scripts.ts';
import { keepTidy, run, scratch } from '../durability/at-work.ts';

keepTidy();

const secrets = {
  ANTHROPIC_API_KEY: 'secret-anthropic',
  OPENAI_API_KEY: 'secret-openai',
  GITHUB_TOKEN: 'secret-github',
  NPM_TOKEN: 'secret-npm',
  SSH_AUTH_SOCK: '/secret/agent',
  DATABASE_URL: 'secret://database',
  AWS_SECRET_ACCESS_KEY: 'secret-aws',
};

/** Writes down its variables, and which of them stand on the command line of any process. */
const spy = `
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
const lines = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => {
  try { return readFileSync('/proc/' + pid + '/cmdline', 'utf8'); } catch { return ''; }
});
const shown = Object.entries(process.env)
  .filter(([name, value]) => /TOKEN|KEY/.test(name) && lines.some((line) => line.includes(value)));
writeFileSync(process.argv[2], JSON.stringify({ env: process.env, shown, processes: lines.length }));
`;

/** A user that owns nothing. */
const nobody = 65_534;

test('attack 4.1, 4.4, 4.5: agents and checks see only what is theirs, and others nothing', () => {
  const roles = ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'];
  const change = scratch(
    [...planned, ...implemented],
    config.replace('["node", "-e", "0"]', '["node", "../spy.mjs", "../check.json"]'),
  );
  const { repository, scriptFile } = change;
  writeFileSync(join(repository.folder, 'spy.mjs'), spy);
  const pawl = (args: readonly string[]) => {
    const words = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, program, ...args, '--no-input'];
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: repository.home,
      PAWL_SANDBOX: 'off',
      PAWL_TRUST: '1',
      ...secrets,
    };
    return spawnSync('sh', words, { cwd: repository.root, env, encoding: 'utf8' });
  };
  const scripted = ['--agent', 'scripted', '--script', scriptFile];
  expect(pawl(['change', 'plan', run, 'Greet people', ...scripted]).status).toBe(0);
  expect(pawl(['change', 'impl', run, ...scripted]).status).toBe(0);

  const mine = `retry_delay_secs = 0\n[change]\nscript_retries = 0\n[roles]\n${roles.map((role) => `${role} = "mine"`).join('\n')}`;
  const command = '[mine]\ncommand = ["node", "../spy.mjs", "../agent.json"]\nenv = ["OPENAI_API_KEY"]\n';
  repository.write('pawl.toml', `${mine}\n${command}`);
  pawl(['change', 'plan', 'other', 'Something else', '--share-tree']);

  for (const [file, allowed] of [
    ['check.json', []],
    ['agent.json', ['OPENAI_API_KEY']],
  ] as const) {
    const path = join(repository.folder, file);
    expect(existsSync(path), file).toBe(true);
    const { env, shown, processes } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, any>;
    expect(Object.keys(secrets).filter((name) => name in env)).toEqual(allowed);
    expect(processes).toBeGreaterThan(2);
    expect(shown).toEqual([]);
    expect('PAWL_MCP_TOKEN' in env).toBe(file === 'agent.json');
  }
  const own = join(repository.root, '.git/pawl');
  expect(statSync(own).mode & 0o777).toBe(0o700);
  if (process.getuid?.() !== 0) return;
  // Root reads everything, and can be somebody who may not; the folders above are opened, so that only Pawl's own is left.
  for (const path of [repository.folder, repository.root, join(repository.root, '.git')]) chmodSync(path, 0o755);
  const reading = (path: string): number | null =>
    spawnSync('ls', [path], { uid: nobody, gid: nobody, stdio: 'ignore' }).status;
  expect([reading(join(own, '..')) === 0, reading(own) === 0]).toEqual([true, false]);
});
