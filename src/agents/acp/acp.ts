/**
 * Any agent that speaks the Agent Client Protocol (version 1), driven through our bridge.
 *
 * The bridge is a program of ours beside this file, because agents want their input kept open and our launcher ends it.
 */

import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { allowedEnv } from '../../workspace/launcher.ts';
import { AgentUnavailable, type Agent } from '../agent.ts';
import { chosenEnv, type AgentOptions } from '../agent-options.ts';
import { launchOwn, requireProgram } from '../own-program.ts';
import { findProgram, programPath } from '../program.ts';
import { neededBy } from '../vendor-needs.ts';
import type { AcpHandover } from './conversation.ts';
import { knownAgents, usualModes, type KnownAgent } from './known-agents.ts';

const handshakeMsMax = 60_000;

export interface AcpAgentOptions extends AgentOptions {
  /** Path of `acp-bridge.js`. */
  readonly bridge?: string;
  readonly handshakeMsMax?: number;
}

/** Throws AgentUnavailable. `name` is the agent's in the configuration: a known one, or one with a command of its own. */
export async function createAgent(options: AcpAgentOptions, name: string): Promise<Agent> {
  const { environment, versions, bridge = fileURLToPath(new URL('./acp-bridge.js', import.meta.url)) } = options;
  const [vendor, known] = knownAgentOf(options, name);
  const command = options.command ?? known?.command;
  if (command === undefined)
    throw new AgentUnavailable(`${name}: no ACP program is configured; set [${name}] command = ["gemini", "--acp"]`);
  requireProgram(bridge, `the bridge to ${name}`);
  const env = chosenEnv(environment, [...(known?.passedOn(environment) ?? []), ...(options.env ?? [])]);
  const noted = versions && { versions };
  if (known) await findProgram({ ...known, agent: name, command: command.slice(0, 1), env: allowedEnv(env), ...noted });
  else if (programPath(command[0] ?? '', environment['PATH']) === null)
    throw new AgentUnavailable(`${name}: ${command[0]} is not installed, or not in the PATH`);
  return {
    name,
    program: command,
    launch: (request) => {
      const { workspace, access, commands = null, model, resume, tools, folder } = request;
      const trap = known?.runsCodeOf?.find((path) => holdsAnything(join(workspace, path)));
      if (trap !== undefined)
        throw new AgentUnavailable(
          `${name}: driven over ACP it would run code of this repository (${trap}); set driver = "native" for it, or choose another agent`,
        );
      // Apart from what Pawl itself writes: the bridge is in the agent's box.
      const ledger = join(dirname(folder), 'conversations');
      mkdirSync(ledger, { recursive: true });
      const start = known?.start(request, { ...options, command }) ?? {};
      const handover: AcpHandover = {
        command: [...command, ...(start.args ?? [])],
        workspace,
        access,
        commands,
        model,
        resume,
        ledger,
        mcp: start.hasTools ? null : tools,
        servers: options.mcp,
        modes: (request.boxed ? known?.boxedModes : null) ?? (known?.modes ?? usualModes)[access],
        countsOn: known?.countsOn ?? false,
        meta: start.meta ?? {},
        handshakeMsMax: options.handshakeMsMax ?? handshakeMsMax,
      };
      const needs = neededBy(vendor, command, environment);
      return launchOwn(request, bridge, handover, {
        env: { ...env, ...start.env },
        needs: { ...needs, write: [...needs.write, ledger] },
      });
    },
  };
}

/** With the vendor's name, or the agent's own. */
function knownAgentOf({ command }: AgentOptions, name: string): [string, KnownAgent | undefined] {
  const program = command === null ? undefined : basename(command[0] ?? '');
  const found = Object.entries(knownAgents).find(([agent, known]) =>
    program === undefined ? agent === name : basename(known.command[0] ?? '') === program,
  );
  return found ?? [name, undefined];
}

/** An empty folder runs nothing: Codex's own sandbox leaves one behind when it is interrupted. */
function holdsAnything(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found !== undefined;
  return readdirSync(path, { recursive: true, withFileTypes: true }).some((entry) => !entry.isDirectory());
}
