/** The result of verifying a workflow. */

import type { TraceStep } from './trace.ts';
import type { WorstCases } from './worst-case.ts';

/** One thing that is wrong, and the shortest path on which it shows. */
export interface Refutation {
  readonly what: string;
  readonly fix: string;
  readonly trace: readonly TraceStep[];
  /** The steps that can repeat for ever, after the trace. */
  readonly cycle?: readonly TraceStep[];
}

export function refutation(what: string, fix: string, trace: readonly TraceStep[] = []): Refutation {
  return { what, fix, trace };
}

/** `a`, `a and b`, `a, b and c`. */
export function listed(names: readonly string[], word = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1)}`;
}

export interface Proof {
  /** A stable word for scripts: `handled`, `reachable`, `ends`, `terminates`, `gate:plan_approved`, `budgets`, `roles`. */
  readonly id: string;
  readonly claim: string;
  /** Null when nothing speaks against it, but the space was too large to be sure. */
  readonly holds: boolean | null;
  readonly refutations: readonly Refutation[];
}

/** A loop that a person controls. */
export interface PersonsLoop {
  /** The command or answer that keeps it going, as `state.signal`. */
  readonly by: string;
  /** Its states, from where the person acts until the run is there again. */
  readonly states: readonly string[];
}

export interface Verification {
  readonly workflow: string;
  readonly holds: boolean | null;
  readonly proofs: readonly Proof[];
  readonly loops: readonly PersonsLoop[];
  readonly worstCase: WorstCases | null;
  readonly space: {
    readonly states: number;
    readonly transitions: number;
    readonly unexplored: number;
    /** Budgets at their limits, lists with up to so many items. */
    readonly limits: Readonly<Record<string, number>>;
    readonly itemsMax: number;
  };
  /** Assumptions of the proofs, enforced by the runtime. */
  readonly assumptions: readonly string[];
}
