import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge, onlyLooks, optionFor, type Rights } from './permissions.ts';

let folder: string;
let workspace: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-permissions-'));
  workspace = join(folder, 'repo');
  mkdirSync(join(workspace, 'src'), { recursive: true });
  mkdirSync(join(folder, 'outside'));
  symlinkSync(join(folder, 'outside'), join(workspace, 'out'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

function may(
  access: Rights['access'],
  call: Readonly<Record<string, unknown>>,
  servers: readonly string[] = [],
): boolean {
  return judge(call, { access, workspace, servers: ['pawl', ...servers] }).allowed;
}

/** As each agent was seen to name a tool of ours. */
describe('our tools are known', () => {
  test.each([
    ['claude', { kind: 'other', name: 'mcp__pawl__create_review', title: 'mcp__pawl__create_review', rawInput: {} }],
    [
      'codex',
      { kind: 'execute', title: 'mcp.pawl.create_review', rawInput: { server: 'pawl', tool: 'create_review' } },
    ],
    ['gemini', { toolCallId: 'mcp_pawl_create_review__1', title: 'create_review (pawl MCP Server)' }],
    ['opencode', { kind: 'other', title: 'pawl_create_review' }],
    ['copilot', { kind: 'other', title: 'create_review', firstTitle: 'pawl-create_review' }],
  ])('%s', (_agent, call) => {
    expect([may('read', call), may('write', call)]).toEqual([true, true]);
  });

  test.each([
    ['of another server', { kind: 'other', title: 'mcp__github__push' }],
    ['of a server whose name begins so', { kind: 'other', title: 'mcp__pawlx__push' }],
    ['that only mentions it', { kind: 'other', title: 'delete everything of pawl-create' }],
    ['a command that is called so', { kind: 'execute', title: 'pawl-create', rawInput: { command: 'pawl-create' } }],
    ['an edit of a file that is called so', { kind: 'edit', title: 'pawl-a', locations: [{ path: 'pawl-a' }] }],
    ['without a name', {}],
  ])('not one %s', (_what, call) => {
    expect(may('read', call)).toBe(false);
  });

  test('servers the user named are allowed too', () => {
    const call = { kind: 'other', title: 'mcp__docs.v2__search' };
    expect([may('read', call), may('read', call, ['docs.v2'])]).toEqual([false, true]);
  });
});

test.each(['read', 'search', 'think'])('everybody may %s', (kind) => {
  expect(may('read', { kind })).toBe(true);
});

test.each(['edit', 'delete', 'move'])('only who writes may %s', (kind) => {
  const call = { kind, locations: [{ path: join(workspace, 'src/a.ts') }] };
  expect([may('read', call), may('write', call)]).toEqual([false, true]);
});

test.each([
  ['an absolute path', { locations: [{ path: '/etc/passwd' }] }],
  ['a way up', { rawInput: { file_path: '../outside/a' } }],
  ['a link', { content: [{ type: 'diff', path: 'out/a.ts' }] }],
  ['one of several', { rawInput: { changes: { 'src/a.ts': {}, '/tmp/b': {} } } }],
  ['what belongs to git', { locations: [{ path: '.git/hooks/pre-commit' }] }],
])('nobody edits outside of the workspace: %s', (_what, call) => {
  expect(may('write', { kind: 'edit', ...call })).toBe(false);
});

test('commands: who writes may run any in the workspace, who reads those that only look', () => {
  const command = (line: unknown, cwd = workspace) => ({ kind: 'execute', rawInput: { command: line, cwd } });
  expect(may('write', command('npm test'))).toBe(true);
  expect(may('write', command('npm test', '/'))).toBe(false);
  expect(may('read', command('npm test'))).toBe(false);
  expect(may('read', command('cat a.ts'))).toBe(true);
  expect(may('read', command(['bash', '-lc', 'ls src']))).toBe(true);
  expect(may('read', command(['bash', '-lc', 'ls > a']))).toBe(false);
  expect(may('read', { kind: 'execute', title: 'ls' })).toBe(false);
});

test.each(['cat a.ts', 'grep -rn needle src', 'ls -la'])('%s only looks', (line) => {
  expect(onlyLooks(line)).toBe(true);
});

test.each([
  'git commit -am x',
  // 2.22: quoted, an option does not look like one.
  `git log -1 '--format=x' '--output=a.ts'`,
  'git diff --output=a.ts',
  'git status',
  'git diff --out a.ts',
  'git log --ext-diff',
  'git -c core.pager=x log',
  'cat a > b',
  'cat a; rm a',
  'cat $(touch b)',
  'cat `touch b`',
  'ls && rm a',
  'ls\nrm a',
  'find . -delete',
  'sed -i s/a/b/ a',
  '',
])('%j may write', (line) => {
  expect(onlyLooks(line)).toBe(false);
});

test('neither the network nor another mode is for a reader', () => {
  expect([may('read', { kind: 'fetch' }), may('write', { kind: 'fetch' })]).toEqual([false, true]);
  expect(may('write', { kind: 'switch_mode' })).toBe(false);
});

test('of several options the one for this once is taken', () => {
  const options = ['allow_always', 'allow_once', 'reject_always', 'reject_once'].map((kind) => ({
    kind,
    optionId: kind,
  }));
  expect(optionFor({ allowed: true }, options)).toBe('allow_once');
  expect(optionFor({ allowed: false, why: '' }, options)).toBe('reject_once');
  expect(optionFor({ allowed: false, why: '' }, options.slice(0, 2))).toBeUndefined();
  expect(optionFor({ allowed: true }, 'nonsense')).toBeUndefined();
});

test('a role whose commands are limited runs only those, and no shell around them [issue/roles/commands]', () => {
  const runs = (command: unknown): boolean => {
    const rights = { access: 'write', commands: ['cargo test', 'npm run'], workspace, servers: [] } as const;
    return judge({ kind: 'execute', rawInput: { command } }, rights).allowed;
  };
  const lines = ['cargo test', 'cargo  test --lib', ['bash', '-lc', 'npm run build'], 'ls src'];
  expect(lines.map(runs)).toEqual([true, true, true, true]);
  const others = [
    'cargo testing',
    'cargo install x',
    'cargo test; rm -rf .',
    'git push',
    ['bash', '-lc', 'npm run a && curl b'],
  ];
  expect(others.map(runs)).toEqual([false, false, false, false, false]);
});
