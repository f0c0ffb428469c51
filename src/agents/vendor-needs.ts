/** What the vendors' programs need of the computer, whichever driver starts them: their own folders, and their hosts. */

import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { orElse } from '../workspace/files.ts';
import type { AgentNeeds } from './agent.ts';
import type { AgentOptions } from './agent-options.ts';
import { inner, texts } from './json-line.ts';
import { programPath } from './program.ts';
import { codexConfig, codexProvider, opencodeProviderUrls } from './vendors.ts';

type Environment = AgentOptions['environment'];

const anthropic = ['api.anthropic.com', 'platform.claude.com', 'console.anthropic.com', 'claude.ai'];
const openai = ['api.openai.com', 'auth.openai.com', 'chatgpt.com'];
const google = ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'];
const others = 'opencode.ai models.dev openrouter.ai api.mistral.ai api.deepseek.com api.groq.com api.x.ai'.split(' ');

/** `write` are made where they are missing, as the program itself would: what it keeps there outlives the sandbox. */
const vendors: Readonly<Record<string, (environment: Environment, home: string) => Required<AgentNeeds>>> = {
  claude: (environment, home) => {
    const own = environment['CLAUDE_CONFIG_DIR'];
    const cloud = cloudNeeds(environment, home, { aws: 'CLAUDE_CODE_USE_BEDROCK', google: 'CLAUDE_CODE_USE_VERTEX' });
    const folder = own ?? join(home, '.claude');
    return {
      read: [join(folder, 'plugins'), ...cloud.read],
      write: [folder],
      settings: inFolder(folder, 'settings.json settings.local.json hooks commands agents skills CLAUDE.md'),
      // Its login is elsewhere; servers that it starts are in here.
      copies: [own === undefined ? join(home, '.claude.json') : join(own, '.claude.json')],
      hosts: [...anthropic, ...cloud.hosts],
    };
  },
  codex: (environment, home) => {
    const user = codexConfig(environment);
    const url = texts(inner(user, 'model_providers', codexProvider(user))['base_url']);
    const folder = environment['CODEX_HOME'] ?? join(home, '.codex');
    return {
      read: [join(home, '.agents')],
      write: [folder],
      settings: inFolder(folder, 'config.toml hooks.json AGENTS.md AGENTS.override.md prompts rules'),
      copies: [],
      hosts: [...openai, ...(url === null ? [] : [url])],
    };
  },
  gemini: (environment, home) => {
    const user = environment['GEMINI_CLI_HOME'] ?? home;
    const cloud = cloudNeeds(environment, home, { google: 'GOOGLE_GENAI_USE_VERTEXAI' });
    const read = [join(user, '.env'), join(user, '.agents'), ...cloud.read];
    const folder = join(user, '.gemini');
    const settings = inFolder(folder, 'settings.json .env GEMINI.md extensions commands policies hooks skills');
    return { read, write: [folder], settings, copies: [], hosts: [...google, ...cloud.hosts] };
  },
  opencode: (environment, home) => {
    const at = (variable: string, usual: string): string =>
      join(environment[variable] ?? join(home, usual), 'opencode');
    const { OPENCODE_CONFIG, OPENCODE_CONFIG_DIR } = environment;
    const configured = [OPENCODE_CONFIG, OPENCODE_CONFIG_DIR].filter((path) => path !== undefined);
    return {
      read: [join(home, '.agents'), ...configured],
      write: [
        at('XDG_CONFIG_HOME', '.config'),
        at('XDG_DATA_HOME', '.local/share'),
        at('XDG_STATE_HOME', '.local/state'),
        at('XDG_CACHE_HOME', '.cache'),
        join(home, '.opencode'),
      ],
      settings: [at('XDG_CONFIG_HOME', '.config'), join(home, '.opencode')].flatMap((folder) =>
        inFolder(
          folder,
          'config.json opencode.json opencode.jsonc AGENTS.md plugin plugins command commands agent agents',
        ),
      ),
      copies: [],
      hosts: [...anthropic, ...openai, ...google, ...others, ...opencodeProviderUrls(environment)],
    };
  },
  copilot: (environment, home) => ({
    read: [],
    write: [copilotFolder(environment, home), join(environment['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'copilot')],
    settings: inFolder(copilotFolder(environment, home), 'mcp-config.json hooks agents skills copilot-instructions.md'),
    copies: [],
    hosts: ['api.github.com', 'github.com', 'api.githubcopilot.com', '*.githubcopilot.com'],
  }),
};

const nothing: Required<AgentNeeds> = { read: [], write: [], settings: [], copies: [], hosts: [] };

function inFolder(folder: string, names: string): readonly string[] {
  return names.split(' ').map((name) => join(folder, name));
}

function copilotFolder(environment: Environment, home: string): string {
  return environment['COPILOT_HOME'] ?? join(home, '.copilot');
}

/** Of the program of an agent, by the agent's name: of one that is no vendor's only the program is known. */
export function neededBy(agent: string, command: readonly string[], environment: Environment): Required<AgentNeeds> {
  const needs = Object.hasOwn(vendors, agent) ? vendors[agent] : undefined;
  const found = needs?.(environment, homeOf(environment)) ?? nothing;
  for (const folder of found.write) orElse(undefined, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  return { ...found, read: [...found.read, ...placesOf(command, environment)] };
}

/** Where the files of a configured command are: its program, and paths among its words. */
function placesOf([program = '', ...args]: readonly string[], environment: Environment): readonly string[] {
  const home = homeOf(environment);
  const holdsHome = (folder: string): boolean => !relative(folder, home).startsWith('..');
  const found = programPath(program, environment['PATH']);
  return [...(found === null ? [] : [found]), ...args.filter(isAbsolute)].flatMap((path) => {
    const packages = path.indexOf('/node_modules/');
    const around = packages === -1 ? dirname(path) : path.slice(0, packages + '/node_modules'.length);
    return holdsHome(around) ? [path] : [path, around];
  });
}

function homeOf(environment: Environment): string {
  return environment['HOME'] ?? homedir();
}

/** Credentials of a cloud, where the agent is configured to use it. */
function cloudNeeds(environment: Environment, home: string, uses: { readonly aws?: string; readonly google: string }) {
  const isOn = (name: string | undefined): boolean =>
    name !== undefined && /^(?:1|true)$/i.test(environment[name] ?? '');
  const region = environment['AWS_REGION'] ?? environment['AWS_DEFAULT_REGION'] ?? 'us-east-1';
  const aws = ['bedrock', 'bedrock-runtime', 'sts', 'oidc', 'portal.sso'].map(
    (name) => `${name}.${region}.amazonaws.com`,
  );
  const key = environment['GOOGLE_APPLICATION_CREDENTIALS'];
  const vertex = ['*.googleapis.com'];
  return {
    read: [
      ...(isOn(uses.aws) ? [join(home, '.aws')] : []),
      ...(isOn(uses.google) ? [join(home, '.config/gcloud'), ...(key === undefined ? [] : [key])] : []),
    ],
    hosts: [...(isOn(uses.aws) ? aws : []), ...(isOn(uses.google) ? vertex : [])],
  };
}
