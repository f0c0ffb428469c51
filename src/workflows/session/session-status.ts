/** What lists and `status` tell of a session: the same of one with a journal as of one that only its files tell of. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { currentItem } from '../../engine/snapshot.ts';
import type { Blocker, Details, ForeignReader, RunView, StatusDetails, StatusItem, StatusView } from '../workflow.ts';
import { judgedCriteria } from './closing.ts';
import { readStrategy } from './answers.ts';
import { criteriaOf, tasksOf, type SessionFiles } from './documents.ts';
import type { Criterion } from './files/acceptance-file.ts';
import { withCompleted, type SessionTask } from './files/tasks-file.ts';
import { acceptancePath, resumeCommand, sessionFolder, tasksPath } from './files/session-paths.ts';
import { isMap } from './files/decisions-file.ts';
import { inferFrom, readStatus, type Status } from './files/status-file.ts';
import { phaseOf } from './transition-table.ts';
import { data, meta, scopeOf } from './run-data.ts';
import { statusOf } from './state-file.ts';
import { kindOf, repairKinds, repairs as repairNames, strategyDecision, type Phase } from './session-words.ts';

export function listed(view: RunView): Details {
  const { mode, user_decisions: decisions } = statusOf(view);
  return listing(phaseOf(view.snapshot) === null ? null : mode, decisions, view);
}

/** A list of tasks that cannot be read is told by `status`. */
function listing(
  mode: Status['mode'] | null,
  decisions: Status['user_decisions'],
  view: SessionFiles,
  read?: Status,
): Details {
  const tasks = readable(() => tasksIn(view, read), []);
  const done = tasks?.filter(({ status }) => status === 'completed').length;
  const pending = decisions.filter(({ status }) => status === 'pending').length;
  return { mode, pending, tasks: tasks && { done: done ?? 0, total: tasks.length } };
}

export function nextIn(run: string, phase: string | null): string | null {
  return phase === 'DONE' ? null : resumeCommand(run);
}

export function status(view: StatusView): StatusDetails {
  const { snapshot, firstArgs } = view;
  const { mode } = snapshot.flags;
  const problems: string[] = [];
  const goal = data.goal.of(snapshot) || firstArgs['goal'];
  return detailsOf({
    phase: phaseOf(snapshot),
    goal: typeof goal === 'string' ? goal : null,
    status: statusOf(view),
    strategy: mode === 'per_batch' || mode === 'single_final' ? mode.replace('_', '-') : null,
    tasks: readable(() => tasksIn(view), problems),
    current: currentItem(snapshot.lists['tasks'])?.id ?? null,
    scope: scopeOf(snapshot),
    limits: Object.fromEntries(repairNames.map((name) => [kindOf[name], snapshot.limits[name] ?? 0])),
    criteria: readable(() => ifThere(view, acceptancePath(view.run), () => judgedCriteria(view)), problems) ?? [],
    problems,
  });
}

/** Where status.json cannot be read, nothing is known: that is a DocumentError with its line. */
export const foreign: ForeignReader = {
  listed: (run, files, path) => {
    const read = statusIn({ files, run }, path)?.status;
    const fix = `create ${path}`;
    if (!read)
      throw new DocumentError({ file: path, line: null }, 'it is missing', 'the state the session is in', { fix });
    return { ...foreignListing(run, read), details: listing(read.mode, read.user_decisions, { files, run }, read) };
  },
  status: (run, files, path) => {
    const view = { files, run };
    const { status = null, repairs: repaired = [] } = statusIn(view, path) ?? {};
    const listing = foreignListing(run, status);
    const { phase } = listing;
    const problems: string[] = [];
    const tasks = readable(() => tasksIn(view, status), problems);
    const current = tasks?.find((task) => task.status === 'in-progress')?.id ?? null;
    const chosen = status?.user_decisions.find(({ id }) => id === strategyDecision.id)?.answer;
    const strategy = readStrategy(chosen ?? '');
    const details = detailsOf({
      phase,
      status,
      strategy: 'answer' in strategy ? strategy.answer : null,
      tasks,
      current,
      scope: current ?? meta,
      criteria: readable(() => ifThere(view, acceptancePath(run), () => criteriaOf(view)), problems) ?? [],
      repaired,
      problems,
    });
    const unknown = `${sessionFolder(run)} has no status.json, so its state is unknown`;
    const finished = 'it is finished; its journal is not in this repository';
    const going = 'it has no journal in this repository: resuming it means that you vouch for its files';
    const message = phase === null ? unknown : phase === 'DONE' ? finished : going;
    return { ...listing, message, details };
  },
};

function statusIn(view: SessionFiles, path: string): ReturnType<typeof readStatus> | null {
  return ifThere(view, path, (text) => readStatus(text, path, inferFrom(view)));
}

function foreignListing(run: string, read: Status | null) {
  const phase = read?.current_state ?? null;
  return {
    phase,
    outcome: phase === 'DONE' ? ('done' as const) : null,
    updatedAt: read && Date.parse(read.last_update) > 0 ? read.last_update : null,
    next: phase === null || phase === 'DONE' ? null : `${resumeCommand(run)} --accept-state`,
  };
}

function tasksIn(view: SessionFiles, read: Status | null = null): readonly SessionTask[] | null {
  return ifThere(view, tasksPath(view.run), () => {
    const { tasks } = tasksOf(view);
    if (!read) return tasks;
    const counted = withCompleted(tasks, read);
    const isDone = (task: SessionTask, index: number): boolean => task.status !== tasks[index]?.status;
    // Nobody judges a finished session again.
    if (read.current_state !== 'DONE') return counted;
    return counted.map((task, index) => (isDone(task, index) ? { ...task, status: 'completed' } : task));
  });
}

function ifThere<T>({ files }: Pick<SessionFiles, 'files'>, path: string, read: (text: string) => T): T | null {
  const text = files.read(path);
  return text === undefined ? null : read(text);
}

/** A document that cannot be read is told in place of its content: the journal stands all the same. */
function readable<T>(read: () => T, problems: string[]): T | null {
  const value = attempt(read);
  if (!(value instanceof DocumentError)) return value;
  problems.push(value.message);
  return null;
}

interface SessionOverview {
  readonly phase: Phase | null;
  readonly goal?: string | null;
  readonly status: Status | null;
  readonly strategy: string | null;
  readonly tasks: readonly SessionTask[] | null;
  readonly current: string | null;
  /** Whose attempts at repair are shown: those of the current task, or of the session as a whole. */
  readonly scope: string;
  /** By kind, where a journal tells. */
  readonly limits?: Readonly<Record<string, number>>;
  readonly criteria: readonly Criterion[];
  readonly repaired?: readonly string[];
  readonly problems?: readonly string[];
}

function detailsOf(overview: SessionOverview): StatusDetails {
  const { phase, goal = null, strategy, tasks, current, criteria, limits, repaired = [], problems = [] } = overview;
  const { known_issues: knownIssues = [], last_ci_result: ci = 'unknown', user_decisions = [] } = overview.status ?? {};
  const mode = phase === null ? null : (overview.status?.mode ?? null);
  const blocked = phase === 'BLOCKED' ? blockerIn(overview.status) : null;
  const all = tasks?.map(({ id, title, status }) => ({ id, title, status })) ?? [];
  const criteriaKeys = criteria.map(({ id, description, status: state = 'open', evidence = null }) => {
    return { id, description, status: state, evidence };
  });
  return {
    keys: {
      goal,
      mode,
      blocked,
      strategy,
      tasks: tasks && { total: tasks.length, current, all },
      repairAttempts: repairsIn(overview),
      criteria: criteriaKeys,
      knownIssues,
      ci,
      repairs: repaired,
    },
    title: [phase ?? (limits ? 'new' : 'state unknown'), ...(mode === null ? [] : [`${mode} mode`])],
    goal,
    blocker: blocked,
    notes: repaired.length === 0 ? [] : [{ text: 'status.json is not as Pawl writes it:', items: repaired }],
    figures: figuresOf(overview, mode, ci),
    sections: sectionsOf(overview, knownIssues),
    waiting: user_decisions
      .filter((decision) => decision.status === 'pending')
      .map(({ id, question, context }) => ({ id, title: question, detail: `asked in ${context}` })),
    problems,
  };
}

/** As Pawl writes it beside the keys of the format; other tools may do otherwise. */
function blockerIn(read: Status | null): (Blocker & { readonly [key: string]: string | null }) | null {
  const blocked = read?.extra?.['blocked'];
  if (!isMap(blocked)) return null;
  const text = (key: string): string => (typeof blocked[key] === 'string' ? blocked[key] : '');
  return { blocker: text('blocker'), detail: text('detail'), wayOut: text('way_out'), from: text('from') || null };
}

function repairsIn({ status: read, scope, limits }: SessionOverview) {
  const { FIX_REVIEW = 0, FIX_TESTS = 0, FIX_SECURITY = 0, FIX_BUILD = 0 } = read?.retry_counts[scope] ?? {};
  return read && { scope, counts: { FIX_REVIEW, FIX_TESTS, FIX_SECURITY, FIX_BUILD }, limits: limits ?? null };
}

function figuresOf(overview: SessionOverview, mode: string | null, ci: string): (readonly [string, string])[] {
  const { phase, strategy, tasks, current, criteria } = overview;
  const task = phase === 'DONE' ? undefined : tasks?.find(({ id }) => id === current);
  const settled = criteria.filter(({ status }) => status !== undefined).length;
  const unchosen = phase === 'DONE' ? 'not recorded' : 'not chosen yet';
  const figures = {
    tasks: tasks && taskCounts(tasks),
    'at hand': task && `${task.id} ${task.title}`,
    review: strategy ?? (mode === 'lean' ? 'after each task (lean)' : unchosen),
    repairs: repairWords(overview),
    criteria: criteria.length > 0 && `${settled} of ${criteria.length} settled`,
    build: ci !== 'unknown' && ci,
  };
  return Object.entries(figures).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

function taskCounts(tasks: readonly SessionTask[]): string {
  const words = ['blocked', 'in-progress', 'implemented', 'not-started'] as const;
  const count = (word: string): number => tasks.filter(({ status }) => status === word).length;
  const others = words.filter((word) => count(word) > 0).map((word) => `${count(word)} ${word}`);
  return [`${count('completed')} of ${tasks.length} completed`, ...others].join(', ');
}

function repairWords(overview: SessionOverview): string | null {
  const { scope = '', counts, limits } = repairsIn(overview) ?? {};
  const used = repairKinds.filter((kind) => counts && counts[kind] > 0);
  if (used.length === 0) return null;
  const limit = (kind: string): string => (limits ? ` of ${limits[kind]}` : '');
  const words = used.map((kind) => `${kind} ${counts?.[kind]}${limit(kind)}`);
  return `${scope === meta ? 'the whole session' : scope}: ${words.join(', ')}`;
}

function sectionsOf(overview: SessionOverview, knownIssues: readonly string[]): Required<StatusDetails>['sections'] {
  const { phase, tasks, current, criteria } = overview;
  const open = phase === 'DONE' ? [] : (tasks ?? []).filter(({ status }) => status !== 'completed');
  const marks = { met: 'done', waived: 'warning', open: 'open' } as const;
  const taskItems = open.map(({ id, title, status: state }): StatusItem => {
    const mark = state === 'blocked' ? 'failed' : id === current ? 'current' : 'open';
    return { mark, id, state, text: title };
  });
  const criterionItems = criteria.map(({ id, description: text, status: state = 'open' as const }) => {
    return { mark: marks[state], id, state, text };
  });
  return [
    { title: 'Tasks', items: taskItems },
    { title: 'Acceptance criteria', items: criterionItems },
    { title: 'Known issues', items: knownIssues.map((text) => ({ mark: 'open', text })) },
  ];
}
