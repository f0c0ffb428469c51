/** What a person chose for the work on a run, and what of it the run remembers. */

import type { EditsChoice } from '../runtime/recover.ts';
import type { RunState } from '../runtime/run-state.ts';
import type { Choice } from '../store/record.ts';

export interface WorkChoices {
  /** Plays every role. */
  readonly agent?: string;
  /** What the scripted agent plays, as an absolute path. */
  readonly script?: string;
  /** Whose version counts of files that somebody changed where Pawl wants to write. */
  readonly edits?: EditsChoice;
  /** Run budgets by name, instead of the configured ones. */
  readonly raised?: Readonly<Record<string, number>>;
  /** Words for the agent. */
  readonly hint?: string;
  /** Waits for the end of a rate limit instead of stopping. */
  readonly wait?: boolean;
  /** Takes over a state file that has no journal. */
  readonly acceptState?: boolean;
  /** Takes the run from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
  /** Runs a workflow that the verifier refutes. */
  readonly unproven?: boolean;
}

/** The agent and the script that a run goes on with. */
export type Cast = Pick<WorkChoices, 'agent' | 'script'>;

export function castOf({ agent, script }: WorkChoices): Cast {
  return { ...(agent !== undefined && { agent }), ...(script !== undefined && { script }) };
}

/** What a command puts on record; `unproven` are the proofs that fail. A command that repeats another keeps its cast. */
export function chosenWith(
  { agent, script, raised }: WorkChoices,
  unproven: readonly string[],
  { keeps }: { readonly keeps: boolean },
): Choice {
  return {
    ...(!keeps && { agent: agent ?? null, script: script ?? null }),
    ...(raised !== undefined && { raised }),
    ...(unproven.length > 0 && { unproven }),
  };
}

export function rememberedCast({ choice: { agent, script } }: RunState): Cast {
  return { ...(agent !== null && { agent }), ...(script !== null && { script }) };
}

/** Whether a person let the run pass unproven. */
export function wasLetPass(state: RunState | undefined): boolean {
  return state !== undefined && state.choice.unproven.length > 0;
}
