/** The real agents from npm, in a cache outside of the repository. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { npmEnv } from '../npm-env.ts';

/** Exact versions: npm would silently take older ones on Node 20. */
const packages: Readonly<Record<string, string>> = {
  node: 'node@24.21.0',
  claude: '@anthropic-ai/claude-code@2.1.325',
  codex: '@openai/codex@0.166.0',
  gemini: '@google/gemini-cli@0.61.0',
  opencode: 'opencode-ai@1.18.33',
  copilot: '@github/copilot@1.0.102',
  'claude-acp': '@agentclientprotocol/claude-agent-acp@0.99.0',
  'codex-acp': '@agentclientprotocol/codex-acp@2.6.0',
};

const cache = process.env['PAWL_AGENTS_CACHE'] ?? join(homedir(), '.cache', 'pawl-agents');

export function isInstalled(agent: string): boolean {
  return existsSync(binOf(agent));
}

function binOf(agent: string): string {
  return join(cache, agent, 'node_modules', '.bin');
}

/** The folder with an agent's program, installed when it is not there yet. */
export function installed(agent: keyof typeof packages): string {
  const folder = join(cache, agent);
  const bin = binOf(agent);
  if (!isInstalled(agent)) {
    mkdirSync(folder, { recursive: true });
    const spec = packages[agent];
    if (spec === undefined) throw new Error(`there is no package for ${agent}`);
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, spec], {
      stdio: 'ignore',
      env: npmEnv,
    });
  }
  return bin;
}

/** A PATH with the agents' programs in front, and a newer Node for those that need one. */
export function pathWith(...agents: readonly string[]): string {
  return [...agents, 'node']
    .map(installed)
    .concat(process.env['PATH'] ?? '')
    .join(':');
}
