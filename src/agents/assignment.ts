/**
 * Which agent plays which role, when the user has not said so for all of them.
 *
 * A1. What the user chose stands, installed or not.
 * A2. Otherwise the workflow's own preference, where it is installed and the user did not choose it for a role across a gate.
 * A3. Otherwise an installed one: rather not the one that plays a role across a gate (who made it, who judges it),
 *     then the one with the fewest roles.
 */

import type { Machine } from '../engine/machine.ts';

type AgentOfRole = Readonly<Record<string, string>>;

interface AssignmentWishes {
  readonly roles: Readonly<Record<string, { readonly defaultAgent: string }>>;
  /** Where the user has said so. */
  readonly chosen: AgentOfRole;
  readonly installed: readonly string[];
}

export function assignAgents(machine: Machine, { roles, chosen, installed }: AssignmentWishes): AgentOfRole {
  const assigned: Record<string, string> = {};
  const open: string[] = [];
  for (const [role, { defaultAgent }] of Object.entries(roles)) {
    const isChosen = Object.hasOwn(chosen, role);
    const agent = (isChosen && chosen[role]) || defaultAgent;
    const isOpposite = acrossGate(machine, role, Object.keys(chosen)).some((other) => chosen[other] === agent);
    // Without any installed agent the preference stays: the message that it is missing says how to get it.
    if (isChosen || (installed.includes(agent) && !isOpposite) || installed.length === 0) assigned[role] = agent;
    else open.push(role);
  }
  for (const role of open) {
    const opposite = acrossGate(machine, role, Object.keys(assigned)).map((other) => assigned[other]);
    const load = (agent: string): number => Object.values(assigned).filter((each) => each === agent).length;
    const cost = (agent: string): number => (opposite.includes(agent) ? 1_000 : 0) + load(agent);
    assigned[role] = installed.toSorted((a, b) => cost(a) - cost(b))[0] ?? 'none';
  }
  return Object.fromEntries(Object.keys(roles).map((role) => [role, assigned[role] ?? 'none']));
}

/** Pairs of roles on two sides of a gate that one agent plays: nobody's work is judged by another there. */
export function selfJudging(machine: Machine, assigned: AgentOfRole): (readonly [maker: string, judge: string])[] {
  return Object.keys(assigned).flatMap((role) =>
    judgesOf(machine, role).flatMap((judge) => (assigned[judge] === assigned[role] ? [[role, judge] as const] : [])),
  );
}

/** Those of the roles that judge what a role makes, or make what it judges. */
export function acrossGate(machine: Machine, role: string, roles: readonly string[]): readonly string[] {
  return roles.filter((other) => judgesOf(machine, role).includes(other) || judgesOf(machine, other).includes(role));
}

/** The roles that approve what a role makes, and those that advise them. */
function judgesOf(machine: Machine, role: string): readonly string[] {
  const made = Object.values(machine.states).flatMap((state) =>
    state.kind === 'dispatch' && state.role === role && state.makes !== undefined ? [state.makes] : [],
  );
  const steps = Object.values(machine.gates).flatMap(({ of, passedBy }) => (made.includes(of) ? passedBy : []));
  const judges = steps.flatMap((step) => {
    const state = machine.states[step.split('.')[0] ?? ''];
    return state?.kind === 'dispatch' ? [state.role, state.beside ?? []].flat() : [];
  });
  return [...new Set(judges)];
}
