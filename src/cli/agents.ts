/** Agents by name, each adapter loaded when it is first needed. */

import { existsSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';
import { AgentUnavailable, type Agent } from '../agents/agent.ts';
import type { AgentOptions } from '../agents/agent-options.ts';
import { didYouMean } from '../schema/nearest.ts';
import { findRepositoryIfAny } from './context.ts';

interface Adapter {
  /** `name` is the agent's in the configuration; only adapters of several agents need it. */
  readonly createAgent: (options: AgentOptions, name: string) => Agent | Promise<Agent>;
}

const adapters: Readonly<Record<string, () => Promise<Adapter>>> = {
  claude: () => import('../agents/claude/claude.ts'),
  codex: () => import('../agents/codex/codex.ts'),
  gemini: () => import('../agents/gemini/gemini.ts'),
  opencode: () => import('../agents/opencode/opencode.ts'),
  copilot: () => import('../agents/copilot/copilot.ts'),
  acp: () => import('../agents/acp/acp.ts'),
  command: () => import('../agents/command/command.ts'),
};

export const agentNames: readonly string[] = [...Object.keys(adapters), 'scripted'];

/** Throws AgentUnavailable for a name that is not known, or a program that is missing or too old. */
export async function loadAgent(name: string, wanted: Omit<AgentOptions, 'environment'>): Promise<Agent> {
  const load = adapters[adapterOf(name, wanted)];
  if (!load) {
    const hint = didYouMean(name, agentNames) || `; Pawl knows ${agentNames.join(', ')}`;
    throw new AgentUnavailable(`there is no agent "${name}"${hint}`);
  }
  const { createAgent } = await load();
  return createAgent({ ...wanted, environment: process.env }, name);
}

/** Its own, where it has one and none is asked for; a name nobody knows stands for the command that is configured for it. */
function adapterOf(name: string, { driver, command }: Pick<AgentOptions, 'driver' | 'command'>): string {
  if (driver === 'acp') return 'acp';
  if (Object.hasOwn(adapters, name)) return name;
  return command === null ? '' : 'command';
}

/** Those that are found by the name of their program. */
const programs = ['claude', 'codex', 'gemini', 'opencode', 'copilot'];

/** Agents whose programs are on the PATH; that they can be used is found out when they are. */
export function installedAgents(): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return programs.filter((program) => folders.some((folder) => existsSync(join(folder, program))));
}

/** Takes folders of this repository out of the PATH: `npx` and scripts put them first, and whoever works here may write them. */
export function leaveRepositoryPrograms(): void {
  const repository = findRepositoryIfAny(process.cwd());
  const inside = repository ? [repository.root, dirname(repository.commonDir)] : [];
  const isOutside = (folder: string): boolean =>
    isAbsolute(folder) && !inside.some((root) => `${folder}${sep}`.startsWith(`${root}${sep}`));
  process.env['PATH'] = (process.env['PATH'] ?? '').split(delimiter).filter(isOutside).join(delimiter);
}
