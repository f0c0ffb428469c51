/** Proves or refutes what every workflow must promise, before a token is spent. */

import type { Machine } from '../engine/machine.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { itemsMax } from './edges.ts';
import { budgetsCount } from './proofs/budgets.ts';
import { ends, personsLoops, terminates } from './proofs/ending.ts';
import { gateHolds } from './proofs/gates.ts';
import { handled } from './proofs/handled.ts';
import { reachable } from './proofs/reachable.ts';
import { rolesSeparated } from './proofs/roles.ts';
import { emptySpace, explore, type ExploreOptions, type Space } from './space.ts';
import { misnamed } from './structure.ts';
import type { Proof, Refutation, Verification } from './verification.ts';
import { worstCases, type Prices } from './worst-case.ts';

export interface VerifyOptions extends Pick<ExploreOptions, 'situationsMax'> {
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
      situations: space.situations.length,
      steps: space.situations.reduce((sum, { steps }) => sum + steps.length, 0),
      unexplored: space.unexplored,
      limits: initialSnapshot(machine, options.limits).limits,
      itemsMax,
    },
    assumptions,
  };
}

/** With the usual limits, and with nothing to spend at all: a configuration may set any limit to zero. */
function spacesOf(machine: Machine, { limits, situationsMax }: VerifyOptions): readonly [usual: Space, both: Space] {
  const none = Object.fromEntries(Object.keys(machine.budgets).map((name) => [name, 0]));
  const options = situationsMax === undefined ? {} : { situationsMax };
  const usual = explore(machine, { ...options, from: initialSnapshot(machine, limits) });
  return [usual, explore(machine, { ...options, from: initialSnapshot(machine, none), onto: usual })];
}

function prove(space: Space, writers: readonly string[]): Proof[] {
  const cut = space.unexplored > 0;
  const gates = Object.entries(space.machine.gates).map(([name, gate]) =>
    proof(
      `gate:${name}`,
      `${gate.guards.join(', ')}: only with an approval of the ${gate.of} that still counts`,
      gateHolds(space, gate),
      cut,
    ),
  );
  // In a space that was not explored to its end, absence proves nothing.
  const absent = cut ? [] : [...reachable(space)];
  const unused = cut ? [] : [...budgetsCount(space)];
  return [
    proof('handled', 'every state handles every signal it can receive', handled(space), cut),
    proof('reachable', 'every state is reached and every branch taken', absent, cut),
    proof('ends', 'from everywhere a final state can be reached', cut ? [] : ends(space), cut),
    proof('terminates', 'nothing goes on for ever without a person', terminates(space), cut),
    ...gates,
    proof('budgets', 'every budget is spent, runs out, and grows only by a person', unused, cut),
    proof('roles', 'nobody approves what they made', rolesSeparated(space, writers), cut),
  ];
}

/** What is wrong with the usual limits and without any is told once. */
function proof(id: string, claim: string, found: readonly Refutation[], cut: boolean): Proof {
  const byWords = new Map(found.toReversed().map((refutation) => [refutation.what, refutation]));
  const refutations = found.filter((refutation) => byWords.get(refutation.what) === refutation);
  return { id, claim, holds: refutations.length > 0 ? false : cut ? null : true, refutations };
}

/** Held by the runtime and its tests, not by the table. */
const assumptions = [
  'checks and reports answer with the signals their state declares; anything else is refused',
  'a list that is loaded for a state to work through has at least one item',
  'a hand edit of the state file past a gate asks a person first',
  'what a role may not write is noticed, and its report then does not count',
];
