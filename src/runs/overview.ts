/** The runs of a repository by what a person has to do about them, and which of them a person wants to see. */

import { answerRecorded } from '../runtime/run-note.ts';
import type { ListedRun } from './catalog.ts';

/** Each list is in the order of the runs that it was made of. */
export interface Overview {
  /** They wait for an answer, or for something else that only a person can do. */
  readonly needsYou: readonly ListedRun[];
  readonly working: readonly ListedRun[];
  readonly stopped: readonly ListedRun[];
  /** Their last command is done; a person decides when the next one begins. */
  readonly ready: readonly ListedRun[];
  readonly finished: number;
}

export type OverviewGroup = Exclude<keyof Overview, 'finished'>;

export function overviewOf(runs: readonly ListedRun[]): Overview {
  const open = runs.filter(({ finished }) => !finished).map((run) => ({ run: withCommand(run), group: groupOf(run) }));
  const of = (group: OverviewGroup): readonly ListedRun[] =>
    open.filter((each) => each.group === group).map(({ run }) => run);
  return {
    needsYou: of('needsYou'),
    working: of('working'),
    stopped: of('stopped'),
    ready: of('ready'),
    finished: runs.length - open.length,
  };
}

function groupOf({ problem, outcome, owner, journal, message }: ListedRun): OverviewGroup {
  if (problem !== null) return 'stopped';
  // A process that asks at its terminal waits for a person, too.
  if (outcome === 'needs_person') return 'needsYou';
  if (owner) return 'working';
  return outcome === 'done' || message === answerRecorded || !journal ? 'ready' : 'stopped';
}

/** A question is answered by one command, whatever its answers are. */
function withCommand(run: ListedRun): ListedRun {
  return run.asks !== null && run.problem === null ? { ...run, next: `pawl answer ${run.run}` } : run;
}

export interface RunFilter {
  /** Finished ones too. */
  readonly all: boolean;
  readonly workflow: string | null;
  /** Only those that changed since; null: whenever. */
  readonly sinceMs: number | null;
}

export function selectRuns(runs: readonly ListedRun[], { all, workflow, sinceMs }: RunFilter): readonly ListedRun[] {
  return runs.filter(
    (run) =>
      (all || !run.finished) &&
      (workflow === null || run.workflow === workflow) &&
      (sinceMs === null || run.problem !== null || Date.parse(run.updatedAt ?? '') >= sinceMs),
  );
}
