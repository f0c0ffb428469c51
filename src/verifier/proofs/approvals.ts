/**
 * No path around a gate, and nobody approves their own work.
 *
 * Each approval is followed through the space: it is *never* given, *void* once what it approved was made anew,
 * *stale* once the run waited for a person (anybody may have edited), and *fresh* otherwise.
 * Guarded states are entered with a fresh one only. One that makes what its own gate is about, and was interrupted,
 * may go on: what it made itself does not keep it out.
 */

import type { Gate, Machine } from '../../engine/machine.ts';
import { stateOf } from '../../engine/transition.ts';
import { shortestPath } from '../graph.ts';
import { refutation, type Refutation } from '../refutation.ts';
import { stepAt, type ExploredState, type Space, type SpaceStep } from '../space.ts';
import { actorOf, pathTo, traceOf } from '../trace.ts';
import { stateAt } from '../variables.ts';

/** The status of an approval, as a number; `made` and higher: made void by the work of that guarded state. */
const never = 0;
const stale = 1;
const fresh = 2;
const voided = 3;
const made = voided + 1;

export function gateHolds(space: Space, gate: Gate): readonly Refutation[] {
  const { states, first, to, by } = space;
  const size = made + gate.guards.length;
  const after = approvalsAfter(space, gate, size);
  const refuted = new Map<string, Refutation>();
  const guardIn = space.edges.variables.states.map((name) => gate.guards.indexOf(name));
  const guardOf = new Int32Array(states.length);
  for (const { number, values } of states) guardOf[number] = guardIn[values[stateAt] ?? 0] ?? -1;
  // An explored state with an approval is one number, `state * size + approval`; numbers keep a large space fast.
  const reached: Reached = {
    by: new Int32Array(states.length * size).fill(unreached),
    from: new Int32Array(states.length * size),
  };
  const open: number[] = [];
  for (const { number } of space.starts) {
    open.push(number * size + never);
    reached.by[number * size + never] = begun;
  }
  for (const node of open) {
    const state = Math.trunc(node / size);
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const approval = after[(by[step] ?? 0) * size + (node % size)] ?? refused;
      if (approval === refused) continue;
      const guard = guardOf[to[step] ?? 0] ?? -1;
      const next = (to[step] ?? 0) * size + approval;
      if (guard !== -1 && approval !== fresh && approval !== made + guard) {
        // The states after a bypass are not explored.
        const name = gate.guards[guard] ?? '';
        if (!refuted.has(name))
          refuted.set(name, bypass(space, gate, name, { approval, steps: [step, ...stepsTo(reached, node)] }));
      } else if (reached.by[next] === unreached) {
        reached.by[next] = step;
        reached.from[next] = node;
        open.push(next);
      }
    }
  }
  return [...refuted.values()];
}

/** By number: the step that led there, and the number before it. */
interface Reached {
  readonly by: Int32Array;
  readonly from: Int32Array;
}
const unreached = -1;
const begun = -2;

/** Last step first. */
function stepsTo({ by, from }: Reached, node: number): number[] {
  const steps: number[] = [];
  for (let at = node; (by[at] ?? begun) >= 0; at = from[at] ?? 0) steps.push(by[at] ?? 0);
  return steps;
}

const refused = -1;

/** By edge and approval before, as one number. */
function approvalsAfter({ machine, edges, firsts }: Space, gate: Gate, size: number): Int32Array {
  const after = new Int32Array(edges.all.length * size).fill(refused);
  for (const { edge } of firsts) {
    const step = `${edge.state}.${edge.signal}`;
    const state = stateOf(machine, edge.state);
    const isPassed = gate.passedBy.includes(step);
    const isConfirmed = gate.confirmedBy?.includes(step);
    const isMade = state.kind === 'dispatch' && state.makes === gate.of;
    const isVoided = isMade || gate.voidedBy?.includes(step);
    const hasWaited = state.kind === 'parked' || state.kind === 'decide';
    for (let before = 0; edge.move && before < size; before += 1) {
      let approval = before;
      if (isPassed || (isConfirmed && before === stale)) approval = fresh;
      else if (!isConfirmed && isVoided && before !== never) approval = Math.max(before, voided);
      else if (!isConfirmed && hasWaited && before === fresh) approval = stale;
      // The states after a bypass are not explored, so a run in a guarded state had passed the gate.
      const isMaker = isMade && approval >= voided;
      after[edge.number * size + before] = isMaker ? made + gate.guards.indexOf(edge.state) : approval;
    }
  }
  return after;
}

/** By approval. */
const reasons: readonly (readonly [what: string, fix: string])[] = [
  ['was never approved', 'lead every path there through a step of `passedBy`'],
  [
    'may have been edited since it was approved',
    'put a check in front that compares it with what was approved, and list its step in `confirmedBy`',
  ],
  ['is approved', ''],
  ['was made anew after it was approved', 'have it approved again on the way'],
];

function bypass(
  space: Space,
  gate: Gate,
  name: string,
  { approval, steps }: { readonly approval: number; readonly steps: readonly number[] },
): Refutation {
  const [what, fix] = reasons[Math.min(approval, voided)] ?? ['', ''];
  const trace = traceOf(space.machine, steps.map((step) => stepAt(space, step)).toReversed());
  return refutation(`${name} can be entered although the ${gate.of} ${what}`, fix, trace);
}

/** `writers`: roles that may write the work tree, so that the gates must know what they make there. */
export function rolesSeparated(space: Space, writers: readonly string[]): readonly Refutation[] {
  return [
    ...Object.values(space.machine.gates).flatMap((gate) => selfApprovals(space, gate)),
    ...undeclaredWork(space.machine, writers),
  ];
}

function selfApprovals({ machine, firsts }: Space, gate: Gate): readonly Refutation[] {
  if (gate.selfApproval !== undefined) return [];
  const makers = new Map<string, SpaceStep>();
  for (const step of firsts) {
    const state = machine.states[step.edge.state];
    if (state?.kind === 'dispatch' && state.makes === gate.of && !makers.has(state.role)) makers.set(state.role, step);
  }
  return [...makers].flatMap(([role, first]) => {
    const approves = ({ edge: { state, signal } }: SpaceStep): boolean =>
      gate.passedBy.includes(`${state}.${signal}`) && actorOf(machine, state, signal) === role;
    if (!firsts.some(approves)) return [];
    const isGoal = ({ steps }: ExploredState): boolean => steps.some(approves);
    const between = isGoal(first.to) ? [] : shortestPath(first.to, isGoal, ({ steps }) => steps);
    const last = (between?.at(-1)?.to ?? first.to).steps.find(approves);
    if (!between || !last) return [];
    return refutation(
      `${role} makes the ${gate.of} and approves it too, in ${last.edge.state}`,
      'let another role or a person approve it, or give the gate a reason in `selfApproval`',
      traceOf(machine, [...pathTo(first.from), first, ...between, last]),
    );
  });
}

function undeclaredWork(machine: Machine, writers: readonly string[]): readonly Refutation[] {
  return Object.entries(machine.states).flatMap(([name, state]) =>
    state.kind === 'dispatch' && writers.includes(state.role) && state.makes === undefined
      ? refutation(
          `${state.role} may write the work tree, but ${name} does not say what it makes there`,
          'name the artifact with `makes`, so that approvals of it end with this dispatch',
        )
      : [],
  );
}
