/** Which agent plays a role: by choice, by what is installed, or as a fallback. */

import { assignAgents } from '../agents/assignment.ts';
import type { Run } from './run.ts';

/** Role → agent, before anything has gone wrong. */
export function agentsByRole(run: Pick<Run, 'workflow' | 'settings' | 'host'>): Readonly<Record<string, string>> {
  const { machine, roles } = run.workflow;
  return assignAgents(machine, { roles, chosen: run.settings.agents, installed: run.host.installed() });
}

/** `override` is the person's word for this command, and has no fallback. */
export function agentFor(run: Run, role: string, override: string | undefined): string {
  const candidates = candidatesFor(run, role, override);
  return candidates.find((agent) => !run.unavailable.has(agent)) ?? candidates[0] ?? 'none';
}

/** Whether a fallback goes on for an agent that is missing or out of quota; the person is told. */
export function fallBack(
  run: Run,
  { role, agent, why }: { readonly role: string; readonly agent: string; readonly why: string },
  override: string | undefined,
): boolean {
  run.unavailable.add(agent);
  const next = candidatesFor(run, role, override).find((each) => !run.unavailable.has(each));
  if (next === undefined) return false;
  run.tell('recovered', `${next} replaces ${agent}: ${why}`);
  return true;
}

function candidatesFor(run: Run, role: string, override: string | undefined): readonly string[] {
  if (override !== undefined) return [override];
  return [...new Set([agentsByRole(run)[role] ?? 'none', ...run.settings.fallback])];
}
