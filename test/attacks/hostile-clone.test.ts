/** What a cloned repository may not do before a person trusts it: rows of the attack table. */

import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ChangeRepository } from '../change/scripts.ts';

const made: ChangeRepository[] = [];
afterAll(() => made.forEach(({ repository }) => repository.remove()));

/** Leaves a file where anything of the repository ran. */
const trap = (folder: string): string => `touch ${folder}/sprung\n`;

function clone(config: string): ChangeRepository {
  const change = ChangeRepository.create([], '');
  made.push(change);
  const { repository } = change;
  const { folder, root } = repository;
  repository.write('pawl.toml', config);
  repository.write('tools/agent.sh', `#!/bin/sh\n${trap(folder)}echo "1.2.3 $GITHUB_TOKEN"\n`);
  repository.write(
    'tools/list.ts',
    `import { writeFileSync } from 'node:fs';
writeFileSync(${JSON.stringify(join(folder, 'sprung'))}, '');
export default {};
`,
  );
  chmodSync(join(root, 'tools/agent.sh'), 0o755);
  repository.git('add', '-A');
  repository.git('commit', '-qm', 'a trap');
  return change;
}

const isSprung = ({ repository }: ChangeRepository): boolean => existsSync(join(repository.folder, 'sprung'));
const bare = { PAWL_TRUST: '', GITHUB_TOKEN: 'secret' };

const withAgent = '[roles]\nplanner = "mine"\n[mine]\ncommand = ["tools/agent.sh"]\nenv = ["GITHUB_TOKEN"]\n';
const withCode = 'workflows = ["tools/list.ts"]\n';

describe.concurrent('nothing of an untrusted repository runs', () => {
  test.each<[row: string, config: string, args: readonly string[]]>([
    ['attack 5.1', withAgent, ['doctor']],
    ['attack 5.2', withCode, ['verify']],
    ['attack 5.3', withCode, ['list']],
    ['attack 5.3', withCode, ['list', '--help']],
    ['attack 5.3', withCode, ['show', 'list']],
    ...[['runs'], ['change', 'list'], ['change', 'status', 'x'], ['session', 'list'], ['log', 'x'], ['--help']].map(
      (args): [string, string, readonly string[]] => ['attack 5.6', `${withCode}${withAgent}`, args],
    ),
    ['attack 5.4', withAgent, ['change', 'plan', 'x', 'Something']],
    ['attack 5.5', 'notify = "tools/agent.sh"\n', ['change', 'plan', 'x', 'Something', '--agent', 'scripted']],
    ['attack 5.5', '[worktree]\nsetup = "tools/agent.sh"\n', ['change', 'plan', 'x', 'Something', '--worktree']],
    ['attack 5.5', '[checks]\ntest = "tools/agent.sh"\n', ['change', 'lean', 'x', 'Something', '--agent', 'scripted']],
  ])('%s: %s%j', async (_, config, args) => {
    const change = clone(config);
    const ran = await change.repository.pawl(args, { env: bare });
    expect(isSprung(change), ran.stdout + ran.stderr).toBe(false);
    expect(change.repository.exists('agentd/changes')).toBe(false);
  });

  test('work is refused with what would run, what it would see, and what to do', async () => {
    const change = clone(withAgent);
    const ran = await change.repository.pawl(['change', 'plan', 'x', 'Something'], { env: bare });
    expect(ran.code).toBe(3);
    for (const part of ['pawl.toml: mine.command', 'tools/agent.sh', 'GITHUB_TOKEN', 'fix: pawl trust'])
      expect(ran.stderr).toContain(part);
    expect(ran.stderr).not.toContain('secret');
  });

  test('attack 5.5, audit 12.1: tests that Pawl finds by itself are listed and asked for, and do not run', async () => {
    const change = clone('');
    const { repository } = change;
    const test = `touch ${repository.folder}/sprung`;
    repository.write('package.json', JSON.stringify({ scripts: { test } }));
    const lean = ['change', 'lean', 'x', 'Something', '--agent', 'scripted'];
    const refused = await repository.pawl(lean, { env: bare });
    expect([refused.code, isSprung(change)]).toEqual([3, false]);
    expect(refused.stderr).toContain(`npm test: ${test}`);
    expect(refused.stderr).toContain('fix: pawl trust');
    expect((await repository.pawl(['trust', '--yes'], { env: bare })).code).toBe(0);
    // T3.
    repository.write('package.json', JSON.stringify({ scripts: { test: `${test} || true` } }));
    expect((await repository.pawl(lean, { env: bare })).stderr).not.toContain('trusted');
    repository.write('package.json', JSON.stringify({ scripts: { test, lint: test } }));
    const again = await repository.pawl(lean, { env: bare });
    expect(again.stderr).toMatch(/\+ +check +npm run lint: /);
    expect(again.stderr).not.toContain('npm test');
  });

  test('attack 5.10: a program in a folder of the repository is not taken for an agent', async () => {
    const change = clone('');
    const { repository } = change;
    const bin = join(repository.root, 'node_modules/.bin');
    mkdirSync(bin, { recursive: true });
    for (const name of ['codex', 'claude', 'gemini']) {
      repository.write(`node_modules/.bin/${name}`, repository.read('tools/agent.sh'));
      chmodSync(join(bin, name), 0o755);
    }
    const env = { ...bare, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
    await repository.pawl(['doctor'], { env });
    await repository.pawl(['change', 'plan', 'x', 'Something'], { env });
    expect(isSprung(change)).toBe(false);
  });
});

describe.concurrent('pawl trust', () => {
  test('is asked for again, with the difference, when anything changes that would run', async () => {
    const { repository } = clone(withAgent);
    const doctor = async (): Promise<unknown> =>
      JSON.parse((await repository.pawl(['doctor', '--json'], { env: bare })).stdout).trusted;
    expect((await repository.pawl(['trust'], { env: bare })).code).toBe(3);
    expect((await repository.pawl(['trust', '--yes'], { env: bare })).code).toBe(0);
    expect(await doctor()).toBe(true);
    for (const [path, content] of [
      ['pawl.toml', `${withAgent}# only a remark\n[budget]\ncost_usd = 3\n`],
      ['README.md', 'nothing that runs\n'],
    ] as const) {
      repository.write(path, content);
      expect(await doctor(), path).toBe(true);
    }
    repository.write('tools/agent.sh', '#!/bin/sh\necho other\n');
    expect(await doctor()).toBe(false);
    const refused = await repository.pawl(['trust'], { env: bare });
    expect(refused.stderr).toContain('tools/agent.sh');
    expect(refused.stderr).not.toContain('mine.env');
    expect((await repository.pawl(['trust', '--forget'], { env: bare })).code).toBe(0);
    repository.git('checkout', '-q', '--', 'tools/agent.sh');
    expect(await doctor()).toBe(false);
  });

  test('T4: is kept in the user’s own folder, for nobody else to read', async () => {
    const { repository } = clone(withAgent);
    await repository.pawl(['trust', '--yes'], { env: { ...bare, XDG_CONFIG_HOME: join(repository.folder, 'own') } });
    const folder = join(repository.folder, 'own/pawl/trusted');
    const { readdirSync, statSync } = await import('node:fs');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({ trusted: [expect.any(String)] });
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  test('--trust and PAWL_TRUST=1 hold for one command; an agent may use neither', async () => {
    const { repository } = clone('[roles]\nplanner = "scripted"\n');
    const plan = ['change', 'plan', 'x', 'Something', '--agent', 'scripted'];
    const outer = { CLAUDECODE: '1' };
    expect((await repository.pawl([...plan, '--trust'], { env: { ...bare, ...outer } })).code).toBe(4);
    expect((await repository.pawl(plan.slice(0, 4), { env: { ...outer, PAWL_TRUST: '1' } })).code).toBe(3);
    expect((await repository.pawl(['trust', '--yes'], { env: { ...bare, ...outer } })).code).toBe(4);
    expect((await repository.pawl([...plan, '--trust'], { env: bare })).code).toBe(0);
    expect((await repository.pawl(['change', 'impl', 'x', '--agent', 'scripted'], { env: bare })).code).toBe(3);
  });
});
