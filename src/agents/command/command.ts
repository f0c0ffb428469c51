/**
 * Any program, as it is configured: the prompt on its standard input or in a file, the report by MCP or as a fenced block
 * of JSON on its standard output.
 *
 * It runs under a runner of ours, beside this file, that files the block through the tool server and asks again when the
 * report is refused. Nothing is known about the program: its permissions are its own business, so a sandbox is advised.
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AgentUnavailable, type Agent, type DispatchRequest, type Launch } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { eventLines } from '../event-lines.ts';
import type { Handover } from './handover.ts';

const passedOn = ['HTTPS_PROXY', 'HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

export interface CommandAgentOptions extends AgentOptions {
  readonly name: string;
  /** Path of `command-runner.js`. */
  readonly runner: string;
}

export function createAgent(options: AgentOptions, name: string): Promise<Agent> {
  const runner = fileURLToPath(new URL('./command-runner.js', import.meta.url));
  return Promise.resolve(commandAgent({ ...options, name, runner }));
}

/** Throws AgentUnavailable. */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { name, command, runner, environment } = options;
  const [program] = command ?? [];
  if (command === null || program === undefined)
    throw new AgentUnavailable(
      `${name}: which program? Say so in the configuration: [${name}] command = ["my-agent", "--file", "{prompt_file}"]`,
    );
  if (!existsSync(runner))
    throw new AgentUnavailable(
      `the runner of ${name} is missing: there is no ${runner}. Install Pawl again, or build it.`,
    );
  if (!isThere(program, environment['PATH']))
    throw new AgentUnavailable(`${name}: ${program} is not installed, or not in the PATH`);
  const env = chosenEnv(environment, [...passedOn, ...(options.env ?? [])]);
  return { name, launch: (request) => launch(request, { command, runner, env }) };
}

/** A path is looked up from the workspace, which is known only later. */
function isThere(program: string, path = ''): boolean {
  if (program.includes('/')) return true;
  return path.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, program)));
}

interface Start {
  readonly command: readonly string[];
  readonly runner: string;
  readonly env: Readonly<Record<string, string>>;
}

function launch({ folder, tools, model, prompt, role }: DispatchRequest, { command, runner, env }: Start): Launch {
  const file = join(folder, 'command.json');
  const handover: Handover = { command, folder };
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(handover), { mode: 0o600 });
  return {
    command: process.execPath,
    args: [runner, file],
    env: {
      ...env,
      PAWL_MCP_URL: tools.url,
      PAWL_MCP_TOKEN: tools.token,
      PAWL_ROLE: role,
      ...(model !== null && { PAWL_MODEL: model }),
    },
    stdin: prompt,
    output: eventLines(),
  };
}
