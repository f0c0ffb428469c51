/** A machine written in TypeScript: names that do not exist do not compile, and signals follow from the routes. */

import {
  isFault,
  type Budget,
  type Fault,
  type Gate,
  type Machine,
  type Outcome,
  type State,
  type Tone,
} from './machine.ts';

type Flags = Readonly<Record<string, readonly string[]>>;

export interface MachineDefinition<
  S extends string,
  B extends string,
  L extends string,
  C extends string,
  A extends string,
  F extends Flags,
> {
  readonly initial: NoInfer<S>;
  readonly commands: readonly C[];
  readonly budgets: Readonly<Record<B, Budget>>;
  /** Each flag with its values; it starts with the first. */
  readonly flags: F;
  readonly lists: readonly L[];
  readonly artifacts: readonly A[];
  readonly gates: Readonly<Record<string, Gate<NoInfer<A>, NoInfer<S>, `${NoInfer<S>}.${string}`>>>;
  readonly tones?: Readonly<Record<string, Tone>>;
  readonly states: Readonly<
    Record<
      S,
      State<{
        states: NoInfer<S>;
        commands: NoInfer<C>;
        budgets: NoInfer<B>;
        lists: NoInfer<L>;
        artifacts: NoInfer<A>;
        flags: { -readonly [K in keyof NoInfer<F> & string]: NoInfer<F>[K][number] };
      }>
    >
  >;
}

export function defineMachine<
  const S extends string,
  const B extends string,
  const L extends string,
  const C extends string,
  const A extends string,
  const F extends Flags,
>(definition: MachineDefinition<S, B, L, C, A, F>): Machine {
  const { artifacts: _, flags, states, ...rest } = definition;
  const table: Readonly<Record<string, State>> = states;
  return {
    ...rest,
    flags: Object.fromEntries(Object.entries(flags).map(([name, [start = '']]) => [name, start])),
    states: table,
    signals: Object.fromEntries(
      Object.entries(table).map(([name, state]) => [name, ownSignals(state, definition.commands)]),
    ),
  };
}

/** The signals of a state, beside those its kind brings with it. */
function ownSignals({ kind, on }: State, commands: readonly string[]): readonly string[] {
  return Object.keys(on).filter((signal) => {
    if (kind === 'dispatch') return !isFault(signal);
    if (kind === 'decide') return signal !== 'cancelled';
    return kind === 'check' || !commands.includes(signal);
  });
}

/** A route for every fault: transient ones take `retry`, the others stop the run with the outcome that tells why. */
export function faultRoutes<const Retry, const Stop>(retry: Retry, stop: (outcome: Outcome) => Stop) {
  return {
    failed: retry,
    timed_out: retry,
    unparseable: retry,
    out_of_bounds: retry,
    rate_limited: stop('temporary'),
    unavailable: stop('unavailable'),
    over_budget: stop('over_budget'),
    cancelled: stop('interrupted'),
  } satisfies Record<Fault, unknown>;
}
