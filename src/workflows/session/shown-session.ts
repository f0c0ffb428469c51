/** What `status` shows of a session, whether its journal tells it or its files. */

import type { Blocker, StatusDetails, StatusItem, StatusSection } from '../workflow.ts';
import type { Criterion } from './files/acceptance-file.ts';
import { repairKinds, type Phase, type RepairKind } from './files/status-file.ts';
import type { SessionTask } from './files/tasks-file.ts';

export type ShownBlocker = Blocker & { readonly [key: string]: string | null };

export type ShownRepairs = {
  readonly scope: string;
  readonly counts: Readonly<Record<RepairKind, number>>;
  /** By kind; null where no journal tells. */
  readonly limits: Readonly<Record<string, number>> | null;
};

export interface ShownSession {
  readonly phase: Phase | null;
  /** What stands in the phase's place while there is none. */
  readonly unknown: string;
  readonly goal: string | null;
  readonly mode: 'full' | 'lean' | null;
  readonly blocked: ShownBlocker | null;
  readonly strategy: string | null;
  readonly tasks: readonly SessionTask[] | null;
  /** The task at hand. */
  readonly current: string | null;
  /** What the task at hand (or `meta`, the session as a whole) has used of its attempts at repair. */
  readonly repairs: ShownRepairs | null;
  readonly criteria: readonly Criterion[];
  readonly knownIssues: readonly string[];
  readonly ci: 'unknown' | 'green' | 'red';
  /** What was read otherwise than it stands in status.json. */
  readonly repaired: readonly string[];
  readonly waiting: NonNullable<StatusDetails['waiting']>;
  readonly problems: readonly string[];
}

export function detailsOf(shown: ShownSession): StatusDetails {
  const { phase, unknown, goal, mode, blocked, strategy, repairs, knownIssues, ci, repaired } = shown;
  return {
    keys: {
      goal,
      mode,
      blocked,
      strategy,
      tasks: tasksKey(shown),
      repairAttempts: repairs,
      criteria: shown.criteria.map(({ id, description, status, evidence }) => ({
        id,
        description,
        status: status ?? 'open',
        evidence: evidence ?? null,
      })),
      knownIssues,
      ci,
      repairs: repaired,
    },
    title: [phase ?? unknown, ...(mode === null ? [] : [`${mode} mode`])],
    goal,
    blocker: blocked,
    notes:
      repaired.length === 0
        ? []
        : [{ text: 'status.json is not as Pawl writes it, and is read like this:', items: repaired }],
    figures: figuresOf(shown),
    sections: sectionsOf(shown),
    waiting: shown.waiting,
    problems: shown.problems,
  };
}

export function taskTally(tasks: readonly SessionTask[]): { readonly done: number; readonly total: number } {
  return { done: tasks.filter(({ status }) => status === 'completed').length, total: tasks.length };
}

function tasksKey({ tasks, current }: ShownSession) {
  return tasks && { total: tasks.length, current, all: tasks.map(({ id, title, status }) => ({ id, title, status })) };
}

type Figure = readonly [string, string];

function figuresOf({ phase, mode, strategy, tasks, current, repairs, criteria, ci }: ShownSession): Figure[] {
  const atHand = phase === 'DONE' ? undefined : tasks?.find(({ id }) => id === current);
  const settled = criteria.filter(({ status }) => status !== undefined).length;
  return [
    ...(tasks ? [['tasks', taskCounts(tasks)] as const] : []),
    ...(atHand ? [['at hand', `${atHand.id} ${atHand.title}`] as const] : []),
    ['review', strategy ?? (mode === 'lean' ? 'after each task (lean)' : 'not chosen yet')],
    ...repairFigure(repairs),
    ...(criteria.length > 0 ? [['criteria', `${settled} of ${criteria.length} settled`] as const] : []),
    ...(ci === 'unknown' ? [] : [['build', ci] as const]),
  ];
}

function taskCounts(tasks: readonly SessionTask[]): string {
  const words = ['blocked', 'in-progress', 'implemented', 'not-started'] as const;
  const count = (word: string): number => tasks.filter(({ status }) => status === word).length;
  const rest = words.filter((word) => count(word) > 0).map((word) => `${count(word)} ${word}`);
  return [`${count('completed')} of ${tasks.length} completed`, ...rest].join(', ');
}

function repairFigure(repairs: ShownRepairs | null): Figure[] {
  const used = repairKinds.filter((kind) => repairs && repairs.counts[kind] > 0);
  if (!repairs || used.length === 0) return [];
  const words = used.map((kind) => {
    const limit = repairs.limits?.[kind];
    return `${kind} ${repairs.counts[kind]}${limit === undefined ? '' : ` of ${limit}`}`;
  });
  const scope = repairs.scope === 'meta' ? 'the whole session' : repairs.scope;
  return [['repairs', `${scope}: ${words.join(', ')}`]];
}

function sectionsOf({ phase, tasks, current, criteria, knownIssues }: ShownSession): StatusSection[] {
  const open = phase === 'DONE' ? [] : (tasks ?? []).filter(({ status }) => status !== 'completed');
  const marks = { met: 'done', waived: 'warning', open: 'open' } as const;
  return [
    {
      title: 'Tasks',
      items: open.map(({ id, title, status }): StatusItem => {
        const mark = status === 'blocked' ? 'failed' : id === current ? 'current' : 'open';
        return { mark, id, state: status, text: title };
      }),
    },
    {
      title: 'Acceptance criteria',
      items: criteria.map(({ id, description, status }) => ({
        mark: marks[status ?? 'open'],
        id,
        state: status ?? 'open',
        text: description,
      })),
    },
    { title: 'Known issues', items: knownIssues.map((text) => ({ mark: 'open', text })) },
  ];
}
