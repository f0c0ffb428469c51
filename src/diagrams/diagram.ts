/** A machine as readers see it: its states, and every transition between them, in words. Every format shows this. */

import { crewOf, isRest } from '../engine/machine.ts';
import type { Branch, BudgetScope, Gate, Guard, Machine, Move, Outcome, Route, State } from '../engine/machine.ts';
import { branchesOf, entryOf, stateOf } from '../engine/transition.ts';
import { senderOf, type Sender } from '../verifier/receivable.ts';
import { flagValues } from '../verifier/proofs/routes.ts';
import { explore } from '../verifier/space.ts';
import { guardText } from '../verifier/trace.ts';

export interface Diagram {
  readonly workflow: string;
  readonly initial: string;
  readonly commands: readonly string[];
  readonly states: readonly DiagramState[];
  readonly transitions: readonly Transition[];
  readonly budgets: readonly { readonly name: string; readonly scope: BudgetScope; readonly limit: number }[];
  readonly gates: readonly (Gate & { readonly name: string })[];
}

export interface DiagramState {
  readonly name: string;
  readonly kind: State['kind'];
  /** The role at work, the check that runs, or the question that is asked; null at rest. */
  readonly what: string | null;
  readonly each: string | null;
  readonly makes: string | null;
  /** The outcome of a run that comes to rest here. */
  readonly outcome: Outcome | null;
  /** The gates without which it is not entered. */
  readonly gates: readonly string[];
  /** The first command that can lead here without a rest in between; null at rest. */
  readonly area: string | null;
}

/** One branch of a route: a signal, what must hold, and where it leads. */
export interface Transition {
  readonly from: string;
  readonly signal: string;
  readonly branch: number;
  readonly by: Sender;
  readonly conditions: readonly string[];
  readonly leads: 'on' | 'again' | 'back' | 'refused';
  /** The states it leads to: one, or for `back` every state it can lead back to; none when refused. */
  readonly to: readonly string[];
  /** Its effects on budgets, lists, flags and the return address. */
  readonly does: readonly string[];
  readonly spends: string | null;
  /** The state it keeps as the return address. */
  readonly remembers: string | null;
  readonly refusal: string | null;
  /** Of a refusal; of a move, where it is not the usual outcome of its target. */
  readonly outcome: Outcome | null;
  readonly passes: readonly string[];
}

export function diagramOf(workflow: string, machine: Machine): Diagram {
  const areas = areasOf(machine);
  const gates = Object.entries(machine.gates).map(([name, gate]) => ({ name, ...gate }));
  return {
    workflow,
    initial: machine.initial,
    commands: machine.commands,
    states: Object.entries(machine.states).map(([name, state]) => ({
      name,
      kind: state.kind,
      what: whatOf(state),
      each: 'each' in state ? (state.each ?? null) : null,
      makes: state.kind === 'dispatch' ? (state.makes ?? null) : null,
      outcome: isRest(state) ? state.outcome : null,
      gates: gates.filter(({ guards }) => guards.includes(name)).map((gate) => gate.name),
      area: areas.get(name) ?? null,
    })),
    transitions: transitionsOf(machine),
    budgets: Object.entries(machine.budgets).map(([name, { scope, limit }]) => ({ name, scope, limit })),
    gates,
  };
}

function whatOf(state: State): string | null {
  if (state.kind === 'dispatch') return crewOf(state).join(' with ');
  if (state.kind === 'check') return state.check;
  return state.kind === 'decide' ? state.question : null;
}

function transitionsOf(machine: Machine): Transition[] {
  const returns = returnsOf(machine);
  return Object.entries(machine.states).flatMap(([from, state]) =>
    Object.entries(state.on).flatMap(([signal, route]) => {
      const conditions = conditionsOf(machine, route);
      return branchesOf(route).map((branch, index) => ({
        from,
        signal,
        branch: index,
        by: senderOf(machine, from, signal),
        conditions: conditions[index] ?? [],
        ...endOf(branch, { from, entry: entryOf(machine, from) }, returns(from, signal, index)),
        passes: Object.entries(machine.gates)
          .filter(
            ([, { passedBy, waivedBy = [] }]) =>
              !('refuse' in branch) && [...passedBy, ...waivedBy].includes(`${from}.${signal}`),
          )
          .map(([name]) => name),
      }));
    }),
  );
}

function endOf(
  branch: Branch,
  { from, entry }: { readonly from: string; readonly entry: string },
  returns: readonly string[],
): Pick<Transition, 'leads' | 'to' | 'does' | 'spends' | 'remembers' | 'refusal' | 'outcome'> {
  const nothing = { to: [], does: [], spends: null, remembers: null };
  if ('refuse' in branch) return { leads: 'refused', ...nothing, refusal: branch.refuse, outcome: branch.outcome };
  const remembers = branch.remember === true ? entry : (branch.remember ?? null);
  const rest = {
    does: doesOf(branch, remembers),
    spends: branch.spend ?? null,
    remembers,
    refusal: null,
    outcome: branch.outcome ?? null,
  };
  if (branch.to === 'again') return { leads: entry === from ? 'again' : 'on', to: [entry], ...rest };
  if (branch.to === 'return') return { leads: 'back', to: returns, ...rest };
  return { leads: 'on', to: [branch.to], ...rest };
}

function doesOf({ grant, renew, spend, load, finish, set = {} }: Move, remembers: string | null): string[] {
  const flags = Object.entries(set).map(([flag, value]) => `${flag}: ${String(value)}`);
  const finishes = finish ? 'the item' : null;
  const does = { grants: grant, renews: renew, spends: spend, loads: load, finishes, remembers };
  const words = Object.entries({ ...does, sets: flags.length === 0 ? null : flags.join(' and ') });
  return words.flatMap(([verb, name]) => (name === undefined || name === null ? [] : [`${verb} ${name}`]));
}

/** States at work, each with the first command that can lead to it. */
function areasOf(machine: Machine): ReadonlyMap<string, string> {
  const areas = new Map<string, string>();
  for (const command of machine.commands) {
    const open = Object.values(machine.states).flatMap(({ on, ...state }) => {
      const route = isRest(state) && on[command];
      return route ? targetsOf(machine, [route]) : [];
    });
    for (const name of open) {
      if (areas.has(name) || isRest(stateOf(machine, name))) continue;
      areas.set(name, command);
      const state = stateOf(machine, name);
      const resumed = 'resume' in state && state.resume ? [state.resume.to] : [];
      open.push(...targetsOf(machine, Object.values(state.on)), ...resumed);
    }
  }
  return areas;
}

function targetsOf({ states }: Machine, routes: readonly Route[]): readonly string[] {
  return routes
    .flatMap(branchesOf)
    .flatMap((branch) => ('refuse' in branch || !Object.hasOwn(states, branch.to) ? [] : [branch.to]));
}

/** When each branch of a route is taken: all of its own guard, and of none before it. */
function conditionsOf(machine: Machine, route: Route): readonly (readonly string[])[] {
  const before: Guard[] = [];
  return branchesOf(route).map(({ when }) => {
    // The value of a flag excludes its other values.
    const open = before.filter((guard) => !(when && 'flag' in guard && 'flag' in when && guard.flag === when.flag));
    const words = [...open.map((guard) => negatedText(machine, guard)), ...(when ? [guardText(when)] : [])];
    if (when) before.push(when);
    return [...new Set(words)];
  });
}

function negatedText(machine: Machine, guard: Guard): string {
  if ('left' in guard) return `${guard.left} spent`;
  if ('more' in guard) return `last of ${guard.more}`;
  const [other, ...more] = flagValues(machine, guard.flag).filter((value) => value !== guard.is);
  return other !== undefined && more.length === 0 ? `${guard.flag}: ${other}` : `${guard.flag}: not ${guard.is}`;
}

/** The targets of `return`: the table does not name them, the explored space does. */
function returnsOf(machine: Machine): (from: string, signal: string, branch: number) => readonly string[] {
  const names = Object.keys(machine.states);
  const branches = Object.values(machine.states).flatMap(({ on }) => Object.values(on).flatMap(branchesOf));
  if (!branches.some((branch) => 'to' in branch && branch.to === 'return')) return () => [];
  const found = new Set(
    explore(machine).states.flatMap(({ steps }) =>
      steps.map(({ edge, to }) => [edge.state, edge.signal, edge.branch, to.state].join(' ')),
    ),
  );
  return (from, signal, branch) => names.filter((name) => found.has([from, signal, branch, name].join(' ')));
}
