/**
 * The `change` workflow as a transition table.
 *
 * Parked and final states carry the names of the phases in STATE.yaml; a command decides on those alone.
 * Everything a route depends on beyond budgets and flags is found out by a check state and arrives as a signal.
 */

import type { Fault, Machine, Move, On, Route } from '../../engine/machine.ts';
import type { Snapshot } from '../../engine/snapshot.ts';

export interface ChangeVocabulary {
  states: {
    new: never;
    // Planning
    survey: 'nothing' | 'specs_missing' | 'tasks_missing' | 'complete' | 'invalid';
    propose: 'reported';
    order: 'specs_missing' | 'tasks_missing' | 'complete' | 'invalid';
    specify: 'reported';
    list_tasks: 'reported';
    validate: 'valid' | 'invalid';
    repair: 'reported';
    challenge: 'approved' | 'needs_revision' | 'needs_minor_revision' | 'rejected';
    revise: 'reported';
    ask_revision: 'implement_anyway' | 'view' | 'continue';
    compare_rejected: 'changed' | 'unchanged';
    compare_approved: 'changed' | 'unchanged';
    proposed: never;
    challenged: never;
    rejected: never;
    // Implementing
    confirm_plan: 'unchanged' | 'accepted' | 'edited';
    select_tasks: 'work' | 'to_review' | 'to_fix' | 'approved' | 'subset_done' | 'blocked' | 'invalid';
    implement: 'reported' | 'blocked';
    tally: 'all_done' | 'subset_done' | 'blocked';
    run_checks: 'ran';
    review: 'approved' | 'needs_fix' | 'major_issues';
    fix: 'reported';
    implementing: never;
    complete: never;
    // Archiving
    confirm_code: 'unchanged' | 'changed';
    merge: 'merged' | 'conflicts' | 'invalid';
    merge_by_hand: 'reported';
    review_merge: 'approved' | 'needs_fix';
    finish_merge: 'merged' | 'invalid';
    archived: never;
  };
  roles: 'planner' | 'challenger' | 'implementer' | 'reviewer' | 'archivist';
  checks:
    | 'survey'
    | 'order'
    | 'validate'
    | 'compare_rejected'
    | 'compare_approved'
    | 'confirm_plan'
    | 'select_tasks'
    | 'tally'
    | 'run_checks'
    | 'confirm_code'
    | 'merge';
  questions: 'revision';
  commands: 'plan' | 'impl' | 'review' | 'archive' | 'retry' | 'undo';
  budgets: 'planning' | 'implementation' | 'archiving' | 'retries';
  lists: 'specs' | 'groups' | 'conflicts';
  flags: {
    /** Whether the last review of the plan has a High issue: then nobody may go on with it. */
    high: 'yes' | 'no';
    /** Whether the planner was already sent back for the format of this version of the plan. */
    repaired: 'yes' | 'no';
    /** Whether a fault stopped the run, so that `retry` has a step to go back to. */
    stalled: 'yes' | 'no';
    /** Whether the review under way is a fresh one of a complete change. */
    rereview: 'yes' | 'no';
  };
}

type V = ChangeVocabulary;

const notFound = { refuse: 'ChangeNotFound', outcome: 'not_ready' } as const;
const notReady = { refuse: 'ChangeNotReady', outcome: 'not_ready' } as const;
const notComplete = { refuse: 'ChangeNotComplete', outcome: 'not_ready' } as const;
const beyondPlanning = { refuse: 'BeyondPlanning', outcome: 'done' } as const;
const nothingToRetry = { refuse: 'NothingToRetry', outcome: 'not_ready' } as const;
const nothingToUndo = { refuse: 'NothingToUndo', outcome: 'not_ready' } as const;

/** Transient faults are retried; then, and for all others, the run stops where its phase rests and can be retried. */
function faults(rest: 'proposed' | 'implementing' | 'complete'): On<Fault, V> {
  const stopAt = (to: typeof rest, outcome: NonNullable<Move['outcome']>) =>
    ({ to, remember: true, set: { stalled: 'yes', rereview: 'no' }, outcome }) as const;
  const stop = (outcome: NonNullable<Move['outcome']>): Route<V> => [
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', outcome) },
    stopAt(rest, outcome),
  ];
  const retry: Route<V> = [
    { when: { left: 'retries' }, to: 'again', spend: 'retries' },
    { when: { flag: 'rereview', is: 'yes' }, ...stopAt('complete', 'failed') },
    stopAt(rest, 'failed'),
  ];
  return {
    failed: retry,
    timed_out: retry,
    unparseable: retry,
    out_of_bounds: retry,
    rate_limited: stop('temporary'),
    unavailable: stop('unavailable'),
    over_budget: stop('over_budget'),
    cancelled: stop('interrupted'),
  };
}

/** Both enter planning where the documents say something is missing; they differ only in what may be missing. */
const generate = {
  specs_missing: { to: 'specify', load: 'specs' },
  tasks_missing: { to: 'list_tasks' },
  complete: { to: 'validate' },
  invalid: { to: 'proposed' },
} as const;

const stopImplementing = { to: 'implementing', set: { rereview: 'no' } } as const;

export const machine: Machine<V> = {
  initial: 'new',
  commands: ['plan', 'impl', 'review', 'archive', 'retry', 'undo'],
  budgets: {
    planning: { scope: 'command', limit: 2 },
    implementation: { scope: 'command', limit: 2 },
    archiving: { scope: 'command', limit: 1 },
    retries: { scope: 'visit', limit: 3 },
  },
  flags: { high: 'no', repaired: 'no', stalled: 'no', rereview: 'no' },
  lists: ['specs', 'groups', 'conflicts'],
  states: {
    new: {
      kind: 'parked',
      outcome: 'not_ready',
      on: {
        plan: { to: 'survey' },
        impl: notFound,
        review: notFound,
        archive: notFound,
        retry: notFound,
        undo: notFound,
      },
    },

    survey: { kind: 'check', check: 'survey', on: { nothing: { to: 'propose' }, ...generate } },
    propose: { kind: 'dispatch', role: 'planner', on: { reported: { to: 'order' }, ...faults('proposed') } },
    order: { kind: 'check', check: 'order', on: generate },
    specify: {
      kind: 'dispatch',
      role: 'planner',
      each: 'specs',
      on: {
        reported: [
          { when: { more: 'specs' }, to: 'specify', finish: true },
          { to: 'list_tasks', finish: true },
        ],
        ...faults('proposed'),
      },
    },
    list_tasks: { kind: 'dispatch', role: 'planner', on: { reported: { to: 'validate' }, ...faults('proposed') } },
    validate: {
      kind: 'check',
      check: 'validate',
      on: {
        valid: { to: 'challenge', set: { repaired: 'no' } },
        invalid: [
          { when: { flag: 'repaired', is: 'no' }, to: 'repair', set: { repaired: 'yes' } },
          { to: 'proposed', set: { repaired: 'no' } },
        ],
      },
    },
    repair: { kind: 'dispatch', role: 'planner', on: { reported: { to: 'order' }, ...faults('proposed') } },
    challenge: {
      kind: 'dispatch',
      role: 'challenger',
      on: {
        approved: { to: 'challenged' },
        needs_revision: [
          { when: { left: 'planning' }, to: 'revise', spend: 'planning' },
          { to: 'ask_revision', set: { high: 'yes' } },
        ],
        needs_minor_revision: [
          { when: { left: 'planning' }, to: 'revise', spend: 'planning' },
          { to: 'ask_revision', set: { high: 'no' } },
        ],
        rejected: { to: 'rejected' },
        ...faults('proposed'),
      },
    },
    revise: { kind: 'dispatch', role: 'planner', on: { reported: { to: 'order' }, ...faults('proposed') } },
    ask_revision: {
      kind: 'decide',
      question: 'revision',
      on: {
        implement_anyway: [
          { when: { flag: 'high', is: 'yes' }, refuse: 'HighIssueOpen', outcome: 'needs_person' },
          { to: 'challenged' },
        ],
        continue: { to: 'revise', grant: 'planning', spend: 'planning' },
        view: { to: 'again' },
        cancelled: { to: 'proposed' },
      },
    },
    compare_rejected: {
      kind: 'check',
      check: 'compare_rejected',
      on: { changed: { to: 'survey' }, unchanged: { to: 'rejected' } },
    },
    compare_approved: {
      kind: 'check',
      check: 'compare_approved',
      on: { changed: { to: 'survey' }, unchanged: { to: 'challenged' } },
    },

    proposed: {
      kind: 'parked',
      outcome: 'needs_person',
      on: {
        plan: { to: 'survey', set: { stalled: 'no' } },
        impl: notReady,
        review: notReady,
        archive: notComplete,
        retry: [
          { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
          { to: 'survey' },
        ],
        undo: nothingToUndo,
      },
    },
    challenged: {
      kind: 'parked',
      outcome: 'done',
      on: {
        plan: { to: 'compare_approved' },
        impl: { to: 'confirm_plan', remember: true },
        review: notReady,
        archive: notComplete,
        retry: nothingToRetry,
        undo: nothingToUndo,
      },
    },
    rejected: {
      kind: 'parked',
      outcome: 'needs_person',
      on: {
        plan: { to: 'compare_rejected' },
        impl: notReady,
        review: notReady,
        archive: notComplete,
        retry: nothingToRetry,
        undo: nothingToUndo,
      },
    },

    confirm_plan: {
      kind: 'check',
      check: 'confirm_plan',
      on: {
        unchanged: { to: 'select_tasks' },
        accepted: { to: 'select_tasks' },
        edited: { to: 'return', outcome: 'not_ready' },
      },
    },
    select_tasks: {
      kind: 'check',
      check: 'select_tasks',
      on: {
        work: { to: 'implement', load: 'groups' },
        to_review: { to: 'run_checks' },
        to_fix: { to: 'fix' },
        approved: { to: 'complete' },
        subset_done: { to: 'implementing', outcome: 'done' },
        blocked: { to: 'implementing' },
        invalid: { to: 'return', outcome: 'not_ready' },
      },
    },
    implement: {
      kind: 'dispatch',
      role: 'implementer',
      each: 'groups',
      on: {
        reported: [
          { when: { more: 'groups' }, to: 'implement', finish: true },
          { to: 'tally', finish: true },
        ],
        blocked: { to: 'implementing' },
        ...faults('implementing'),
      },
    },
    tally: {
      kind: 'check',
      check: 'tally',
      on: {
        all_done: { to: 'run_checks' },
        subset_done: { to: 'implementing', outcome: 'done' },
        blocked: { to: 'implementing' },
      },
    },
    run_checks: { kind: 'check', check: 'run_checks', on: { ran: { to: 'review' } } },
    review: {
      kind: 'dispatch',
      role: 'reviewer',
      on: {
        approved: { to: 'complete', set: { rereview: 'no' } },
        needs_fix: [
          { when: { flag: 'rereview', is: 'yes' }, ...stopImplementing },
          { when: { left: 'implementation' }, to: 'fix', spend: 'implementation' },
          stopImplementing,
        ],
        major_issues: stopImplementing,
        ...faults('implementing'),
      },
    },
    fix: { kind: 'dispatch', role: 'implementer', on: { reported: { to: 'run_checks' }, ...faults('implementing') } },
    implementing: {
      kind: 'parked',
      outcome: 'needs_person',
      on: {
        plan: beyondPlanning,
        impl: { to: 'confirm_plan', remember: true, set: { stalled: 'no' } },
        review: { to: 'run_checks', set: { stalled: 'no' } },
        archive: notComplete,
        retry: [
          { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
          { to: 'confirm_plan', remember: true },
        ],
        undo: { to: 'challenged', set: { stalled: 'no' } },
      },
    },
    complete: {
      kind: 'parked',
      outcome: 'done',
      on: {
        plan: beyondPlanning,
        impl: { refuse: 'AlreadyComplete', outcome: 'done' },
        review: { to: 'run_checks', set: { rereview: 'yes' } },
        archive: { to: 'confirm_code', set: { stalled: 'no' } },
        retry: [
          { when: { flag: 'stalled', is: 'yes' }, to: 'return', set: { stalled: 'no' } },
          nothingToRetry,
        ],
        undo: { to: 'challenged', set: { stalled: 'no' } },
      },
    },

    confirm_code: {
      kind: 'check',
      check: 'confirm_code',
      on: { unchanged: { to: 'merge' }, changed: { to: 'complete', outcome: 'not_ready' } },
    },
    merge: {
      kind: 'check',
      check: 'merge',
      on: {
        merged: { to: 'archived' },
        conflicts: { to: 'merge_by_hand', load: 'conflicts' },
        invalid: { to: 'complete', outcome: 'needs_person' },
      },
    },
    merge_by_hand: {
      kind: 'dispatch',
      role: 'archivist',
      each: 'conflicts',
      on: {
        reported: [
          { when: { more: 'conflicts' }, to: 'merge_by_hand', finish: true },
          { to: 'review_merge', finish: true },
        ],
        ...faults('complete'),
      },
    },
    review_merge: {
      kind: 'dispatch',
      role: 'reviewer',
      on: {
        approved: { to: 'finish_merge' },
        needs_fix: [
          { when: { left: 'archiving' }, to: 'merge', spend: 'archiving' },
          { to: 'complete', outcome: 'needs_person' },
        ],
        ...faults('complete'),
      },
    },
    finish_merge: {
      kind: 'check',
      check: 'merge',
      on: { merged: { to: 'archived' }, invalid: { to: 'complete', outcome: 'needs_person' } },
    },
    archived: {
      kind: 'final',
      outcome: 'done',
      on: {
        plan: beyondPlanning,
        impl: notReady,
        review: notReady,
        archive: { refuse: 'AlreadyArchived', outcome: 'done' },
        retry: nothingToRetry,
        undo: nothingToUndo,
      },
    },
  },
};

export type Phase = 'proposed' | 'challenged' | 'rejected' | 'implementing' | 'complete' | 'archived';

/** The phase a state belongs to; `null` before there is anything to show. */
export function phaseOf(snapshot: Pick<Snapshot, 'state' | 'flags' | 'returnTo'>): Phase | null {
  if (snapshot.flags['rereview'] === 'yes') return 'complete';
  const state = snapshot.state === 'confirm_plan' ? (snapshot.returnTo ?? '') : snapshot.state;
  return Object.hasOwn(phases, state) ? phases[state as keyof typeof phases] : null;
}

const phases = {
  new: null,
  survey: 'proposed',
  propose: 'proposed',
  order: 'proposed',
  specify: 'proposed',
  list_tasks: 'proposed',
  validate: 'proposed',
  repair: 'proposed',
  challenge: 'proposed',
  revise: 'proposed',
  ask_revision: 'proposed',
  proposed: 'proposed',
  compare_rejected: 'rejected',
  rejected: 'rejected',
  compare_approved: 'challenged',
  challenged: 'challenged',
  confirm_plan: 'challenged',
  select_tasks: 'implementing',
  implement: 'implementing',
  tally: 'implementing',
  run_checks: 'implementing',
  review: 'implementing',
  fix: 'implementing',
  implementing: 'implementing',
  complete: 'complete',
  confirm_code: 'complete',
  merge: 'complete',
  merge_by_hand: 'complete',
  review_merge: 'complete',
  finish_merge: 'complete',
  archived: 'archived',
} as const satisfies { readonly [S in keyof V['states']]: Phase | null };
