import { expect, test } from 'vitest';
import { buildCommands, devShell, testRuns } from './toolchains.ts';
import type { FileView } from './workflow.ts';

function filesOf(files: Readonly<Record<string, string>>): FileView {
  return {
    read: (path) => files[path],
    exists: (path) => path in files,
    list: () => Object.keys(files),
  };
}

const script = (test: string) => filesOf({ 'package.json': JSON.stringify({ scripts: { test } }) });

test.each([
  ['vitest', 'npm test --silent -- --run --reporter=junit', 'junit'],
  ['vitest run src', 'npm test --silent -- --run --reporter=junit', 'junit'],
  ['jest --ci', 'npm test --silent -- --json', 'jest'],
  ['node --test', 'node --test-reporter=tap --test', 'node'],
  ['node --import tsx --test "src/a.test.ts"', 'node --test-reporter=tap --import tsx --test src/a.test.ts', 'node'],
  // Only a shell expands these.
  ['node --test test/*.test.js', 'npm test', 'node'],
  ['node --test --test-reporter=dot', 'npm test', 'node'],
  ['tsc && vitest run', 'npm test', null],
  ['FORCE_COLOR=1 jest', 'npm test', null],
  ['node build.js', 'npm test', null],
  ['mocha', 'npm test', null],
])('the tests of the script %j', (text, command, format) => {
  expect(testRuns(script(text)).map((run) => [run.command.join(' '), run.format])).toEqual([[command, format]]);
});

test.each([
  [{ 'Cargo.toml': '' }, ['cargo test --no-fail-fast: cargo']],
  [{ 'go.mod': '' }, ['go test ./...: null']],
  [{ Makefile: 'check:\n\tgo\n' }, ['make check: null']],
  [
    { 'package.json': '{"scripts": {"test": "jest"}}', 'Cargo.toml': '' },
    ['npm test --silent -- --json: jest', 'cargo test --no-fail-fast: cargo'],
  ],
  [{ 'package.json': '{}' }, []],
  [{ 'package.json': '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}' }, []],
])('the tests of %j', (files, runs) => {
  expect(testRuns(filesOf(files)).map(({ command, format }) => `${command.join(' ')}: ${format}`)).toEqual(runs);
});

test('Python without pytest has unittest', () => {
  const [run] = testRuns(filesOf({ 'setup.py': '' }));
  expect([run?.command[0], run?.format, run?.otherwise?.command.slice(0, 3), run?.otherwise?.format]).toEqual([
    'pytest',
    'pytest',
    ['python3', '-m', 'unittest'],
    'unittest',
  ]);
});

test.each([
  [{ 'Cargo.toml': '' }, ['cargo check']],
  [{ 'package.json': '{"scripts": {"typecheck": "x"}}', 'tsconfig.json': '{}' }, ['npm run typecheck']],
  [{ 'package.json': '{}', 'tsconfig.json': '{}' }, ['npx --no-install --offline tsc --noEmit']],
  [{ 'package.json': '{}' }, []],
  [{ 'pyproject.toml': '[tool.mypy]\n' }, ['mypy .']],
])('building %j', (files, commands) => {
  expect(buildCommands(filesOf(files)).map((command) => command.join(' '))).toEqual(commands);
});

test.each([
  ['{ outputs = { devShells.x.default = 1; }; }', true],
  ['{ outputs = { devShell.x = 1; }; }', true],
  ['{ outputs = { packages.x = 1; }; }', false],
  ['# devShells\n/* devShell\n */\n{ }', false],
])('the development shell of %j: %s', (flake, has) => {
  expect(devShell(filesOf({ 'flake.nix': flake }))).toEqual(has ? ['nix', 'develop', '-c'] : []);
});
