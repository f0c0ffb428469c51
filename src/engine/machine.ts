/**
 * The vocabulary of a workflow's transition table.
 *
 * A machine is data: the compiler checks that every state handles every signal it can receive
 * and that every target exists; the verifier explores it; a reader sees the routing matrix.
 */

/** The ways a dispatch can end without a usable report. Every dispatch state handles all of them. */
export const faults = [
  'failed',
  'timed_out',
  'unparseable',
  'out_of_bounds',
  'rate_limited',
  'unavailable',
  'over_budget',
  'interrupted',
] as const;
export type Fault = (typeof faults)[number];

export function isFault(signal: string): signal is Fault {
  return faults.some((fault) => fault === signal);
}

/** The result of a command that comes to rest; the edges map each to a pinned exit code. */
export const outcomes = [
  'done',
  'failed',
  'needs_person',
  'not_ready',
  'over_budget',
  'unavailable',
  'temporary',
  'interrupted',
] as const;
export type Outcome = (typeof outcomes)[number];

/** The closed sets of names that one machine uses. Guards see nothing of the outside world but flags, which have finite ranges. */
export interface Vocabulary {
  states: string;
  commands: string;
  budgets: string;
  lists: string;
  /** Made by dispatches and approved by gates. */
  artifacts: string;
  /** Each flag with its values. */
  flags: Record<string, string>;
}

type FlagOf<V extends Vocabulary> = keyof V['flags'] & string;

/** A condition over budgets, flags and work lists only, so that exploration is exact. */
export type Guard<V extends Vocabulary = Vocabulary> =
  | { readonly left: V['budgets'] }
  | { readonly more: V['lists'] }
  | { readonly [F in FlagOf<V>]: { readonly flag: F; readonly is: V['flags'][F] } }[FlagOf<V>];

/** The target of a signal, and its effects on budgets, flags, lists and the return address. */
export interface Move<V extends Vocabulary = Vocabulary> {
  /** A state, `again` (the same visit: its `visit` budgets are kept), or `return` (the return address, which is used up). */
  readonly to: V['states'] | 'again' | 'return';
  readonly when?: Guard<V>;
  readonly spend?: V['budgets'];
  /** Adds one to a budget: a person granted another round. */
  readonly grant?: V['budgets'];
  /** Fills a budget up to its limit again, and to one at least: a person granted new attempts. */
  readonly renew?: V['budgets'];
  readonly set?: { readonly [F in FlagOf<V>]?: V['flags'][F] };
  /** Replaces a work list by the signal's `items`. */
  readonly load?: V['lists'];
  /** Marks the state's current item as done. */
  readonly finish?: true;
  /** Keeps the state that is left, or the one named, as the return address. */
  readonly remember?: true | V['states'];
  /** Overrides the outcome of the parked or final state that is entered. */
  readonly outcome?: Outcome;
}

/** Nothing changes; the caller is told why. */
export interface Refuse<V extends Vocabulary = Vocabulary> {
  readonly refuse: string;
  readonly outcome: Outcome;
  readonly when?: Guard<V>;
}

export type Branch<V extends Vocabulary = Vocabulary> = Move<V> | Refuse<V>;

type Unguarded<A> = A & { readonly when?: never };
type Guarded<V extends Vocabulary> = Branch<V> & { readonly when: Guard<V> };

/** One branch, or guarded branches tried in order and closed by an unguarded one: a route always leads somewhere. */
export type Route<V extends Vocabulary = Vocabulary> =
  | Unguarded<Move<V>>
  | Unguarded<Refuse<V>>
  | readonly [...Guarded<V>[], Unguarded<Move<V>> | Unguarded<Refuse<V>>];

/** A route for every signal the state can receive. In a table written in TypeScript those named must be there. */
export type On<Required extends string, V extends Vocabulary = Vocabulary> = {
  readonly [signal: string]: Route<V>;
} & (string extends V['states'] ? unknown : { readonly [S in Required]: Route<V> });

/** The public name of a state, or the first whose condition holds, the last without one. */
export type Phase<V extends Vocabulary = Vocabulary> =
  | string
  | null
  | readonly [...{ readonly when: Guard<V>; readonly is: string }[], string];

interface PhaseFields<V extends Vocabulary> {
  /** Without it the state is shown by its own name. */
  readonly phase?: Phase<V>;
  /** The run is already where it returns to, so that phase is shown instead. */
  readonly showsReturn?: true;
}

interface ResumeFields<V extends Vocabulary> {
  /** How another process goes on here, because anybody may have edited anything since: through a check, as a rule. */
  readonly resume?: { readonly to: V['states']; readonly remember?: true | V['states'] };
}

/** Roles work: one dispatch, ended by a report's signal or by a fault. */
export interface DispatchState<V extends Vocabulary> extends PhaseFields<V>, ResumeFields<V> {
  readonly kind: 'dispatch';
  readonly role: string;
  /**
   * An advisor: a role that only reads and works beside the first, in the same dispatch. Its reports reach the
   * conclusion; its faults stop nothing. The first role only reads, too: what changes meanwhile is nobody's.
   */
  readonly beside?: string;
  /** Works on the current item of this list: the first that is not finished and waits for nothing. */
  readonly each?: V['lists'];
  /**
   * The check that runs before every dispatch here, also before a repeated one: the state is entered from it only, and
   * `again`, a return and a crash lead back to it. Both are one visit.
   */
  readonly after?: V['states'];
  /** The artifact that the role writes here: every approval of it ends with this dispatch. */
  readonly makes?: V['artifacts'];
  readonly on: On<Fault, V>;
}

/** Deterministic local work: validate documents, run test commands, merge files. */
export interface CheckState<V extends Vocabulary> extends PhaseFields<V>, ResumeFields<V> {
  readonly kind: 'check';
  readonly check: string;
  /** Looks at the current item of this list. */
  readonly each?: V['lists'];
  readonly on: On<never, V>;
}

/** A person answers. */
export interface DecideState<V extends Vocabulary> extends PhaseFields<V> {
  readonly kind: 'decide';
  readonly question: string;
  /** A person who gives another command instead of an answer withdraws it. */
  readonly yields?: true;
  /** The one decision it is about, pending again whenever it is entered. Without it the signal brings what is asked. */
  readonly decision?: { readonly id: string; readonly question: string };
  /** `withdrawn`: what the question was about has changed, or a person cancelled it. */
  readonly on: On<'withdrawn', V>;
}

/** Waits for something outside; left again by a command. */
export interface ParkedState<V extends Vocabulary> extends PhaseFields<V> {
  readonly kind: 'parked';
  readonly outcome: Outcome;
  readonly on: On<V['commands'], V>;
}

/** The run is over; commands are answered, nothing moves. */
export interface FinalState<V extends Vocabulary> extends PhaseFields<V> {
  readonly kind: 'final';
  readonly outcome: Outcome;
  readonly on: { readonly [command: string]: Unguarded<Refuse<V>> } & {
    readonly [C in V['commands']]: Unguarded<Refuse<V>>;
  };
}

export type State<V extends Vocabulary = Vocabulary> =
  | DispatchState<V>
  | CheckState<V>
  | DecideState<V>
  | ParkedState<V>
  | FinalState<V>;

/** The roles at work in a state: the one whose report counts, and its advisor. */
export function crewOf(state: State | undefined): readonly string[] {
  if (state?.kind !== 'dispatch') return [];
  return state.beside === undefined ? [state.role] : [state.role, state.beside];
}

/** Whether a run waits in the state for somebody outside. */
export function isRest<S extends { readonly kind: State['kind'] }>(
  state: S,
): state is S & { readonly kind: 'parked' | 'final' } {
  return state.kind === 'parked' || state.kind === 'final';
}

/**
 * How often a budget is renewed:
 * `run` never, `command` when a person's command is accepted, `item` when a list is loaded or an item of one is
 * finished, `visit` whenever a state is entered anew.
 */
export const budgetScopes = ['run', 'command', 'item', 'visit'] as const;
export type BudgetScope = (typeof budgetScopes)[number];

export interface Budget {
  readonly scope: BudgetScope;
  /** The default limit; a run may be created or continued with another. */
  readonly limit: number;
}

/** The colour of a signal: `quiet` says no more than that the work is done. */
export type Tone = 'good' | 'warn' | 'bad' | 'quiet';

/** A promise about every run, which the verifier proves: nothing enters `guards` but with an approval that still counts. */
export interface Gate<Artifact extends string = string, S extends string = string, Step extends string = string> {
  /** The approved artifact. */
  readonly of: Artifact;
  readonly guards: readonly S[];
  /** The verdicts and answers that approve it. */
  readonly passedBy: readonly Step[];
  /** Steps by which a person does without it. */
  readonly waivedBy?: readonly Step[];
  /** Checks that found it there although no dispatch of the run made it. */
  readonly foundBy?: readonly Step[];
  /** While a run waits for a person, anybody may edit: then an approval counts only after one of these found it unchanged. */
  readonly confirmedBy?: readonly Step[];
  /** Steps after which it is no longer what was approved, beside every dispatch that makes it and every `undo`. */
  readonly voidedBy?: readonly Step[];
  /** Steps with `undo` that take back something else only. */
  readonly keptBy?: readonly Step[];
  /** Why a role may approve what it made itself. Without a reason it may not. */
  readonly selfApproval?: string;
}

/** A promise of the workflow's own about every run, which the verifier proves. Names of states stand for entering them. */
export type Invariant<
  S extends string = string,
  Step extends string = string,
  Flag extends string = string,
  Budgets extends string = string,
> =
  | { readonly never: readonly (S | Step)[]; readonly while: { readonly flag: Flag; readonly is: string } }
  /** `since`: steps after which one of `after` is needed again. */
  | { readonly only: readonly (S | Step)[]; readonly after: readonly Step[]; readonly since?: readonly Step[] }
  /** No step adds to this budget. */
  | { readonly shrinks: Budgets };

export interface Machine {
  readonly initial: string;
  /** Nobody is ever asked. */
  readonly unattended?: true;
  /** The signals of each state, beside faults, commands and the withdrawal of a question. */
  readonly signals: Readonly<Record<string, readonly string[]>>;
  readonly budgets: Readonly<Record<string, Budget>>;
  /** Each flag's value at the start. */
  readonly flags: Readonly<Record<string, string>>;
  readonly lists: readonly string[];
  readonly commands: readonly string[];
  readonly gates: Readonly<Record<string, Gate>>;
  readonly invariants?: Readonly<Record<string, Invariant>>;
  readonly states: Readonly<Record<string, State>>;
  /** Of signals that are not shown plainly; faults are always bad. */
  readonly tones?: Readonly<Record<string, Tone>>;
}

/** Null for a signal that is shown plainly. */
export function toneOf({ tones = {} }: Pick<Machine, 'tones'>, signal: string): Tone | null {
  if (isFault(signal)) return 'bad';
  return Object.hasOwn(tones, signal) ? (tones[signal] ?? null) : null;
}
