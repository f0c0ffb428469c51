/** What agents and checks leave in the git directory: rows of the attack table, without a sandbox. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { implement, planned, review, type ChangeRepository, type Turn } from '../change/scripts.ts';
import {
  copyOf,
  hanging,
  keepTidy,
  killAll,
  recordsOf,
  run,
  scratch,
  startUntil,
  until,
} from '../durability/at-work.ts';

keepTidy();

const tools = {
  hook: 'printf "#!/bin/sh\\nevil\\n" > .git/hooks/post-commit && chmod +x .git/hooks/post-commit',
  config: 'git config alias.st "!evil" && git config include.path evil && git config core.fsmonitor ./evil',
  info: 'echo "src/" >> .git/info/exclude && echo "* filter=evil" > .git/info/attributes',
  head: 'git symbolic-ref HEAD refs/heads/evil',
  link: 'mkdir ../evil && mv .git/hooks ../evil/hooks && ln -s ../../evil/hooks .git/hooks',
  gone: 'rm .git/hooks/pre-push .git/config',
  folder: 'rm -r .git/info && echo evil > .git/info',
  commit: `git add --all && git -c user.name=a -c user.email=b commit --quiet --message=mine && git branch evil
git update-ref refs/remotes/origin/evil HEAD && git pack-refs --all`,
};
const tool = (name: keyof typeof tools): string => `sh tools/${name}.sh`;
const at = (turn: Turn, ...names: (keyof typeof tools)[]): Turn => ({ ...turn, run: names.map(tool) });

let approved: ChangeRepository;
beforeAll(async () => {
  approved = scratch(planned);
  const { repository } = approved;
  for (const [name, script] of Object.entries(tools)) repository.write(`tools/${name}.sh`, `${script}\n`);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=tools');
  mkdirSync(join(repository.root, '.git/hooks'), { recursive: true });
  writeFileSync(join(repository.root, '.git/hooks/pre-push'), '#!/bin/sh\n', { mode: 0o755 });
  expect((await approved.change('plan', run, 'Greet people')).code).toBe(0);
});

/** Everything that steers git, with modes. Samples of hooks do not. */
function steering({ repository: { root } }: ChangeRepository): Readonly<Record<string, string>> {
  const hooks = readdirSync(join(root, '.git/hooks')).flatMap((name) =>
    name.endsWith('.sample') ? [] : [`hooks/${name}`],
  );
  const info = readdirSync(join(root, '.git/info')).map((name) => `info/${name}`);
  const shown = (name: string): [string, string] => {
    const file = join(root, '.git', name);
    return [name, `${(statSync(file).mode & 0o111) > 0} ${readFileSync(file, 'utf8')}`];
  };
  return Object.fromEntries(['config', 'HEAD', ...hooks, ...info].map(shown));
}

const faults = (change: ChangeRepository): readonly string[] =>
  recordsOf(change).flatMap((record) =>
    record.type === 'moved' && record.signal === 'out_of_bounds' ? [record.from] : [],
  );

const patchOf = ({ repository }: ChangeRepository, folder: string): string => {
  const base = join(repository.runFolder('change', run), folder);
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('git.patch'));
  return files.map((name) => readFileSync(join(base, name), 'utf8')).join('');
};

describe.concurrent('what an agent changes in the git directory is put back, and its report does not count', () => {
  test.each<[title: string, names: (keyof typeof tools)[]]>([
    ['attack 1.16: a hook', ['hook']],
    ['attack 1.16: a link in place of the hooks', ['link']],
    ['attack 1.16: a hook and the configuration are gone', ['gone']],
    ['attack 1.31: aliases, includes and programs in the configuration', ['config']],
    ['attack 1.31: excludes and attributes', ['info']],
    ['attack 1.31: a file in place of a folder', ['folder']],
    ['attack 1.31: HEAD', ['head']],
  ])('%s', async (_, names) => {
    for (const turns of [
      [at(implement(), ...names), implement(), review('APPROVED')],
      [implement(), at(review('APPROVED'), ...names), review('APPROVED')],
    ]) {
      const change = copyOf(approved, [...planned, ...turns]);
      const before = steering(change);
      const impl = await change.change('impl', run);
      expect(impl.code, impl.stderr).toBe(0);
      expect(faults(change)).toHaveLength(1);
      expect(steering(change)).toEqual(before);
      expect(patchOf(change, 'dispatches')).toContain('diff --git');
      expect(impl.stderr).toMatch(/put back what the \w+ may not change: \.git\//);
    }
  });
});

test.concurrent('attack 1.16: an implementer may commit, and nobody’s refs are taken away', async () => {
  const change = copyOf(approved, [...planned, at(implement(), 'commit'), review('APPROVED')]);
  const { repository } = change;
  const head = repository.git('rev-parse', 'HEAD');
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(faults(change)).toEqual([]);
  expect(repository.git('rev-parse', 'HEAD')).not.toBe(head);
  expect(repository.git('rev-parse', 'evil', 'refs/remotes/origin/evil')).toContain(
    repository.git('rev-parse', 'HEAD'),
  );
  expect(impl.stderr).toContain('refs changed while the implementer was working: refs/heads/evil (before: none)');
  expect(impl.stderr).not.toContain('refs/heads/main');
});

test.concurrent('attack 1.16, 1.31: what a check changes in the git directory is put back', async () => {
  const change = copyOf(approved, [...planned, implement(), review('APPROVED')]);
  const { repository } = change;
  const both = JSON.stringify(['sh', '-c', `${tool('hook')}; ${tool('config')}`]);
  repository.write('agentd/config.toml', `[workflow]\nretry_delay_secs = 0\n[checks]\ntest = ${both}\n`);
  const before = steering(change);
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(impl.stderr).toContain('put back what the check may not change: .git/config, .git/hooks/post-commit');
  expect(steering(change)).toEqual(before);
  expect(patchOf(change, 'checks')).toContain('+evil');
});

test.concurrent('attack 1.16, 1.31: after a kill it is put back as well, and what a person changed since is not', async () => {
  const change = copyOf(approved, [...planned, hanging(at(implement(), 'hook')), implement(), review('APPROVED')]);
  const { repository } = change;
  const before = steering(change);
  const work = await startUntil(change, ['change', 'impl', run], {
    step: 'implement',
    more: () => repository.exists('.git/hooks/post-commit'),
  });
  await killAll(change, work);
  const killed = Date.now();
  await until('the grace for last words is over', () => Date.now() > killed + 3_000);
  repository.git('config', 'user.signingkey', 'mine');
  change.script([...planned, implement(), review('APPROVED')]);
  const resumed = await repository.pawl(['resume', run]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const { config, ...rest } = steering(change);
  expect({ ...rest, config: before['config'] }).toEqual(before);
  expect(config).toContain('signingkey = mine');
});

test.concurrent('attack 1.16, 1.31: the same in a worktree, with the branch that Pawl made for it', async () => {
  const change = scratch([...planned]);
  const { repository } = change;
  for (const [name, script] of Object.entries(tools)) repository.write(`tools/${name}.sh`, `${script}\n`);
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=tools');
  const plan = await change.change('plan', run, 'Greet people', '--worktree');
  expect(plan.code, plan.stderr).toBe(0);
  const [folder = ''] = readdirSync(join(repository.root, '.git/worktrees'));
  const read = (name: string): string => readFileSync(join(repository.root, '.git', name), 'utf8');
  const branch = read(`worktrees/${folder}/HEAD`).slice('ref: '.length).trim();
  const own = ['config', `worktrees/${folder}/HEAD`, `worktrees/${folder}/commondir`];
  const before = own.map(read);
  const tip = repository.git('rev-parse', branch);
  const evil = [
    `git update-ref ${branch} HEAD~1`,
    'git config core.hooksPath evil',
    'git symbolic-ref HEAD refs/heads/evil',
    `sh -c 'echo ../evil > "$(git rev-parse --git-dir)/commondir"'`,
  ];
  change.script([...planned, implement(), { ...review('APPROVED'), run: evil }, review('APPROVED')]);
  const impl = await change.change('impl', run);
  expect(impl.code, impl.stderr).toBe(0);
  expect(faults(change)).toEqual(['review']);
  expect(own.map(read)).toEqual(before);
  expect(repository.git('rev-parse', branch)).toBe(tip);
});
