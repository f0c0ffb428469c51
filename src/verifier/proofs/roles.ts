/** Nobody approves what they made themselves. */

import type { Gate, Machine } from '../../engine/machine.ts';
import { shortestWay } from '../graph.ts';
import type { Situation, Space, SpaceStep } from '../space.ts';
import { pathTo, traceOf } from '../trace.ts';
import type { Refutation } from '../verification.ts';

/** `writers`: roles that may write the work tree, so that what they do there must be made known to the gates. */
export function rolesSeparated(space: Space, writers: readonly string[]): readonly Refutation[] {
  return [
    ...Object.values(space.machine.gates).flatMap((gate) => selfApprovals(space, gate)),
    ...undeclaredWork(space.machine, writers),
  ];
}

function selfApprovals({ machine, firsts }: Space, gate: Gate): Refutation[] {
  if (gate.selfApproval !== undefined) return [];
  const isApproving = ({ edge }: SpaceStep): boolean => gate.passedBy.includes(`${edge.state}.${edge.signal}`);
  const approving = firsts.filter(isApproving);
  const made = new Map<string, SpaceStep>();
  for (const step of firsts) {
    const state = machine.states[step.edge.state];
    if (state?.kind === 'dispatch' && state.makes === gate.of && !made.has(state.role)) made.set(state.role, step);
  }
  return [...made].flatMap(([role, first]) => {
    const approves = (step: SpaceStep): boolean => roleIn(machine, step) === role && isApproving(step);
    if (!approving.some(approves)) return [];
    const isGoal = ({ steps }: Situation): boolean => steps.some(approves);
    const between = isGoal(first.to)
      ? []
      : shortestWay(
          first.to,
          isGoal,
          ({ steps }) => steps,
          ({ to }) => to,
        );
    const last = (between?.at(-1)?.to ?? first.to).steps.find(approves);
    if (!between || !last) return [];
    return [
      {
        what: `${role} makes the ${gate.of} and approves it too, in ${last.edge.state}`,
        fix: 'let another role or a person approve it, or give the gate a reason in `selfApproval`',
        trace: traceOf(machine, [...pathTo(first.from), first, ...between, last]),
      },
    ];
  });
}

function roleIn(machine: Machine, { edge }: SpaceStep): string | undefined {
  const state = machine.states[edge.state];
  return state?.kind === 'dispatch' ? state.role : undefined;
}

function undeclaredWork(machine: Machine, writers: readonly string[]): Refutation[] {
  return Object.entries(machine.states).flatMap(([name, state]) =>
    state.kind === 'dispatch' && writers.includes(state.role) && state.makes === undefined
      ? [
          {
            what: `${state.role} may write the work tree, but ${name} does not say what it makes there`,
            fix: 'name the artifact with `makes`, so that approvals of it end with this dispatch',
            trace: [],
          },
        ]
      : [],
  );
}
