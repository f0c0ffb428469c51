/**
 * The command a run was begun with.
 *
 * It stands in the run's first record: whatever cuts the command off between that and its delivery,
 * `resume` can still deliver it.
 */

import { isRecord } from '../schema/values.ts';
import type { Json } from '../engine/snapshot.ts';
import type { RunState } from '../runtime/run-state.ts';
import type { Cast } from './work-choices.ts';

export interface FirstCommand {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  /** The agent and script that were chosen with it. */
  readonly flags: Cast;
}

/** For the run's first record. */
export function firstCommandInput({ command, args, flags }: FirstCommand): Readonly<Record<string, Json>> {
  return { begin: { command, args, flags: { ...flags } } };
}

/** The command a run still waits for; null when it was delivered, or is not on record. */
export function undelivered(state: RunState | undefined, initial: string): FirstCommand | null {
  if (state?.snapshot.state !== initial) return null;
  const begin: unknown = state.input['begin'];
  if (!isRecord(begin) || typeof begin['command'] !== 'string') return null;
  return { command: begin['command'], args: textsIn(begin['args']), flags: textsIn(begin['flags']) };
}

function textsIn(value: unknown): Record<string, string> {
  const entries = isRecord(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
