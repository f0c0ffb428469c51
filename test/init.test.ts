/** `pawl init` in real repositories. */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { program } from './change/scripts.ts';
import { noTerminal, Terminal } from './terminal/terminal.ts';
import { WarmRepository } from './warm-repository.ts';

const settings = '.claude/settings.json';
const skill = '.claude/skills/pawl-change/SKILL.md';

let repository: WarmRepository;
beforeEach(() => {
  repository = WarmRepository.create(program, {
    'package.json': '{"scripts": {"test": "node --test"}}',
    'package-lock.json': '{}',
  });
  return () => repository.remove();
});

/** With these agents installed. */
function init(args: readonly string[], { agents = ['claude'], cwd }: { agents?: string[]; cwd?: string } = {}) {
  const bin = join(repository.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const agent of agents) writeFileSync(join(bin, agent), '');
  const path = `${bin}:/usr/bin:/bin`;
  return repository.pawl(['init', ...args], { env: { PATH: path }, ...(cwd !== undefined && { cwd }) });
}

async function document(...args: string[]): Promise<Record<string, any>> {
  const { stdout } = await init([...args, '--json']);
  return JSON.parse(stdout) as Record<string, any>;
}

/** Every file and link with its content, git's own aside. */
function snapshot(folder = repository.root, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => name !== '.git')
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) return Object.entries(snapshot(path, `${prefix}${entry.name}/`));
        return [[prefix + entry.name, entry.isFile() ? readFileSync(path, 'utf8') : 'link']];
      }),
  );
}

describe('init', () => {
  test('sets up the installed agents, tells what it found, and changes nothing the second time', async () => {
    const ran = await init([], { agents: ['claude', 'gemini'] });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('Project  JavaScript, npm, test');
    expect(ran.stdout).toContain('Agents   claude, gemini');
    const files = snapshot();
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(['pawl.toml', settings, skill, '.gemini/commands/pawl-change.toml']),
    );
    expect(Object.keys(files).filter((path) => /^\.(?:agents|opencode|github)\//.test(path))).toEqual([]);
    expect(files['pawl.toml']).toContain('# setup = ["npm", "ci"]');
    const again = await init([], { agents: ['claude', 'gemini'] });
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('Nothing to be written.')]);
    expect(snapshot()).toEqual(files);
    expect(readdirSync(repository.home).filter((name) => name !== '.config' && name !== '.local')).toEqual([]);
  });

  test('tells a program the same', async () => {
    const told = await document('--tools', 'claude,codex', '--workflows', 'change');
    expect(told).toMatchObject({
      action: 'written',
      tools: ['claude', 'codex'],
      workflows: ['change'],
      found: {
        languages: ['JavaScript'],
        packageManager: 'npm',
        checks: { test: ['npm', 'test'] },
        agents: ['claude'],
      },
      next: 'pawl doctor',
    });
    expect(told['files']).toEqual(
      ['pawl.toml', skill, '.agents/skills/pawl-change/SKILL.md', settings].map((path) => ({
        path,
        action: 'create',
        why: null,
      })),
    );
  });

  test('works in a folder below, with every tool or none', async () => {
    mkdirSync(join(repository.root, 'src'));
    const below = await init(['--tools', 'none'], { cwd: join(repository.root, 'src') });
    expect([below.code, below.stdout]).toEqual([0, expect.stringMatching(/^In .*\/repo\n/)]);
    expect(Object.keys(snapshot()).toSorted()).toEqual(['package-lock.json', 'package.json', 'pawl.toml']);
    expect((await init(['--tools', 'all'])).code).toBe(0);
    for (const folder of ['.claude', '.agents', '.opencode', '.github', '.gemini'])
      expect(repository.exists(folder), folder).toBe(true);
  });

  test('writes nothing in a dry run', async () => {
    const before = snapshot();
    const ran = await init(['--dry-run']);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(`Would be written\n  + pawl.toml\n`)]);
    expect(snapshot()).toEqual(before);
  });
});

describe('files that are there', () => {
  const mine = '{\n  "model": "opus"\n}\n';

  test('are changed after a diff and a yes; without a person nothing is written', async () => {
    repository.write(settings, mine);
    const before = snapshot();
    const refused = await init([]);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('fix: pawl init --yes')]);
    expect(refused.stderr).toContain('+  "hooks": {');
    expect(snapshot()).toEqual(before);
    const dry = await init(['--dry-run']);
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('+  "hooks": {')]);
    expect((await init(['--yes'])).code).toBe(0);
    expect(JSON.parse(repository.read(settings))).toMatchObject({ model: 'opus', hooks: { SessionStart: [{}] } });
    expect((await init([])).stdout).toContain('Nothing to be written.');
    expect((await init(['--remove', '--yes'])).code).toBe(0);
    expect(snapshot()).toEqual(before);
  });

  test('are kept where Pawl did not write them, or somebody edited them', async () => {
    repository.write(skill, 'mine');
    repository.write('pawl.toml', 'retry_delay_secs = 1\n');
    const ran = await init([]);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(`! ${skill} is kept: Pawl did not write it`)]);
    expect([repository.read(skill), repository.read('pawl.toml')]).toEqual(['mine', 'retry_delay_secs = 1\n']);
    const other = '.claude/skills/pawl-issue/SKILL.md';
    const edited = repository.read(other).replace('Pawl runs', 'Somebody runs');
    repository.write(other, edited);
    const removed = await init(['--remove', '--yes']);
    expect([removed.code, removed.stdout]).toEqual([0, expect.stringContaining(`! ${other} is kept: it was edited`)]);
    expect(
      Object.keys(snapshot())
        .filter((path) => /^\.claude|^pawl/.test(path))
        .toSorted(),
    ).toEqual([other, skill, 'pawl.toml'].toSorted());
    expect(repository.read(other)).toBe(edited);
  });

  test('are not reached through links', async () => {
    const outside = join(repository.folder, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(repository.root, '.claude'));
    symlinkSync(join(outside, 'pawl.toml'), join(repository.root, 'pawl.toml'));
    mkdirSync(join(repository.root, '.gemini'));
    symlinkSync('../package.json', join(repository.root, '.gemini/commands'));
    const ran = await init(['--tools', 'claude,gemini', '--yes']);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stdout).toContain('pawl.toml is kept: it is a symlink');
    expect(ran.stdout).toContain(`${skill} is kept: .claude is a symlink`);
    expect(readdirSync(outside)).toEqual([]);
    expect(lstatSync(join(repository.root, 'pawl.toml')).isSymbolicLink()).toBe(true);
    expect((await init(['--remove', '--yes'])).code).toBe(0);
    expect(readdirSync(outside)).toEqual([]);
  });

  test('are kept where a folder or file stands in the place of ours', async () => {
    mkdirSync(join(repository.root, '.gemini/commands/pawl-session.toml'), { recursive: true });
    writeFileSync(join(repository.root, '.agents'), 'a file in the place of a folder');
    const before = snapshot();
    const ran = await init(['--tools', 'codex,gemini']);
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining('is kept: .agents is not a folder')]);
    expect(ran.stdout).toContain('pawl-session.toml is kept: it is not a file');
    expect(repository.exists('.gemini/commands/pawl-change.toml')).toBe(true);
    expect((await init(['--remove', '--yes'])).code).toBe(0);
    expect(snapshot()).toEqual(before);
  });
});

test.skipIf(noTerminal !== null).each([
  ['no', 3],
  ['yes', 0],
])('at a terminal the diff is shown and the answer counts: %s', async (answer, code) => {
  repository.write(settings, '{\n  "model": "opus"\n}\n');
  const before = snapshot();
  const terminal = Terminal.pawl(repository, ['init', '--tools', 'claude']);
  onTestFinished(() => terminal.kill());
  await terminal.shows('Change these files?');
  await terminal.shows('+  "hooks": {');
  await terminal.shows('Your answer');
  terminal.type(`${answer}\n`);
  expect(await terminal.ended).toBe(code);
  if (answer === 'no') expect(snapshot()).toEqual(before);
  else expect(repository.exists(skill)).toBe(true);
});

describe('remove', () => {
  test('takes away exactly what init wrote, folders included', async () => {
    const before = snapshot();
    expect((await init(['--tools', 'all'])).code).toBe(0);
    const refused = await init(['--remove']);
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('fix: pawl init --remove --yes')]);
    const removed = await document('--remove', '--yes');
    expect(removed).toMatchObject({ action: 'removed', next: null });
    expect(snapshot()).toEqual(before);
    expect(readdirSync(repository.root).toSorted()).toEqual(['.git', 'package-lock.json', 'package.json']);
    expect((await init(['--remove'])).stdout).toBe('Nothing to be removed.\n');
  });

  test('of some tools leaves the others', async () => {
    await init(['--tools', 'all']);
    expect((await init(['--remove', '--tools', 'claude', '--yes'])).code).toBe(0);
    expect([repository.exists('.claude'), repository.exists('.agents'), repository.exists('pawl.toml')]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test.each([
  [['--tools', 'claud'], 'unknown tool "claud"; did you mean claude?'],
  [['--tools', 'claude,,codex'], 'is not a list of names separated by commas'],
  [['--workflows', 'chnage'], 'unknown workflow "chnage"; did you mean change?'],
  [['--remove', '--workflows', 'change'], '--remove takes no --workflows'],
  [['--toolz', 'all'], 'unknown flag "--toolz"; did you mean --tools?'],
  [['now'], 'pawl init does not take "now"'],
])('a mistake is one clear error, and nothing is written: %j', async (args, message) => {
  const before = snapshot();
  const ran = await init(args);
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(snapshot()).toEqual(before);
});

test('outside of a repository there is nothing to set up', async () => {
  const outside = join(repository.folder, 'outside');
  mkdirSync(outside);
  const ran = await init([], { cwd: outside });
  expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('fix: git init')]);
  expect(existsSync(join(outside, 'pawl.toml'))).toBe(false);
});

test('an agent that Pawl started may not set up anything', async () => {
  const ran = await repository.pawl(['init', '--yes'], { env: { PAWL_DISPATCH: 'x' } });
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('an agent may not set up a repository')]);
});

test('the guide does what it says', async () => {
  const guide = readFileSync(new URL('../docs/guides/coding-agents.md', import.meta.url), 'utf8');
  const commands = [...guide.matchAll(/^\$ pawl init (.*)$/gm)].map(([, words = '']) => words.split(' '));
  const before = snapshot();
  const files: number[] = [];
  for (const words of commands) {
    const ran = await init(words);
    expect(ran.code, ran.stderr).toBe(0);
    files.push(Object.keys(snapshot()).length - Object.keys(before).length);
  }
  expect(files).toEqual([0, expect.any(Number), 0]);
  expect(files[1]).toBeGreaterThan(20);
  expect(snapshot()).toEqual(before);
});
