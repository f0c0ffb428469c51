/** Work on one run as a caller orders it, and how much of it the run remembers. */

import type { Disk } from '../disk/disk.ts';
import type { Json } from '../engine/snapshot.ts';
import type { EditsChoice } from '../runtime/recover.ts';
import type { RunState } from '../runtime/run-state.ts';
import { isRecord } from '../schema/values.ts';
import type { Choice } from '../store/record.ts';
import type { RunStore } from '../store/run-store.ts';
import type { Intent, WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow, WorkflowReader } from '../workflows/workflow.ts';
import type { Repository } from '../workspace/git.ts';
import type { Caller } from './caller.ts';

export interface WorkOrder<I extends Intent = Intent> {
  readonly repository: RunRepository;
  readonly surface: WorkflowSurface;
  readonly run: string;
  readonly intent: I;
  readonly choices: WorkChoices;
  readonly caller: Caller;
}

export interface WorkChoices {
  /** Plays every role. */
  readonly agent?: string;
  /** The script of the scripted agent, as an absolute path. */
  readonly script?: string;
  /** Whose version counts of files that somebody changed where Pawl is about to write. */
  readonly edits?: EditsChoice;
  /** Run budgets by name, instead of the configured ones. */
  readonly raised?: Readonly<Record<string, number>>;
  readonly hint?: string;
  /** Waits for the end of a rate limit instead of stopping. */
  readonly wait?: boolean;
  readonly acceptState?: boolean;
  /** Takes the run from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
  readonly unproven?: boolean;
  /** Works in a tree in which another unfinished run writes. */
  readonly shareTree?: boolean;
}

/** The agent and the script that a run continues with. */
export type Cast = Pick<WorkChoices, 'agent' | 'script'>;

export function castOf({ agent, script }: { readonly [K in keyof Cast]?: string | null }): Cast {
  return { ...(typeof agent === 'string' && { agent }), ...(typeof script === 'string' && { script }) };
}

/** The next command, with the agent and the script that were chosen; `resume` and `retry` remember them by themselves. */
export function withCast(
  next: string | null,
  workflow: string,
  choice: Parameters<typeof castOf>[0] = {},
): string | null {
  const isVerb =
    next !== null && next.startsWith(`pawl ${workflow} `) && !/^pawl \S+ (?:resume|status) | --agent /.test(next);
  if (!isVerb) return next;
  const { agent, script } = castOf(choice);
  return [
    next,
    ...(agent === undefined ? [] : ['--agent', agent]),
    ...(script === undefined ? [] : ['--script', shellWord(script)]),
  ].join(' ');
}

/** Goes on record with a command; `unproven` are the proofs that fail. A command that repeats another keeps its cast. */
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

/**
 * The command a run was begun with. It is in the run's first record: whatever interrupts the command between that and
 * its delivery, `resume` can still deliver it.
 */
export interface FirstCommand {
  readonly command: string;
  readonly args: Readonly<Record<string, Json>>;
  readonly flags: Cast;
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

/** A repository with its runs, and the workflows they may be of. */
export interface RunRepository extends Repository {
  readonly store: RunStore<RunState>;
  /** The same runs as another disk shows them. */
  storeOn(disk: Disk): RunStore<RunState>;
  readonly workflows: Workflows;
}

export interface Workflows {
  readonly bundled: readonly WorkflowSurface[];
  /** Of a bundled workflow, or what all workflows of a project's own have in common. */
  surfaceOf(name: string): WorkflowSurface;
  load(name: string): Promise<Workflow>;
  /** For those who only look at runs. */
  read(name: string): Promise<WorkflowReader>;
}

/** As it is typed in a shell. */
export function shellWord(word: string): string {
  return /^[\w./@%+=:,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
