/** Agents by name, each adapter loaded when it is first needed. */

import { AgentUnavailable, type Agent } from '../agents/agent.ts';
import type { AgentOptions } from '../agents/agent-options.ts';
import { nearest } from '../documents/nearest.ts';

interface Adapter {
  createAgent(options: AgentOptions): Promise<Agent>;
}

const adapters: Readonly<Record<string, () => Promise<Adapter>>> = {
  claude: () => import('../agents/claude/claude.ts'),
  gemini: () => import('../agents/gemini/gemini.ts'),
  opencode: () => import('../agents/opencode/opencode.ts'),
  copilot: () => import('../agents/copilot/copilot.ts'),
};

export const agentNames: readonly string[] = [...Object.keys(adapters), 'scripted'];

/** Throws AgentUnavailable for a name that is not known, or a program that is missing or too old. */
export async function loadAgent(name: string, wanted: Omit<AgentOptions, 'environment'>): Promise<Agent> {
  const load = Object.hasOwn(adapters, name) ? adapters[name] : undefined;
  if (!load) {
    const near = nearest(name, agentNames);
    const meant = near === undefined ? `Pawl knows ${agentNames.join(', ')}` : `did you mean ${near}?`;
    throw new AgentUnavailable(`there is no agent "${name}"; ${meant}`);
  }
  const { createAgent } = await load();
  return createAgent({ ...wanted, environment: process.env });
}
