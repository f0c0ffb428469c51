/** Proves or refutes the invariants of a workflow, before a token is spent. */

import type { Machine } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { itemsMax } from './edges.ts';
import { abandonable, ends, personsLoops, terminates } from './proofs/ending.ts';
import { gateHolds, rolesSeparated } from './proofs/approvals.ts';
import { asksNobody, checkedFirst, invariantClaim, invariantHolds } from './proofs/invariants.ts';
import { budgetsCount, handled, misnamed, reachable } from './proofs/routes.ts';
import { emptySpace, explore, type ExploreOptions, type Space } from './space.ts';
import { listed, type Proof, type Refutation, type Verification } from './refutation.ts';
import { worstCases, type Prices } from './worst-case.ts';

export interface VerifyOptions extends Pick<ExploreOptions, 'statesMax'> {
  readonly workflow: string;
  /** Roles that may write the work tree. */
  readonly writers?: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly prices?: Prices | null;
  /** Whether to work out the worst case too, which takes longer than the proofs. */
  readonly worstCase?: boolean;
}

export function verify(machine: Machine, options: VerifyOptions): Verification {
  const { workflow, writers = [], prices = null, worstCase = true } = options;
  const names = misnamed(machine);
  const [usual, space] = names.length > 0 ? [emptySpace(machine), emptySpace(machine)] : spacesOf(machine, options);
  const proofs =
    names.length > 0 ? [proof('names', 'every name in the table exists', names, false)] : prove(space, writers);
  return {
    workflow,
    holds: proofs.some(({ holds }) => holds === false) ? false : proofs.every(({ holds }) => holds) ? true : null,
    proofs,
    loops: personsLoops(space),
    worstCase: !worstCase || names.length > 0 || usual.unexplored > 0 ? null : worstCases(usual, prices),
    space: {
      states: space.states.length,
      transitions: space.to.length,
      unexplored: space.unexplored,
      limits: initialSnapshot(machine, options.limits).limits,
      itemsMax,
    },
    assumptions,
  };
}

/** With the usual limits, and with nothing to spend at all: a configuration may set any limit to zero. */
function spacesOf(machine: Machine, { limits, statesMax }: VerifyOptions): readonly [usual: Space, both: Space] {
  const none = Object.fromEntries(Object.keys(machine.budgets).map((name) => [name, 0]));
  const options = statesMax === undefined ? {} : { statesMax };
  const usual = explore(machine, { ...options, from: initialSnapshot(machine, limits) });
  return [usual, explore(machine, { ...options, from: initialSnapshot(machine, none), onto: usual })];
}

const budgetsClaim = 'every budget is spent, can run out, and is raised only by a person';

function prove(space: Space, writers: readonly string[]): Proof[] {
  const cut = space.unexplored > 0;
  const gates = Object.entries(space.machine.gates).map(([name, gate]) => {
    const verb = gate.guards.length === 1 ? 'requires' : 'require';
    const claim = `${listed(gate.guards)} ${verb} a current approval of the ${gate.of}`;
    return proof(`gate:${name}`, claim, gateHolds(space, gate), cut);
  });
  const invariants = Object.entries(space.machine.invariants ?? {}).map(([name, invariant]) =>
    proof(`invariant:${name}`, invariantClaim(invariant), invariantHolds(space, invariant), cut),
  );
  const checked = Object.entries(space.machine.states).flatMap(([name, state]) =>
    state.kind === 'dispatch' && state.after !== undefined ? [`${state.after} before every ${name}`] : [],
  );
  // In a space that was not explored to its end, absence proves nothing.
  return [
    proof('handled', 'every state handles every signal it can receive', handled(space), cut),
    proof('reachable', 'every state and branch is reachable', cut ? [] : reachable(space), cut),
    proof('ends', 'a final state can be reached from every state', cut ? [] : ends(space), cut),
    proof('abandonable', 'a person can abandon a run in every state, for good', abandonable(space), cut),
    proof('terminates', 'every loop is bounded or needs a human decision', terminates(space), cut),
    ...(space.machine.unattended ? [proof('unattended', 'nobody is ever asked', asksNobody(space), cut)] : []),
    ...gates,
    ...(checked.length === 0
      ? []
      : [proof('checked', `${listed(checked)}, also before a repeated one`, checkedFirst(space), cut)]),
    ...invariants,
    proof('budgets', budgetsClaim, cut ? [] : budgetsCount(space), cut),
    proof('roles', 'no role approves its own work', rolesSeparated(space, writers), cut),
  ];
}

/** Reports a mistake once that shows with the usual limits and without any. */
function proof(id: string, claim: string, found: readonly Refutation[], cut: boolean): Proof {
  const refutations = found.filter(({ what }, at) => found.findIndex((other) => other.what === what) === at);
  return { id, claim, holds: refutations.length > 0 ? false : cut ? null : true, refutations };
}

/** Enforced by the runtime and its tests, not by the table. */
const assumptions = [
  'checks and reports answer with the signals their state declares; anything else is refused',
  'a list that is loaded for a state to work through has at least one item',
  'a hand edit of the state file past a gate asks a person first',
  'a write outside the bounds of a role is detected, and the report of that role is rejected',
];
