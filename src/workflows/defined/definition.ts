/**
 * A workflow as its author writes it, in TypeScript or as the same in YAML.
 *
 * It says what is particular about the workflow; how it begins, how faults are retried and where a run stops
 * when they do not help is added by `machine-of.ts`.
 */

import type { Budget, Gate, Invariant, Move, Outcome } from '../../engine/machine.ts';
import type { CheckContext, CheckResult } from '../workflow.ts';
import type { Spelled } from './key-spelling.ts';

export interface WorkflowDefinition<S extends string = string> {
  readonly name: string;
  /** What it is good for, in one sentence. */
  readonly about: string;
  /** The state a new run begins with. */
  readonly begin: NoInfer<S>;
  readonly roles: Readonly<Record<string, RoleDefinition>>;
  readonly artifacts?: Readonly<Record<string, ArtifactDefinition>>;
  readonly budgets?: Readonly<Record<string, Budget>>;
  /** Each flag with its values; it starts with the first. */
  readonly flags?: Readonly<Record<string, readonly string[]>>;
  readonly lists?: readonly string[];
  /** What a person may command beside `start`, `retry` and `undo`. */
  readonly commands?: readonly string[];
  /** How often a dispatch that failed is repeated before the run stops. */
  readonly retries?: number;
  readonly gates?: Readonly<Record<string, Gate<string, NoInfer<S> | 'stopped'>>>;
  /** What `pawl verify` is to prove beside the gates. */
  readonly invariants?: Readonly<Record<string, Invariant>>;
  readonly states: Readonly<Record<S, StateDefinition<NoInfer<S>>>>;
}

export interface RoleDefinition {
  /** The agent that plays it unless the configuration says otherwise. */
  readonly agent?: string;
  /** Globs of what it may write in the work tree; without them it may write nothing. */
  readonly writes?: readonly string[];
  /** The words its reports may end with. */
  readonly reports?: readonly string[];
}

/** A file (or, with a `/` at its end, a folder) and what must be in it. `{{run}}` stands for the run's name. */
export interface ArtifactDefinition {
  readonly path: string;
  /** Headings that a file must have. */
  readonly sections?: readonly string[];
}

type On<S extends string> = Readonly<Record<string, RouteDefinition<S>>>;

export interface RoleState<S extends string = string> {
  readonly role: string;
  /** The prompt's file, relative to the definition. */
  readonly prompt: string;
  /** An advisor, which works at the same time: `{{advice.<state>}}` in later prompts. Neither of both may write. */
  readonly beside?: { readonly role: string; readonly prompt: string };
  readonly makes?: string;
  /** The check that runs before every dispatch here, also before a repeated one; only that one leads here. */
  readonly after?: S;
  readonly each?: string;
  /** The words this state's reports may end with, where they differ from the role's. */
  readonly reports?: readonly string[];
  /** Where `retry` goes back to after a fault, if not here: a check of what was approved, for example. */
  readonly retryFrom?: S;
  readonly on: On<S>;
}

export type StateDefinition<S extends string = string> =
  | RoleState<S>
  /** A program of the project: `passed` when it exits with 0, else `failed`; its lines are the items of a list, `empty` without any. */
  | { readonly run: readonly string[]; readonly minutes?: number; readonly on: On<S> }
  /** A function decides; only in TypeScript. */
  | {
      readonly check: (context: CheckContext) => CheckResult | Promise<CheckResult>;
      readonly signals: readonly string[];
      /** It may remove the workspace of the run (`git.landing.remove`). */
      readonly placeless?: true;
      readonly on: On<S>;
    }
  /** Whether an artifact is still what was approved: `yes` or `no`. */
  | { readonly unchanged: string; readonly on: On<S> }
  /** Each answer with its meaning. */
  | { readonly ask: string; readonly answers: Readonly<Record<string, string>>; readonly on: On<S> }
  /** The run waits for a command. */
  | { readonly rests: Outcome; readonly on?: On<S> }
  | { readonly ends: Outcome };

export type StateWith<K extends string> = Extract<StateDefinition, Readonly<Record<K, unknown>>>;

/** A state's name, or branches as in the engine, the last one without a guard. */
export type RouteDefinition<S extends string = string> =
  | MoveDefinition<S>['to']
  | MoveDefinition<S>
  | readonly MoveDefinition<S>[];

export interface MoveDefinition<S extends string = string> extends Omit<Move, 'to' | 'remember'> {
  readonly to: S | 'stopped' | 'again' | 'return';
  readonly remember?: true | S;
}

/** The text of every prompt file, by the path the definition gives it. */
export type Prompts = Readonly<Record<string, string>>;

type AuthoredState<S extends string> = Spelled<RoleState<S>> | Exclude<StateDefinition<S>, RoleState<S>>;

/** A definition with the keys that its author writes. */
export interface AuthoredWorkflow<S extends string = string> extends Omit<WorkflowDefinition<S>, 'gates' | 'states'> {
  readonly gates?: Readonly<Record<string, Spelled<Gate<string, NoInfer<S> | 'stopped'>>>>;
  readonly states: Readonly<Record<S, AuthoredState<NoInfer<S>>>>;
}

/** Gives a definition its type: targets that do not exist do not compile. */
export function defineWorkflow<const S extends string>(definition: AuthoredWorkflow<S>): AuthoredWorkflow<S> {
  return definition;
}
