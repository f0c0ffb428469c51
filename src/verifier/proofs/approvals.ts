/**
 * No path around a gate, and nobody approves their own work.
 *
 * Each approval is followed through the space: it is *never* given, *void* once what it approved was made anew,
 * *stale* once the run waited for a person (anybody may have edited), and *fresh* otherwise.
 * Guarded states are entered with a fresh one only. One that makes what its own gate is about, and was interrupted,
 * may go on: what it made itself does not keep it out.
 */

import { crewOf, isFault, type Gate, type Machine } from '../../engine/machine.ts';
import { repeated, stateOf } from '../../engine/transition.ts';
import type { Edge } from '../edges.ts';
import { shortestPath } from '../graph.ts';
import { refutation, type Refutation } from '../refutation.ts';
import type { ExploredState, Space, SpaceStep } from '../space.ts';
import { actorOf, pathTo, traceOf } from '../trace.ts';
import { breachesOf } from './watching.ts';

/** The status of an approval, as a number; `made` and higher: made void by the work of that guarded state. */
const never = 0;
const stale = 1;
const fresh = 2;
const voided = 3;
const made = voided + 1;

export function gateHolds(space: Space, gate: Gate): readonly Refutation[] {
  const { machine } = space;
  const breaches = breachesOf(space, {
    size: made + gate.guards.length,
    after: (edge) => approvalAfter(machine, gate, edge),
    watched: gate.guards,
    forbids: (name, approval) => approval !== fresh && approval !== made + gate.guards.indexOf(name),
  });
  const bypasses = breaches.map(({ at, condition, trace }) => {
    const [what, fix] = reasons[Math.min(condition, voided)] ?? ['', ''];
    return refutation(`${at} can be entered although the ${gate.of} ${what}`, fix, trace);
  });
  return [...bypasses, ...approvedUnmade(space, gate)];
}

const missing = 0;
const there = 1;

/** An approval of something that nobody has made yet is worth nothing. */
function approvedUnmade(space: Space, { of, passedBy, foundBy = [] }: Gate): readonly Refutation[] {
  const breaches = breachesOf(space, {
    size: there + 1,
    after: ({ state, signal }) => {
      const from = stateOf(space.machine, state);
      const isMade = from.kind === 'dispatch' && from.makes === of && !isFault(signal) && signal !== repeated;
      const isThere = isMade || foundBy.includes(`${state}.${signal}`);
      return (condition) => (isThere ? there : condition);
    },
    watched: passedBy.filter((step) => !foundBy.includes(step)),
    forbids: (_, condition) => condition === missing,
  });
  const fix = 'let a dispatch before it say `makes`, or name the check that finds it in `foundBy`';
  return breaches.map(({ at, trace }) => refutation(`${at} approves the ${of}, which nothing has made`, fix, trace));
}

function approvalAfter(machine: Machine, gate: Gate, edge: Edge): (before: number) => number {
  const step = `${edge.state}.${edge.signal}`;
  const state = stateOf(machine, edge.state);
  const isConfirmed = gate.confirmedBy?.includes(step);
  // A dispatch that is taken up again was cut off: what it wrote was taken back.
  const isResumed = edge.signal === repeated;
  const isMade = state.kind === 'dispatch' && state.makes === gate.of && !isResumed;
  // Undoing takes back what was made, so that what was approved is no longer there.
  const isUndone = edge.signal === 'undo' && !gate.keptBy?.includes(step);
  const isVoided = isMade || isUndone || gate.voidedBy?.includes(step);
  const isPassed = gate.passedBy.includes(step) || gate.waivedBy?.includes(step);
  const hasWaited = state.kind === 'parked' || state.kind === 'decide' || isResumed;
  const maker = made + gate.guards.indexOf(edge.state);
  return (before) => {
    let approval = before;
    if (isPassed || (isConfirmed && before === stale)) approval = fresh;
    else if (!isConfirmed && isVoided && before !== never) approval = Math.max(before, voided);
    else if (!isConfirmed && hasWaited && before === fresh) approval = stale;
    // The states after a bypass are not explored, so a run in a guarded state had passed the gate.
    return isMade && approval >= voided ? maker : approval;
  };
}

/** By approval. */
const reasons: readonly (readonly [what: string, fix: string])[] = [
  ['was never approved', 'lead every path there through a step of `passedBy`'],
  [
    'may have been edited since it was approved',
    'put a check in front that compares it with what was approved, and list its step in `confirmedBy`',
  ],
  ['is approved', ''],
  ['was changed after it was approved', 'have it approved again on the way'],
];

/** `writers`: roles that may write the work tree, so that the gates must know what they make there. */
export function rolesSeparated(space: Space, writers: readonly string[]): readonly Refutation[] {
  return [
    ...Object.values(space.machine.gates).flatMap((gate) => selfApprovals(space, gate)),
    ...undeclaredWork(space.machine, writers),
    ...unfitAdvisors(space.machine, writers),
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
      gate.passedBy.includes(`${state}.${signal}`) &&
      (actorOf(machine, state, signal) === role || crewOf(machine.states[state]).includes(role));
    if (!firsts.some(approves)) return [];
    const isGoal = ({ steps }: ExploredState): boolean => steps.some(approves);
    const between = isGoal(first.to) ? [] : shortestPath(first.to, isGoal, ({ steps }) => steps);
    const last = (between?.at(-1)?.to ?? first.to).steps.find(approves);
    if (!between || !last) return [];
    const verb = actorOf(machine, last.edge.state, last.edge.signal) === role ? 'approves' : 'advises on';
    return refutation(
      `${role} makes the ${gate.of} and ${verb} it too, in ${last.edge.state}`,
      'let another role or a person approve it, or give the gate a reason in `selfApproval`',
      traceOf(machine, [...pathTo(first.from), first, ...between, last]),
    );
  });
}

function undeclaredWork(machine: Machine, writers: readonly string[]): readonly Refutation[] {
  const fix = 'name the artifact with `makes`, so that approvals of it end with this dispatch';
  return Object.entries(machine.states).flatMap(([name, state]) => {
    if (state.kind !== 'dispatch' || !writers.includes(state.role) || state.makes !== undefined) return [];
    return refutation(`${state.role} may write the work tree, but ${name} does not say what it makes there`, fix);
  });
}

function unfitAdvisors({ states }: Machine, writers: readonly string[]): readonly Refutation[] {
  return Object.entries(states).flatMap(([name, state]) => {
    if (state.kind !== 'dispatch' || state.beside === undefined) return [];
    const { role, beside } = state;
    if (role === beside) return refutation(`${role} advises itself in ${name}`, 'let another role advise it');
    const fix = 'let both roles only read: what changes while two work belongs to neither';
    return [role, beside]
      .filter((each) => writers.includes(each))
      .flatMap((each) => refutation(`${each} may write the work tree, but works beside another in ${name}`, fix));
  });
}
