/** A machine written in TypeScript: names that do not exist do not compile, and signals follow from the routes. */

import {
  isFault,
  isRest,
  type Budget,
  type Fault,
  type Gate,
  type Invariant,
  type Machine,
  type Outcome,
  type Refuse,
  type State,
  type Tone,
} from './machine.ts';

type Flags = Readonly<Record<string, readonly string[]>>;
type Refusals<C extends string> = Readonly<Record<C, Refuse & { readonly when?: never }>>;

export interface MachineDefinition<
  S extends string,
  B extends string,
  L extends string,
  C extends string,
  A extends string,
  F extends Flags,
  R extends C,
> {
  readonly initial: NoInfer<S>;
  readonly unattended?: true;
  readonly commands: readonly C[];
  /** Refusals of commands by resting states that do not name them. */
  readonly refusals?: Refusals<R>;
  readonly budgets: Readonly<Record<B, Budget>>;
  /** Each flag with its values; it starts with the first. */
  readonly flags: F;
  readonly lists: readonly L[];
  readonly artifacts: readonly A[];
  readonly gates: Readonly<Record<string, Gate<NoInfer<A>, NoInfer<S>, `${NoInfer<S>}.${string}`>>>;
  readonly invariants?: Readonly<
    Record<string, Invariant<NoInfer<S>, `${NoInfer<S>}.${string}`, keyof NoInfer<F> & string, NoInfer<B>>>
  >;
  readonly tones?: Readonly<Record<string, Tone>>;
  readonly states: Readonly<
    Record<
      S,
      State<{
        states: NoInfer<S>;
        commands: Exclude<NoInfer<C>, NoInfer<R>>;
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
  const R extends C = never,
>(definition: MachineDefinition<S, B, L, C, A, F, R>): Machine {
  const { artifacts: _, flags, refusals = {}, states, ...rest } = definition;
  refuseUnknown(states, definition.commands);
  const table = withRefusals(states, refusals);
  return {
    ...rest,
    flags: Object.fromEntries(Object.entries(flags).map(([name, [start = '']]) => [name, start])),
    states: table,
    signals: Object.fromEntries(Object.entries(table).map(([name, state]) => [name, ownSignals(state)])),
  };
}

/** The states, and where a run rests a refusal of each command that the state does not name. */
export function withRefusals(
  states: Readonly<Record<string, State>>,
  refusals: Refusals<string>,
): Record<string, State> {
  return Object.fromEntries(
    Object.entries(states).map(([name, state]) => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a spread forgets which kind of state it was
      return [name, isRest(state) ? ({ ...state, on: { ...refusals, ...state.on } } as State) : state];
    }),
  );
}

/** A mistyped command would be refused like one that is not named at all. */
function refuseUnknown(states: Readonly<Record<string, State>>, commands: readonly string[]): void {
  for (const [name, state] of Object.entries(states)) {
    const unknown = isRest(state) && Object.keys(state.on).find((key) => !commands.includes(key));
    if (unknown) throw new Error(`the state "${name}" rests, but "${unknown}" is not a command`);
  }
}

/** The signals of a state, beside those its kind brings with it. */
function ownSignals({ kind, on }: State): readonly string[] {
  return Object.keys(on).filter((signal) => {
    if (kind === 'dispatch') return !isFault(signal);
    if (kind === 'decide') return signal !== 'withdrawn';
    return kind === 'check';
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
    interrupted: stop('interrupted'),
  } satisfies Record<Fault, unknown>;
}
