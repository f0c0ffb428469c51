/** Which agent plays a role: by choice, by what is installed, or in the place of one that is out of service. */

import type { Agent } from '../agents/agent.ts';
import { assignAgents } from '../agents/assignment.ts';
import type { Run } from './run.ts';

/** Role → agent, before anything has gone wrong. */
export function agentsByRole(
  run: Pick<Run, 'workflow' | 'settings' | 'surroundings'>,
): Readonly<Record<string, string>> {
  const { machine, roles } = run.workflow;
  return assignAgents(machine, { roles, chosen: run.settings.agents, installed: run.surroundings.installed() });
}

/** `override` is the person's word for this command, and has no stand-in. */
export function agentFor(run: Run, role: string, override: string | undefined): string {
  const [first = 'none', ...others] = candidatesFor(run, role, override);
  return [first, ...others].find((agent) => !run.outOfService.has(agent)) ?? first;
}

/** Who goes on when an agent is out of service; null when nobody is left. */
export function standInFor(run: Run, role: string, agent: string, override: string | undefined): string | null {
  const others = candidatesFor(run, role, override).filter((each) => each !== agent);
  return others.find((each) => !run.outOfService.has(each)) ?? null;
}

function candidatesFor(run: Run, role: string, override: string | undefined): readonly string[] {
  if (override !== undefined) return [override];
  return [...new Set([agentsByRole(run)[role] ?? 'none', ...run.settings.fallback])];
}

/** Throws AgentUnavailable. `script` is for agents that play one. */
export function loadAgent(run: Run, name: string, script: string | undefined): Promise<Agent> {
  const part = { script: script ?? null, workflow: run.workflow.name, flags: run.state.snapshot.flags };
  return run.surroundings.agent(name, run.settings.agentOptions(name), part);
}
