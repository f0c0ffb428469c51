import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../engine/machine.ts';
import { initialSnapshot, type Snapshot } from '../../engine/snapshot.ts';
import { replay } from '../../runtime/run-state.ts';
import type { Entry } from '../../store/record.ts';
import { summarize } from '../define-workflow.ts';
import { machine } from './transition-table.ts';
import { words } from './summary.ts';

const run = 'add-login';
const files = { read: () => undefined, exists: () => false, list: () => [] };
const initial = initialSnapshot(machine);

function said(snapshot: Snapshot, outcome: Outcome, refusal: string | null = null) {
  return summarize(machine, words, { run, snapshot, files, at: '', history: [] }, { outcome, refusal });
}

/** A change that an earlier version stopped: it kept the problem among the data, without a code. */
function stoppedBefore(signal: string, state: string, outcome: Outcome, problem: string): Snapshot {
  const entries: readonly Entry[] = [
    { type: 'created', format: 1, workflow: 'change', run, workspace: '..', input: {}, snapshot: initial },
    { type: 'moved', from: 'x', signal, change: { state, outcome, data: { problem } } },
  ];
  const replayed = replay(entries.map((entry, index) => ({ seq: index + 1, epoch: 1, at: '', ...entry })));
  if (!replayed) throw new Error('there is no run');
  return replayed.snapshot;
}

describe('journals of earlier versions', () => {
  test.each<[string, string, Outcome, string, object]>([
    [
      'blocked',
      'implementing',
      'needs_person',
      'blocked: 2.1 Log in',
      {
        action: 'blocked',
        message:
          'blocked: 2.1 Log in\nonce that is resolved, set its status to pending in agentd/changes/add-login/tasks.md',
      },
    ],
    [
      'edited',
      'challenged',
      'not_ready',
      'the plan was edited after it was approved',
      {
        action: 'plan_edited',
        message: expect.stringContaining('\npawl change impl add-login --accept-edits'),
        next: 'pawl change plan add-login',
      },
    ],
    [
      'edited',
      'implementing',
      'not_ready',
      'the plan was edited after it was approved',
      { action: 'plan_edited', next: 'pawl change impl add-login --accept-edits' },
    ],
    ['invalid', 'challenged', 'not_ready', 'tasks.md:3: …', { action: 'plan_invalid', message: 'tasks.md:3: …' }],
    ['changed', 'complete', 'not_ready', 'the code changed', { action: 'code_changed', message: 'the code changed' }],
    ['failed', 'proposed', 'failed', 'exit 1', { action: 'failed', message: 'exit 1', next: 'pawl retry add-login' }],
  ])('%s in %s (%s) is said as before', (...[signal, state, outcome, problem, expected]) => {
    expect(said(stoppedBefore(signal, state, outcome, problem), outcome)).toMatchObject(expected);
  });
});

describe('refusals name the phase and the way on', () => {
  test.each([
    ['new', 'ChangeNotFound', 'not_found', 'pawl change plan add-login "what to change and why"'],
    ['proposed', 'ChangeNotReady', 'not_ready', 'pawl change plan add-login'],
    ['challenged', 'ChangeNotReady', 'not_ready', 'pawl change impl add-login'],
    ['archived', 'ChangeNotReady', 'not_ready', null],
    ['rejected', 'ChangeNotComplete', 'not_complete', 'pawl change plan add-login'],
    ['challenged', 'ChangeNotComplete', 'not_complete', 'pawl change impl add-login'],
    ['implementing', 'ChangeNotComplete', 'not_complete', 'pawl change impl add-login'],
    ['implementing', 'BeyondPlanning', 'beyond_planning', 'pawl change impl add-login'],
    ['complete', 'AlreadyComplete', 'already_complete', 'pawl change archive add-login'],
    ['archived', 'AlreadyArchived', 'already_archived', null],
    ['complete', 'NothingToRetry', 'nothing_to_retry', 'pawl change archive add-login'],
    ['proposed', 'NothingToUndo', 'nothing_to_undo', 'pawl change plan add-login'],
    ['ask_revision', 'HighIssueOpen', 'high_issue_open', 'pawl answer add-login revision continue'],
  ])('%s: %s', (state, refusal, action, next) => {
    expect(said({ ...initial, state }, 'not_ready', refusal)).toMatchObject({ action, next });
  });

  test('every reason the machine refuses with has words', () => {
    const reasons = Object.values(machine.states).flatMap(({ on }) =>
      Object.values(on)
        .flat()
        .flatMap((branch) => ('refuse' in branch ? [branch.refuse] : [])),
    );
    expect([...new Set(reasons)].toSorted()).toEqual(Object.keys(words.refusals).toSorted());
  });
});
