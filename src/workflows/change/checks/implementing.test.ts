import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileView } from '../../workflow.ts';
import { configPath } from '../../workflow-config.ts';
import { readConfig } from '../config.ts';
import { ChangeFixture } from '../change.fixture.ts';
import { localChecks } from '../../project-checks.ts';
import { noGit } from '../../no-git.fixture.ts';
import { implementingChecks } from './implementing.ts';

function filesOf(files: Readonly<Record<string, string>>): FileView {
  return {
    read: (path) => files[path],
    exists: (path) => Object.keys(files).some((each) => each === path || each.startsWith(`${path}/`)),
    list: () => Object.keys(files).filter((path) => !path.includes('/')),
  };
}

function found(files: Readonly<Record<string, string>>, settings = ''): string[] {
  const { config } = readConfig({ read: (path) => (path === configPath ? settings : undefined) });
  return localChecks(filesOf(files), config.checks.commands).map(
    ({ name, command }) => `${name}: ${command?.join(' ') ?? 'none'}`,
  );
}

const scripts = (...names: readonly string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, 'x'])) });

test.each([
  ['package.json', { 'package.json': scripts('test', 'lint') }, ['test: npm test', 'lint: npm run lint']],
  // [D17] What uses the network runs only when it is configured.
  [
    'package-lock.json',
    { 'package.json': scripts('typecheck'), 'package-lock.json': '{}' },
    ['typecheck: npm run typecheck'],
  ],
  [
    "npm init's test script",
    { 'package.json': JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) },
    ['test: none'],
  ],
  ['a package.json without scripts', { 'package.json': '{"scripts": null}' }, []],
  ['a broken package.json', { 'package.json': '{' }, []],
  ['pyproject.toml', { 'pyproject.toml': '' }, ['test: pytest -q']],
  [
    'pyproject.toml with tools',
    { 'pyproject.toml': '[tool.mypy]\n[tool.ruff]\n' },
    ['test: pytest -q', 'typecheck: mypy .', 'lint: ruff check .'],
  ],
  ['setup.py', { 'setup.py': '', 'setup.cfg': '[mypy]\n' }, ['test: pytest -q', 'typecheck: mypy .']],
  ['requirements.txt', { 'requirements.txt': '', 'ruff.toml': '' }, ['test: pytest -q', 'lint: ruff check .']],
  ['Cargo.toml', { 'Cargo.toml': '' }, ['test: cargo test', 'typecheck: cargo check']],
  ['go.mod', { 'go.mod': '' }, ['test: go test ./...', 'typecheck: go vet ./...']],
  ['pom.xml', { 'pom.xml': '' }, ['test: mvn -q test']],
  ['gradlew', { gradlew: '', 'build.gradle.kts': '' }, ['test: ./gradlew test']],
  ['build.gradle', { 'build.gradle': '' }, ['test: gradle test']],
  ['build.gradle.kts', { 'build.gradle.kts': '' }, ['test: gradle test']],
  ['Gemfile with rspec', { Gemfile: '', 'spec/a_spec.rb': '' }, ['test: bundle exec rspec']],
  [
    'Gemfile with rake and rubocop',
    { Gemfile: '', Rakefile: '', '.rubocop.yml': '' },
    ['test: bundle exec rake test', 'lint: bundle exec rubocop'],
  ],
  ['Gemfile alone', { Gemfile: '' }, []],
  ['a solution', { 'Shop.sln': '', 'Shop.csproj': '' }, ['test: dotnet test']],
  ['an F# project', { 'Shop.fsproj': '' }, ['test: dotnet test']],
  [
    'Makefile',
    { Makefile: 'CC := gcc\ntest: build\n\tgo\nlint:\n\tgo\naudit:\n\tgo\n' },
    ['test: make test', 'lint: make lint'],
  ],
  ['Makefile with check', { Makefile: '.PHONY: check\ncheck :\n\tgo\n' }, ['test: make check']],
  [
    'Makefile beside npm',
    { Makefile: 'test:\n\tnpm test\nlint:\n\tgo\n', 'package.json': scripts('test') },
    ['test: npm test', 'lint: make lint'],
  ],
  [
    'two toolchains',
    { 'package.json': scripts('test'), 'go.mod': '' },
    ['test: npm test', 'test: go test ./...', 'typecheck: go vet ./...'],
  ],
  ['nothing', { 'README.md': '' }, []],
])(
  '[D17] [change/checks/before-every-review] [change/checks/network-only-when-configured] found by marker files: %s',
  (_, files, checks) => {
    expect(found(files)).toEqual(checks);
  },
);

test('[change/checks/before-every-review] the configuration wins over marker files, and switches checks off', () => {
  const files = { 'package.json': scripts('test', 'lint', 'typecheck') };
  expect(found(files, '[checks]\ntest = ["make", "test"]\nlint = false\n')).toEqual([
    'test: make test',
    'typecheck: npm run typecheck',
  ]);
});

test('every check but the audit is required', () => {
  const read = (path: string) => (path === configPath ? '[checks]\naudit = "cargo-audit audit"\n' : undefined);
  const { config } = readConfig({ read });
  const checks = localChecks(filesOf({ 'Cargo.toml': '' }), config.checks.commands);
  expect(checks.map(({ name, required }) => [name, required])).toEqual([
    ['test', true],
    ['audit', false],
    ['typecheck', true],
  ]);
});

test('runs a program that is not installed in the development shell that has it', async () => {
  const bin = await mkdtemp(join(tmpdir(), 'pawl-nix-'));
  const program = async (path: string, text: string) => {
    await mkdir(dirname(join(bin, path)), { recursive: true });
    await writeFile(join(bin, path), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  };
  await program('bin/nix', `shift 2\nPATH="${bin}/shell:$PATH" exec "$@"`);
  await program('shell/only-in-shell', 'echo "$@"; exit 0');
  const exec = (command: readonly string[]) => {
    const [file = '', ...args] = command;
    const env = { PATH: `${bin}/bin:${process.env['PATH']}` };
    const { status, error, stdout } = spawnSync(file, args, { env, encoding: 'utf8' });
    const missing = error !== undefined;
    return Promise.resolve({ command, exitCode: status, timedOut: false, missing, output: stdout, outputFile: 'log' });
  };
  const flake = '{ outputs = _: { devShells.default = null; }; }';
  const notes = async (command: string, flakeText: string) => {
    const settings = `[checks]\ntest = ["${command}", "all"]\n`;
    const change = new ChangeFixture({ [configPath]: settings, 'flake.nix': flakeText });
    const none = () => Promise.resolve([]);
    const text = () => Promise.resolve('');
    const context = {
      ...change.context({ step: 'run_checks' }),
      exec,
      git: noGit,
      isConfined: () => Promise.resolve(false),
      changedFiles: none,
      treeDigest: text,
      diff: text,
    };
    return (await implementingChecks.run_checks({ ...context, watch: () => Promise.resolve(none) })).notes;
  };
  expect(await notes('only-in-shell', flake)).toEqual(['test: passed']);
  expect(await notes('nowhere', flake)).toEqual(['test: not available (nowhere all is not installed)']);
  expect(await notes('only-in-shell', '# devShells\n{ }')).toEqual([
    'test: not available (only-in-shell all is not installed)',
  ]);
  await rm(bin, { recursive: true });
});
