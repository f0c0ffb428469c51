/** Whether an agent has a login, as far as files and variables tell. Nothing is read or contacted. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentOptions } from './agent-options.ts';
import { homeOf } from './vendors.ts';

interface LoginPlace {
  /** Variables that hold a key, or tell where one is. */
  readonly variables: readonly string[];
  /** Files that a login leaves, in the folder of `home` or beneath the user's own. */
  readonly files: readonly string[];
  readonly home?: readonly [variable: string, usual: string];
}

const places: Readonly<Record<string, LoginPlace>> = {
  claude: {
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    home: ['CLAUDE_CONFIG_DIR', '.claude'],
    files: ['.credentials.json'],
  },
  codex: { variables: ['OPENAI_API_KEY', 'CODEX_API_KEY'], home: ['CODEX_HOME', '.codex'], files: ['auth.json'] },
  gemini: { variables: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'], files: ['.gemini/oauth_creds.json'] },
  opencode: { variables: ['OPENCODE_API_KEY'], files: ['.local/share/opencode/auth.json'] },
  copilot: { variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'], files: [] },
};

/** Where a login was found: a variable or a file; null where none was, which a keychain or another provider may explain. */
export function loginOf(agent: string, environment: AgentOptions['environment'] = process.env): string | null {
  const place = Object.hasOwn(places, agent) ? places[agent] : undefined;
  if (!place) return null;
  const { variables, files, home: [variable, usual] = ['', ''] } = place;
  const folder = environment[variable] ?? join(homeOf(environment), usual);
  return variables.find((name) => environment[name]) ?? files.find((file) => existsSync(join(folder, file))) ?? null;
}
