/** The rules of the reviewer loop and of finish as rows of the machine: where each result of a step leads. */

import { describe, expect, test } from 'vitest';
import { branchesOf, stateOf } from '../../src/engine/transition.ts';
import { machine } from '../../src/workflows/feature/transition-table.ts';
import { routeInWords, routingRows } from '../routing-rows.ts';

const routes = new Map(routingRows(machine, { fully: true }).map(([state, signal, to]) => [`${state}.${signal}`, to]));

const unreviewed = (step: string): string => `stopped, back to ${step} (failed)`;

describe.each<[rule: string, rows: Readonly<Record<string, string>>]>([
  [
    '[feature/loop/approved] approved: completed',
    {
      'review.approved': 'complete',
      'review_verification.approved': 'complete, set verify approved',
      'review_code.approved': 'same_code',
      'final_review.approved': 'complete',
    },
  ],
  [
    '[feature/loop/again] [feature/loop/limit] not approved: again while rounds are left, then completed',
    {
      'review.changes': 'rounds left: produce, spend rounds; else complete',
      'review_verification.changes': 'rounds left: produce, spend rounds; else complete',
      'review_code.changes': 'rounds left: revise, spend rounds; else same_code',
    },
  ],
  [
    '[feature/loop/unsound] unsound: again while rounds are left, then stopped',
    {
      'inspect.unsound': `rounds left: produce, spend rounds; else ${unreviewed('produce')}`,
      'inspect_code.unsound': `rounds left: revise, spend rounds; else ${unreviewed('revise')}`,
    },
  ],
  [
    '[feature/commands/no-review] without a review: completed',
    { 'inspect.skipped': 'complete', 'inspect_code.skipped': 'complete' },
  ],
  [
    '[feature/final/runs] [feature/final/address] [feature/final/proceed] the final reviewer, once the loop ends',
    {
      'same_code.same': 'final_review',
      'final_review.findings': 'ask_findings',
      'ask_findings.address': 'addresses left: revise, spend addresses; else refuse NoAddressLeft (over_budget)',
      'ask_findings.proceed': 'complete',
    },
  ],
  [
    '[feature/loop/partial] a phase that was left',
    {
      'start.partial': 'ask_partial, load work',
      'ask_partial.continue': 'target implement: implement_task; else produce',
      'ask_partial.fresh': 'set_aside',
      'ask_partial.review': 'target implement: inspect_code; else inspect',
    },
  ],
  [
    '[feature/back/void] every phase that begins makes an approved verify void',
    {
      'admit.proceed': 'mode full: start, set verify required; else start, set verify optional',
      'confirm_move.proceed': 'mode full: start, set verify required; else start, set verify optional',
    },
  ],
  [
    '[feature/finish/pull-request] [feature/finish/merge] [feature/finish/keep] [feature/finish/discard] finish',
    {
      'ask_finish.pull_request': 'inspect_request',
      'ask_finish.merge': 'inspect_merge',
      'ask_finish.keep': 'idle',
      'ask_finish.discard': 'confirm_discard',
      'confirm_discard.confirmed': 'inspect_discard',
      'inspect_discard.ready': 'discard',
      'inspect_merge.verified': 'verify approved: merge; else idle (not_ready)',
      'inspect_merge.unverified': 'mode full: idle (not_ready); else merge',
      'inspect_request.unverified': 'mode full: idle (not_ready); else open_pull_request',
      'confirm_discard.declined': 'idle',
      'merge.merged': 'clean_up',
      'merge.conflict': 'idle (not_ready)',
      'open_pull_request.opened': 'done',
      'clean_up.removed': 'done',
      'discard.removed': 'discarded',
    },
  ],
])('%s', (_, rows) => {
  test.each(Object.entries(rows))('%s leads to %s', (step, to) => {
    expect(routes.get(step)).toBe(to);
  });
});

describe('[feature/loop/unparseable] a report that cannot be used is asked for again twice, then the phase stops', () => {
  const dispatches = Object.keys(machine.states).filter((name) => stateOf(machine, name).kind === 'dispatch');

  test.each(dispatches)('%s', (name) => {
    const { on } = stateOf(machine, name);
    for (const fault of ['failed', 'timed_out', 'unparseable', 'out_of_bounds']) {
      const route = on[fault];
      expect(route && routeInWords(branchesOf(route), { fully: true })).toBe(
        'retries left: again, spend retries; else stopped, back to here (failed)',
      );
    }
  });

  test('two retries for each step', () => {
    expect(machine.budgets['retries']).toEqual({ scope: 'visit', limit: 2 });
  });
});

test('[feature/loop/phases] finish has no agent', () => {
  for (const name of [
    'inspect_finish',
    'inspect_merge',
    'inspect_request',
    'inspect_discard',
    'ask_finish',
    'merge',
    'open_pull_request',
    'clean_up',
    'discard',
  ])
    expect(stateOf(machine, name).kind).not.toBe('dispatch');
});
