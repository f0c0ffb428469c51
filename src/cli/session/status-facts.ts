/** Everything there is to say about one session that has a journal, read without touching anything. */

import { resolve } from 'node:path';
import { DocumentError } from '../../documents/document-error.ts';
import { currentItem } from '../../engine/snapshot.ts';
import { effectOf } from '../../engine/transition.ts';
import { hasBegun, readJournal } from '../../store/journal.ts';
import { currentOwner } from '../../store/lease.ts';
import type { Owner } from '../../store/run-store.ts';
import { decisionIn, type PendingDecision } from '../../runtime/answering.ts';
import { requireKnownState } from '../../runtime/run.ts';
import { waitsUntil, type RunState } from '../../runtime/run-state.ts';
import { limitsOf } from '../../runtime/spending.ts';
import { isEdit, shownState } from '../../runtime/state-edits.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { judgeCriteria } from '../../workflows/session/acceptance.ts';
import { pendingIn } from '../../workflows/session/decisions.ts';
import { tasksOf } from '../../workflows/session/documents.ts';
import { acceptancePath, tasksPath } from '../../workflows/session/files/paths.ts';
import { phaseOf } from '../../workflows/session/phases.ts';
import * as data from '../../workflows/session/run-data.ts';
import { session } from '../../workflows/session/session.ts';
import { stoppedBy } from '../../workflows/session/summary.ts';
import { repairs as repairNames } from '../../workflows/session/vocabulary.ts';
import type { RunView } from '../../workflows/workflow.ts';
import type { Repository } from '../../workspace/git.ts';
import { leaseOptions } from '../compose.ts';
import { undelivered } from '../first-command.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import { shownBudget, shownUsage } from '../show/consumption.ts';
import { shownDecisions } from '../show/decision.ts';
import { shownCriterion, shownTasks } from './shown-documents.ts';
import { statusOfFiles } from './status-of-files.ts';
import type { SessionStatus, ShownBlocker, ShownRepairs } from './status-shape.ts';

/** What there is to say, and the question it waits with in full. */
export interface Gathered {
  readonly status: SessionStatus;
  readonly pending: PendingDecision | null;
}

export function gatherStatus(repository: Repository, run: string): Gathered {
  const folder = runFolder(repository.commonDir, session.name, run);
  const state = hasBegun(folder) ? stateIn(folder) : undefined;
  if (!state) return { status: statusOfFiles(repository.root, run), pending: null };
  requireKnownState(session, run, state.snapshot);
  const owner = currentOwner(folder, leaseOptions(false)) ?? null;
  return statusOfRun(run, state, { folder, owner, workspace: resolve(repository.commonDir, state.workspace) });
}

interface Place {
  readonly folder: string;
  readonly workspace: string;
  readonly owner: Owner | null;
}

function statusOfRun(run: string, state: RunState, { folder, workspace, owner }: Place): Gathered {
  const { snapshot, history, changedAt } = state;
  const files = workspaceFiles(workspace);
  const view: RunView = { run, snapshot, files, config: files.read(session.configPath), at: changedAt, history };
  const problems: string[] = [];
  const known = <T>(read: () => T): T | null => orProblem(read, problems);
  const has = (path: string): boolean => files.read(path) !== undefined;
  const pending = known(() => decisionIn(session, view));
  const tasks = has(tasksPath(run)) ? known(() => tasksOf(view).tasks) : null;
  const phase = phaseOf(snapshot);
  const status: SessionStatus = {
    workflow: 'session',
    run,
    goal: data.goalOf(snapshot) || goalOfFirst(state),
    mode: phase === null ? null : snapshot.flags['course'] === 'lean' ? 'lean' : 'full',
    state: snapshot.state,
    phase,
    ...saidOf(view, owner),
    until: waitsUntil(snapshot),
    updatedAt: changedAt,
    blocked: phase === 'BLOCKED' ? blockerIn(view) : null,
    strategy: strategyIn(view),
    tasks: tasks && shownTasks(tasks, currentItem(snapshot.lists['tasks'])?.id ?? null),
    repairs: repairsIn(view),
    decisions: decisionsIn(view, pending),
    criteria: (has(acceptancePath(run)) && known(() => judgeCriteria(view).map(shownCriterion))) || [],
    knownIssues: data.knownIssuesOf(snapshot),
    ci: data.ciOf(snapshot).result,
    dispatches: history.map(({ session: _session, tree: _tree, ...dispatch }) => dispatch),
    open: state.open && openOf(state.open.started),
    usage: shownUsage(state.spent),
    budget: known(() => shownBudget(state.spent, limitsOf(session.settings(view.config).spending, state.choice))),
    edited: known(() => editIn(view, folder)),
    putRight: [],
    problems,
    owner,
    workspace,
  };
  return { status, pending };
}

function goalOfFirst(state: RunState): string | null {
  const goal = undelivered(state, session.machine.initial)?.args['goal'];
  return typeof goal === 'string' ? goal : null;
}

/** A document that cannot be read is said in place of what it would tell: the journal stands all the same. */
function orProblem<T>(read: () => T, problems: string[]): T | null {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    if (!problems.includes(error.message)) problems.push(error.message);
    return null;
  }
}

function saidOf(view: RunView, owner: Owner | null): Pick<SessionStatus, 'outcome' | 'message' | 'next'> {
  const { run, snapshot } = view;
  const effect = effectOf(session.machine, snapshot);
  if (snapshot.state === session.machine.initial) {
    const message = 'it was cut off before it began';
    return { outcome: 'interrupted', message, next: `pawl session resume ${run}` };
  }
  if (effect.type === 'dispatch' || effect.type === 'check') {
    if (owner) return { outcome: null, message: 'it is being worked on', next: `pawl log ${run} --follow` };
    const message = `it was interrupted in ${snapshot.state}; everything finished so far is kept`;
    return { outcome: 'interrupted', message, next: `pawl session resume ${run}` };
  }
  const outcome = effect.type === 'rest' ? effect.outcome : 'needs_person';
  const { message, next } = session.summarize(view, { outcome, refusal: null });
  return { outcome, message, next };
}

/** Those that are asked just now, and those that wait until the session gets there again. */
function decisionsIn({ run, snapshot }: RunView, pending: PendingDecision | null): SessionStatus['decisions'] {
  const asked = pending ? shownDecisions(pending) : [];
  const waiting = pendingIn(snapshot).filter(({ decision_id: id }) => !asked.some((each) => each.id === id));
  return [
    ...asked.map((each) => ({ ...each, answerWith: `pawl answer ${run} ${each.id} "<answer>"` })),
    ...waiting.map(({ decision_id: id, question, state_context: context }) => ({
      id,
      title: question,
      detail: `asked in ${context}`,
      answers: {},
      paths: [],
      answerWith: null,
    })),
  ];
}

function blockerIn(view: RunView): ShownBlocker {
  const { returnTo } = view.snapshot;
  const from = returnTo === null ? null : phaseOf({ ...view.snapshot, state: returnTo, returnTo: null });
  return { ...stoppedBy(view), from };
}

function strategyIn({ snapshot: { flags } }: RunView): string | null {
  const { course } = flags;
  return course === 'per_batch' || course === 'single_final' ? course.replace('_', '-') : null;
}

function repairsIn({ snapshot }: RunView): ShownRepairs {
  const scope = data.scopeOf(snapshot);
  const limits = repairNames.map((name) => [data.kindOf[name], snapshot.limits[name] ?? 0] as const);
  const limit = (kind: string): number => limits.find(([each]) => each === kind)?.[1] ?? 0;
  return {
    scope,
    counts: data.retriesOf(snapshot, scope),
    limits: {
      FIX_REVIEW: limit('FIX_REVIEW'),
      FIX_TESTS: limit('FIX_TESTS'),
      FIX_SECURITY: limit('FIX_SECURITY'),
      FIX_BUILD: limit('FIX_BUILD'),
    },
  };
}

function openOf({ id, role, step, agent, at }: NonNullable<RunState['open']>['started']) {
  return { id, role, step, agent, startedAt: at };
}

function editIn(view: RunView, folder: string): SessionStatus['edited'] {
  const shown = shownState(session, view);
  if (!shown || !isEdit(shown, session.machine, () => readJournal(folder) ?? [])) return null;
  return { phase: shown.phase, journal: shown.recorded };
}
