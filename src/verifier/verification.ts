/** What verifying a workflow comes to. */

import type { TraceStep } from './trace.ts';
import type { WorstCases } from './worst-case.ts';

/** One thing that is wrong, and the shortest way to see it. */
export interface Refutation {
  readonly what: string;
  /** What to change. */
  readonly fix: string;
  readonly trace: readonly TraceStep[];
  /** The steps that can repeat for ever, after the trace. */
  readonly cycle?: readonly TraceStep[];
}

export interface Proof {
  /** A stable word for scripts: `handled`, `reachable`, `ends`, `terminates`, `gate:plan_approved`, `budgets`, `roles`. */
  readonly id: string;
  readonly claim: string;
  /** Null when nothing speaks against it, but the space was too large to be sure. */
  readonly holds: boolean | null;
  readonly refutations: readonly Refutation[];
}

/** A loop that goes on only as long as a person wants it to. */
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
    readonly situations: number;
    readonly steps: number;
    readonly unexplored: number;
    /** Budgets at their limits, lists with up to so many items. */
    readonly limits: Readonly<Record<string, number>>;
    readonly itemsMax: number;
  };
  /** What the proofs take for granted, because it is held elsewhere. */
  readonly assumptions: readonly string[];
}
