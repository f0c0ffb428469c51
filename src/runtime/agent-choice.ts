/**
 * Which agent plays a role: by choice, by what is installed, or as a fallback.
 *
 * F1. A fallback never comes to judge its own work, nor to make what it judges, unless one agent was chosen for both.
 */

import { acrossGate, assignAgents } from '../agents/assignment.ts';
import { chosenFor } from '../agents/role-choice.ts';
import { isFault } from '../engine/machine.ts';
import { pinProgram } from './agent-program.ts';
import type { Run } from './run.ts';

/** Role → agent, before anything has gone wrong. `override` is the person's word for this command: see role-choice.ts. */
export function agentsByRole(
  { workflow: { machine, roles }, settings, host }: Pick<Run, 'workflow' | 'settings' | 'host'>,
  override: string | undefined,
): Readonly<Record<string, string>> {
  const named = Object.keys(roles).flatMap((role) => {
    const agent = chosenFor(override, role);
    return agent === undefined ? [] : [[role, agent] as const];
  });
  const chosen = { ...settings.agents, ...Object.fromEntries(named) };
  return assignAgents(machine, { roles, chosen, installed: host.installed() });
}

/** An agent of the override has no fallback. */
export function agentFor(run: Run, role: string, override: string | undefined): string {
  const { agents } = candidatesFor(run, role, override);
  return agents.find((agent) => !run.unavailable.has(agent)) ?? agents[0] ?? 'none';
}

/** Throws AgentUnavailable. */
export async function agentNamed(run: Run, name: string, { script = null }: { readonly script?: string | null }) {
  const part = { script, workflow: run.workflow.name, flags: run.state.snapshot.flags };
  const agent = await run.host.agent(name, run.settings.agentOptions(name), part);
  pinProgram(run, agent);
  return agent;
}

/**
 * Whether a fallback goes on for an agent that is missing or out of quota; the person is told. Otherwise the problem, with
 * the fallbacks that were refused.
 */
export function fallBack(
  run: Run,
  { role, agent, why }: { readonly role: string; readonly agent: string; readonly why: string },
  override: string | undefined,
): { readonly goesOn: true } | { readonly goesOn: false; readonly problem: string } {
  run.unavailable.add(agent);
  const { agents, refused } = candidatesFor(run, role, override);
  const next = agents.find((each) => !run.unavailable.has(each));
  if (next === undefined) return { goesOn: false, problem: [why, ...refused].join('; ') };
  run.tell('recovered', `${next} replaces ${agent}: ${why}`);
  return { goesOn: true };
}

interface Candidates {
  readonly agents: readonly string[];
  /** Fallbacks that are none for this role, each with the reason. */
  readonly refused: readonly string[];
}

function candidatesFor(run: Run, role: string, override: string | undefined): Candidates {
  const only = chosenFor(override, role);
  if (only !== undefined) return { agents: [only], refused: [] };
  const assigned = agentsByRole(run, override);
  const first = assigned[role] ?? 'none';
  const agents = [first];
  const refused: string[] = [];
  for (const agent of new Set(run.settings.fallback)) {
    if (agent === first) continue;
    const other = oppositeRole(run, { role, agent, assigned });
    if (other === undefined) agents.push(agent);
    else refused.push(`${agent} may not replace it: it is the ${other}, and nobody judges their own work`);
  }
  return { agents, refused };
}

/** F1. The role across a gate that the agent plays, or has played in this run. */
function oppositeRole(
  run: Run,
  { role, agent, assigned }: { role: string; agent: string; assigned: Readonly<Record<string, string>> },
): string | undefined {
  const { machine, roles } = run.workflow;
  const played = run.state.history.filter((each) => each.agent === agent && !isFault(each.signal));
  return acrossGate(machine, role, Object.keys(roles))
    .filter((other) => assigned[other] !== assigned[role])
    .find((other) => assigned[other] === agent || played.some((each) => each.role === other));
}
