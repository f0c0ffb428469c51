import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { machineWith } from '../launched.fixture.ts';
import { knownAgents, type KnownStart } from './known-agents.ts';

const servers = { wanted: { command: 'wanted' }, unwanted: { command: 'unwanted' } };
const files = {
  '.claude.json': JSON.stringify({ mcpServers: servers }),
  '.codex/config.toml':
    '[mcp_servers.wanted]\nurl = "http://127.0.0.1:1"\nbearer_token_env_var = "WANTED_TOKEN"\n[mcp_servers.unwanted]\ncommand = "unwanted"\n',
  '.config/opencode/opencode.jsonc': `{ "mcp": ${JSON.stringify(servers)} } // mine`,
  '.copilot/mcp-config.json': JSON.stringify({ mcpServers: servers }),
};

/** How an agent is started by a user who has two servers and allows one. */
function started(
  agent: string,
  { command = [agent], access }: { command?: readonly string[]; access?: 'read' | 'write' } = {},
) {
  const { options, request } = machineWith('1.0.0', files);
  const { environment } = options({ environment: { WANTED_TOKEN: 'w', UNWANTED_TOKEN: 'u' } });
  const dispatch = request({ access: access ?? 'read' });
  const start: KnownStart = knownAgents[agent]?.start(dispatch, { command, mcp: ['wanted'], environment }) ?? {};
  return { ...start, request: dispatch };
}

test('Claude has exactly its servers from a file that only its owner can read', () => {
  const { meta, hasTools, request } = started('claude');
  const file = join(request.folder, 'mcp.json');
  expect(meta).toMatchObject({ claudeCode: { options: { strictMcpConfig: true, extraArgs: { 'mcp-config': file } } } });
  expect(hasTools).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    mcpServers: {
      wanted: { command: 'wanted' },
      pawl: {
        type: 'http',
        url: request.tools.url,
        headers: { Authorization: `Bearer ${request.tools.token}` },
        alwaysLoad: true,
      },
    },
  });
});

test('Codex has ours from its configuration, with the token from a variable; others are off in every session', () => {
  const { env = {}, hasTools } = started('codex');
  expect(hasTools).toBe(true);
  expect(JSON.parse(env['CODEX_CONFIG'] ?? '{}')['mcp_servers']).toEqual({
    wanted: { default_tools_approval_mode: 'approve', enabled: true },
    unwanted: { enabled: false },
    pawl: {
      url: 'http://127.0.0.1:4021/mcp',
      bearer_token_env_var: 'PAWL_TOOL_TOKEN',
      required: true,
      default_tools_approval_mode: 'approve',
      enabled: true,
    },
  });
  expect(env).toMatchObject({ PAWL_TOOL_TOKEN: 'token-nobody-may-see', WANTED_TOKEN: 'w' });
  expect(env).not.toHaveProperty('UNWANTED_TOKEN');
  expect(env).not.toHaveProperty('CODEX_PATH');
});

test('the Codex that comes with codex-acp is started without them too', () => {
  const folder = machineWith('1.0.0').home;
  const [bridge, codex] = ['dist/index.js', 'node_modules/@openai/codex/bin/codex.js'].map((path) =>
    join(folder, path),
  );
  for (const [path = '', text] of [
    [bridge, ''],
    [codex, '#!/bin/sh\necho "$@"\n'],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o755 });
  }
  const { env = {} } = started('codex', { command: [bridge ?? ''] });
  const said = execFileSync(env['CODEX_PATH'] ?? '', ['app-server', 'a b'], { encoding: 'utf8' });
  expect(said).toBe('app-server a b -c mcp_servers.unwanted.enabled=false\n');
});

test('Gemini is told which servers count, OpenCode and Copilot which do not', () => {
  expect(started('gemini').args).toEqual(['--allowed-mcp-server-names=pawl,wanted']);
  const content: unknown = JSON.parse(started('opencode').env?.['OPENCODE_CONFIG_CONTENT'] ?? '{}');
  expect(content).toMatchObject({ mcp: { unwanted: { enabled: false } } });
  expect(content).not.toHaveProperty('mcp.wanted');
  expect(started('copilot').args).toEqual([
    '--disable-builtin-mcps',
    '--disable-mcp-server=unwanted',
    '--deny-tool=write',
    '--deny-tool=shell',
  ]);
  expect(started('copilot', { access: 'write' }).args).not.toContain('--deny-tool=write');
});
