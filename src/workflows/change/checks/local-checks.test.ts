import { expect, test } from 'vitest';
import type { FileView } from '../../workflow.ts';
import { configPath } from '../../workflow-config.ts';
import { readConfig } from '../config.ts';
import { localChecks } from './implementing.ts';

function filesOf(files: Readonly<Record<string, string>>): FileView {
  return {
    read: (path) => files[path],
    exists: (path) => Object.hasOwn(files, path),
    list: () => Object.keys(files),
  };
}

function found(files: Readonly<Record<string, string>>, settings = ''): string[] {
  const { config } = readConfig({ read: (path) => (path === configPath ? settings : undefined) });
  return localChecks(filesOf(files), config.checks.commands).map(
    ({ name, command }) => `${name}: ${command.join(' ')}`,
  );
}

const scripts = (...names: readonly string[]): string =>
  JSON.stringify({ scripts: Object.fromEntries(names.map((name) => [name, 'x'])) });

test.each([
  ['package.json', { 'package.json': scripts('test', 'lint') }, ['test: npm test', 'lint: npm run lint']],
  [
    'package-lock.json',
    { 'package.json': scripts('typecheck'), 'package-lock.json': '{}' },
    ['audit: npm audit', 'typecheck: npm run typecheck'],
  ],
  ['a package.json without scripts', { 'package.json': '{"scripts": null}' }, []],
  ['a broken package.json', { 'package.json': '{' }, []],
  ['pyproject.toml', { 'pyproject.toml': '' }, ['test: pytest -q', 'audit: pip-audit', 'lint: ruff check .']],
  [
    'pyproject.toml with mypy',
    { 'pyproject.toml': '[tool.mypy]\n' },
    ['test: pytest -q', 'audit: pip-audit', 'typecheck: mypy .', 'lint: ruff check .'],
  ],
  ['Cargo.toml', { 'Cargo.toml': '' }, ['test: cargo test', 'audit: cargo-audit audit', 'typecheck: cargo check']],
  ['go.mod', { 'go.mod': '' }, ['test: go test ./...', 'audit: govulncheck ./...', 'typecheck: go vet ./...']],
  ['pom.xml', { 'pom.xml': '' }, ['test: mvn -q test']],
  ['gradlew', { gradlew: '' }, ['test: ./gradlew test']],
  [
    'two toolchains',
    { 'package.json': scripts('test'), 'go.mod': '' },
    ['test: npm test', 'test: go test ./...', 'audit: govulncheck ./...', 'typecheck: go vet ./...'],
  ],
  ['nothing', { 'README.md': '' }, []],
])('[change/checks/before-every-review] found by marker files: %s', (_, files, checks) => {
  expect(found(files)).toEqual(checks);
});

test('[change/checks/before-every-review] the configuration wins over marker files, and switches checks off', () => {
  const files = { 'package.json': scripts('test', 'lint', 'typecheck') };
  expect(found(files, '[checks]\ntest = ["make", "test"]\nlint = false\n')).toEqual([
    'test: make test',
    'typecheck: npm run typecheck',
  ]);
});

test('every check but the audit is required', () => {
  const { config } = readConfig({ read: () => undefined });
  const checks = localChecks(filesOf({ 'Cargo.toml': '' }), config.checks.commands);
  expect(checks.map(({ name, required }) => [name, required])).toEqual([
    ['test', true],
    ['audit', false],
    ['typecheck', true],
  ]);
});
