/** What lists and `status` tell of a session that has a journal. */

import { DocumentError } from '../../documents/document-error.ts';
import { currentItem } from '../../engine/snapshot.ts';
import type { Details, RunView, StatusDetails, StatusView } from '../workflow.ts';
import { judgeCriteria } from './acceptance.ts';
import { pendingIn } from '../../engine/decision.ts';
import { tasksOf } from './documents.ts';
import { acceptancePath, tasksPath } from './files/paths.ts';
import { phaseOf } from './phases.ts';
import { data, kindOf, retriesOf, scopeOf, valuesOf } from './run-data.ts';
import { detailsOf, taskTally, type ShownBlocker, type ShownRepairs } from './shown-session.ts';
import { stoppedBy } from './summary.ts';
import { repairs as repairNames } from './vocabulary.ts';

export function listed(view: RunView): Details {
  const { snapshot, files, run } = view;
  const tasks = files.read(tasksPath(run)) === undefined ? null : readable(() => tasksOf(view).tasks, []);
  return { mode: modeOf(view), pending: pendingIn(snapshot).length, tasks: tasks && taskTally(tasks) };
}

/** The command that leads on from a phase. */
export function nextIn(run: string, phase: string | null): string | null {
  return phase === 'DONE' ? null : `pawl session resume ${run}`;
}

export function status(view: StatusView): StatusDetails {
  const { run, snapshot, files, firstArgs } = view;
  const problems: string[] = [];
  const has = (path: string): boolean => files.read(path) !== undefined;
  const tasks = has(tasksPath(run)) ? readable(() => tasksOf(view).tasks, problems) : null;
  const criteria = has(acceptancePath(run)) ? readable(() => judgeCriteria(view), problems) : null;
  const phase = phaseOf(snapshot);
  const goal = data.goal.of(snapshot) || firstArgs['goal'];
  return detailsOf({
    phase,
    unknown: 'new',
    goal: typeof goal === 'string' ? goal : null,
    mode: modeOf(view),
    blocked: phase === 'BLOCKED' ? blockerIn(view) : null,
    strategy: strategyIn(view),
    tasks,
    current: currentItem(snapshot.lists['tasks'])?.id ?? null,
    repairs: repairsIn(view),
    criteria: criteria ?? [],
    knownIssues: valuesOf(data.issue, snapshot),
    ci: data.ci.of(snapshot).result,
    repaired: [],
    waiting: pendingIn(snapshot).map(({ id, question, context }) => ({
      id,
      title: question,
      detail: `asked in ${context}`,
    })),
    problems,
  });
}

function modeOf({ snapshot }: RunView): 'lean' | 'full' | null {
  if (phaseOf(snapshot) === null) return null;
  return snapshot.flags['mode'] === 'lean' ? 'lean' : 'full';
}

/** A document that cannot be read is told in place of its content: the journal stands all the same. */
function readable<T>(read: () => T, problems: string[]): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    problems.push(error.message);
    return null;
  }
}

function blockerIn(view: RunView): ShownBlocker {
  const { returnTo } = view.snapshot;
  const from = returnTo === null ? null : phaseOf({ ...view.snapshot, state: returnTo, returnTo: null });
  return { ...stoppedBy(view), from };
}

function strategyIn({ snapshot: { flags } }: RunView): string | null {
  const { mode } = flags;
  return mode === 'per_batch' || mode === 'single_final' ? mode.replace('_', '-') : null;
}

function repairsIn({ snapshot }: RunView): ShownRepairs {
  const scope = scopeOf(snapshot);
  const limits = Object.fromEntries(repairNames.map((name) => [kindOf[name], snapshot.limits[name] ?? 0]));
  return { scope, counts: retriesOf(snapshot, scope), limits };
}
