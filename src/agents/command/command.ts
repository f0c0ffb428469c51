/**
 * Any program, as it is configured: the prompt on its standard input or in a file, the report by MCP or as a fenced block
 * of JSON on its standard output.
 *
 * It runs under a runner of ours, beside this file, that files the block through the tool server and asks again when the
 * report is refused. Nothing is known about the program: its permissions are its own business, so a sandbox is advised.
 */

import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Infer } from '../../schema/schema.ts';
import { AgentUnavailable, type Agent } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { launchOwn, requireProgram } from '../own-program.ts';
import { programPath } from '../program.ts';
import { neededBy } from '../vendor-needs.ts';
import type { commandHandover } from './fenced-report.ts';

const besideThis = fileURLToPath(new URL('./command-runner.js', import.meta.url));

export type CommandAgentOptions = AgentOptions & { readonly runner?: string };

/** Throws AgentUnavailable. */
export function createAgent(options: CommandAgentOptions, name: string): Agent {
  const { command, environment, runner = besideThis } = options;
  const [program] = command ?? [];
  if (command === null || program === undefined)
    throw new AgentUnavailable(
      `${name}: no program is configured; set [${name}] command = ["my-agent", "--file", "{prompt_file}"]`,
    );
  requireProgram(runner, `the runner of ${name}`);
  // A path is looked up from the workspace, which is known only later.
  if (!program.includes('/') && programPath(program, environment['PATH']) === null)
    throw new AgentUnavailable(`${name}: ${program} is not installed, or not in the PATH`);
  const chosen = chosenEnv(environment, options.env ?? []);
  return {
    name,
    program: command,
    launch: (request) => {
      const { folder, tools, model, role } = request;
      const mcp = { PAWL_MCP_URL: tools.url, PAWL_MCP_TOKEN: tools.token };
      const env = { ...chosen, ...mcp, PAWL_ROLE: role, ...(model !== null && { PAWL_MODEL: model }) };
      const handover: Infer<typeof commandHandover> = { command, folder };
      return launchOwn(request, runner, handover, {
        env,
        needs: neededBy(name, inPlace(command, request.workspace), environment),
      });
    },
  };
}

/** A path is looked up from the workspace. */
function inPlace(command: readonly string[], workspace: string): readonly string[] {
  return command.map((word) => (word.includes('/') ? resolve(workspace, word) : word));
}
