/**
 * Any agent that speaks the Agent Client Protocol (version 1), driven through our bridge.
 *
 * The bridge is a program of ours beside this file, because agents want their input kept open and our launcher ends it.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedEnv } from '../../workspace/launcher.ts';
import { AgentUnavailable, type Agent, type DispatchRequest, type Launch } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { eventLines } from '../event-lines.ts';
import { findProgram, programPath } from '../program.ts';
import type { Handover } from './handover.ts';
import { knownAgents, usualModes, type KnownAgent } from './known-agents.ts';

const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];
const handshakeMsMax = 60_000;

export interface AcpAgentOptions extends AgentOptions {
  readonly name: string;
  /** Path of `acp-bridge.js`. */
  readonly bridge: string;
  readonly handshakeMsMax?: number;
}

/** `name` is the agent's in the configuration: a known one, or one with a command of its own. */
export function createAgent(options: AgentOptions, name: string): Promise<Agent> {
  const bridge = fileURLToPath(new URL('./acp-bridge.js', import.meta.url));
  return acpAgent({ ...options, name, bridge });
}

/** Throws AgentUnavailable. */
export async function acpAgent(options: AcpAgentOptions): Promise<Agent> {
  const { name, environment, bridge } = options;
  const known = knownAgentOf(options);
  const command = options.command ?? known?.command;
  if (command === undefined)
    throw new AgentUnavailable(
      `${name}: which program speaks the Agent Client Protocol? Say so in the configuration: [${name}] command = ["gemini", "--acp"]`,
    );
  if (!existsSync(bridge))
    throw new AgentUnavailable(
      `the bridge to ${name} is missing: there is no ${bridge}. Install Pawl again, or build it.`,
    );
  const env = chosenEnv(environment, [...proxies, ...(known?.passedOn ?? []), ...(options.env ?? [])]);
  if (known) await probe(name, command, known, env);
  else if (programPath(command[0] ?? '', environment['PATH']) === null)
    throw new AgentUnavailable(`${name}: ${command[0]} is not installed, or not in the PATH`);
  return { name, launch: (request) => launch(request, { ...options, known, command, env }) };
}

function knownAgentOf({ name, command }: Pick<AcpAgentOptions, 'name' | 'command'>): KnownAgent | undefined {
  const program = command === null ? undefined : basename(command[0] ?? '');
  return Object.entries(knownAgents).find(([agent, known]) =>
    program === undefined ? agent === name : basename(known.command[0] ?? '') === program,
  )?.[1];
}

async function probe(
  agent: string,
  command: readonly string[],
  { atLeast, install }: KnownAgent,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await findProgram({ agent, command: command.slice(0, 1), atLeast, install, env: allowedEnv(env) });
}

/** An empty folder runs nothing: Codex's own sandbox leaves one behind when it is interrupted. */
function holdsAnything(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found !== undefined;
  return readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => !entry.isDirectory());
}

interface Start extends Omit<AcpAgentOptions, 'env'> {
  readonly known: KnownAgent | undefined;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function launch(request: DispatchRequest, { name, bridge, mcp, known, command, env, ...options }: Start): Launch {
  const { workspace, access, model, resume, tools, folder } = request;
  const trap = known?.runsCodeOf?.find((path) => holdsAnything(join(workspace, path)));
  if (trap !== undefined)
    throw new AgentUnavailable(
      `${name}: driven over ACP it would run code of this repository (${trap}). Set driver = "native" for it, or take another agent.`,
    );
  const start = known?.start(request, { command, mcp, environment: options.environment }) ?? {};
  const handover: Handover = {
    agent: name,
    command: [...command, ...(start.args ?? [])],
    workspace,
    access,
    model,
    resume,
    ledger: dirname(folder),
    mcp: start.hasTools ? null : tools,
    servers: mcp,
    modes: (known?.modes ?? usualModes)[access],
    meta: start.meta ?? {},
    handshakeMsMax: options.handshakeMsMax ?? handshakeMsMax,
  };
  const file = join(folder, 'acp.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(handover), { mode: 0o600 });
  return {
    command: process.execPath,
    args: [bridge, file],
    env: { ...env, ...start.env },
    stdin: request.prompt,
    output: eventLines(),
  };
}
