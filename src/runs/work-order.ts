/** Work on one run as a caller orders it, and how much of it the run remembers. */

import { shellWord } from '../documents/shell-word.ts';
import { mergedChoice } from '../agents/role-choice.ts';
import type { Disk } from '../disk/disk.ts';
import type { Json } from '../engine/snapshot.ts';
import type { EditsChoice } from '../runtime/recover.ts';
import type { RunState } from '../runtime/run-state.ts';
import { isRecord } from '../schema/values.ts';
import type { Choice } from '../store/record.ts';
import type { RunStore } from '../store/run-store.ts';
import type { RunIntent, WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow, WorkflowReader } from '../workflows/workflow.ts';
import type { Repository } from '../workspace/git.ts';
import type { Caller } from './caller.ts';

export interface WorkOrder<I extends RunIntent = RunIntent> {
  readonly repository: RunRepository;
  readonly surface: WorkflowSurface;
  readonly run: string;
  readonly intent: I;
  readonly choices: WorkChoices;
  readonly caller: Caller;
}

export interface WorkChoices {
  /** Who plays all roles, or some: see role-choice.ts. */
  readonly agent?: string;
  /** Their models, in the same form. */
  readonly model?: string;
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
  /** Goes on at a lower level of the sandbox than the run had before. */
  readonly acceptSandbox?: boolean;
  /** Takes the run from an owner that cannot be shown to be dead. */
  readonly force?: boolean;
  readonly unproven?: boolean;
  /** Works in a tree in which another unfinished run writes. */
  readonly shareTree?: boolean;
}

/** The agents, the models and the script that a run continues with. */
export type Cast = Pick<WorkChoices, 'agent' | 'model' | 'script'>;

export function castOf({ agent, model, script }: { readonly [K in keyof Cast]?: string | null }): Cast {
  return {
    ...(typeof agent === 'string' && { agent }),
    ...(typeof model === 'string' && { model }),
    ...(typeof script === 'string' && { script }),
  };
}

/** What is chosen anew for some roles leaves the others as they were. */
export function mergedCast(before: Cast, choices: Cast): Cast {
  return castOf({
    ...before,
    ...castOf(choices),
    agent: mergedChoice(before.agent, choices.agent) ?? null,
    model: mergedChoice(before.model, choices.model) ?? null,
  });
}

/** The next command, with the cast that was chosen; `resume` and `retry` remember it by themselves. */
export function withCast(
  next: string | null,
  workflow: string,
  choice: Parameters<typeof castOf>[0] = {},
): string | null {
  const isVerb =
    next !== null && next.startsWith(`pawl ${workflow} `) && !/^pawl \S+ (?:resume|status) | --agent /.test(next);
  if (!isVerb) return next;
  return [next, ...Object.entries(castOf(choice)).map(([flag, value]) => `--${flag} ${shellWord(value)}`)].join(' ');
}

/** Goes on record with a command; one that repeats another keeps the cast of that, unless a person names another. */
export function chosenWith(choices: WorkChoices, played: Cast, { keeps }: { readonly keeps: boolean }): Choice {
  const { raised, hint, shareTree } = choices;
  const { agent = null, model = null, script = null } = played;
  const isRecast = Object.keys(castOf(choices)).length > 0;
  return {
    ...(keeps ? isRecast && castOf(played) : { agent, model, script }),
    ...(raised !== undefined && { raised }),
    ...(hint !== undefined && { hint }),
    ...(shareTree && { shareTree }),
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
