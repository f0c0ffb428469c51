/** Defects planted in copies of the `feature` table: each is found. */

import { expect, test } from 'vitest';
import type { Machine, Route } from '../../src/engine/machine.ts';
import { verify, type VerifyOptions } from '../../src/verifier/verifier.ts';
import { machine } from '../../src/workflows/feature/transition-table.ts';
import { withRoutes, withState } from './plant.fixture.ts';
import { describePlanted, type Planted } from './planted.fixture.ts';

const feature: Machine = machine;
const options: VerifyOptions = { workflow: 'feature', writers: ['executor'], limits: { retries: 1 }, worstCase: false };

function routes(edits: Readonly<Record<string, Route | null>>): Machine {
  return withRoutes(edits, feature);
}

const planted: readonly Planted[] = [
  {
    defect: 'implement without a spec in every mode',
    machine: routes({ 'find_spec.missing': { to: 'admit' } }),
    proof: 'invariant:input_before_work',
    says: 'admit can be entered while input is missing',
    ends: ['idle.implement → find_spec', 'find_spec.missing → admit'],
  },
  {
    defect: 'a phase that is entered past the transition check',
    machine: routes({ 'idle.design': { to: 'start', set: { target: 'design', input: 'unneeded' } } }),
    proof: 'invariant:admitted_before_work',
    says: 'start can be entered before admit.proceed or confirm_move.proceed',
    ends: ['idle.design → start'],
  },
  {
    defect: 'a document that is completed without a review',
    machine: routes({ 'inspect.sound': { to: 'complete' } }),
    proof: 'invariant:reviewed_or_skipped',
    says: 'complete can be entered before review.approved',
    ends: ['produce.made → inspect', 'inspect.sound → complete'],
  },
  {
    defect: 'an unsound document that is completed at the limit',
    machine: routes({
      'inspect.unsound': [{ when: { left: 'rounds' }, to: 'produce', spend: 'rounds' }, { to: 'complete' }],
    }),
    proof: 'invariant:reviewed_or_skipped',
    says: 'complete can be entered before review.approved',
    ends: ['inspect.unsound → complete'],
  },
  {
    defect: 'code that is compared with the spec and never reviewed',
    machine: routes({ 'inspect_code.sound': { to: 'same_code' } }),
    proof: 'invariant:reviewed_before_final',
    says: 'final_review can be entered before review_code.approved or review_code.changes',
    ends: ['inspect_code.sound → same_code', 'same_code.same → final_review'],
  },
  {
    defect: 'a reviewer who sends back for ever',
    machine: routes({ 'review.changes': { to: 'produce' } }),
    proof: 'terminates',
    says: 'is not bounded: it spends no budget and asks no person',
    cycle: ['review.changes → produce', 'produce.made → inspect', 'inspect.sound → review'],
  },
  {
    defect: 'a code reviewer who sends back for ever',
    machine: routes({ 'review_code.changes': { to: 'revise' } }),
    proof: 'terminates',
    says: 'is not bounded: it spends no budget and asks no person',
    cycle: ['review_code.changes → revise', 'revise.made → inspect_code'],
  },
  {
    defect: 'findings that are addressed without a person and a limit',
    machine: routes({ 'final_review.findings': { to: 'revise' } }),
    proof: 'terminates',
    says: 'is not bounded: it spends no budget and asks no person',
    cycle: ['final_review.findings → revise'],
  },
  {
    defect: 'an approval of verify that survives a later phase',
    machine: routes({ 'admit.proceed': { to: 'start' } }),
    proof: 'gate:verified',
    says: 'ask_finish can be entered although the code',
  },
  {
    defect: 'finish in full mode without looking whether anything changed since verify',
    machine: routes({
      'idle.finish': [
        { when: { flag: 'verify', is: 'required' }, refuse: 'NotVerified', outcome: 'not_ready' },
        { when: { flag: 'mode', is: 'full' }, to: 'ask_finish' },
        { to: 'inspect_finish' },
      ],
    }),
    proof: 'gate:verified',
    says: 'ask_finish can be entered although the code may have been edited since it was approved',
    ends: ['idle.finish → ask_finish'],
  },
  {
    defect: 'finish in full mode without verify',
    machine: routes({ 'idle.finish': { to: 'inspect_finish' }, 'inspect_finish.unverified': { to: 'ask_finish' } }),
    proof: 'invariant:full_is_verified',
    says: 'ask_finish can be entered while verify is required',
    ends: ['idle.finish → inspect_finish', 'inspect_finish.unverified → ask_finish'],
  },
  {
    defect: 'finish of a full feature that stopped in a phase',
    machine: routes({ 'stopped.finish': { to: 'inspect_finish' }, 'inspect_finish.unverified': { to: 'ask_finish' } }),
    proof: 'invariant:full_is_verified',
    says: 'ask_finish can be entered while verify is required',
    ends: ['stopped.finish → inspect_finish', 'inspect_finish.unverified → ask_finish'],
  },
  {
    defect: 'a merge without looking whether anything changed while the person decided',
    machine: routes({ 'ask_finish.merge': { to: 'merge' } }),
    proof: 'gate:verified',
    says: 'merge can be entered although the code may have been edited since it was approved',
    ends: ['ask_finish.merge → merge'],
  },
  {
    defect: 'a phase in full mode that leaves verify approved',
    machine: routes({ 'confirm_move.proceed': { to: 'start' } }),
    proof: 'gate:verified',
    says: 'ask_finish can be entered although the code',
  },
  {
    defect: 'discard without the typed confirmation',
    machine: routes({ 'ask_finish.discard': { to: 'discard' } }),
    proof: 'invariant:discard_is_typed',
    says: 'discard can be entered before confirm_discard.confirmed',
    ends: ['inspect_finish.unverified → ask_finish', 'ask_finish.discard → discard'],
  },
  {
    defect: 'other words that discard all the same',
    machine: routes({ 'confirm_discard.declined': { to: 'discard' } }),
    proof: 'invariant:discard_is_typed',
    says: 'discard can be entered before confirm_discard.confirmed',
    ends: ['ask_finish.discard → confirm_discard', 'confirm_discard.declined → discard'],
  },
  {
    defect: 'an executor who reviews',
    machine: withState('review_verification', { role: 'executor' }, feature),
    proof: 'roles',
    says: 'executor',
  },
  {
    defect: 'a review of code without the checks in front of it',
    machine: routes({ 'revise.made': { to: 'review_code' } }),
    proof: 'checked',
    says: 'review_code can be entered without inspect_code before it',
    ends: ['revise.made → review_code'],
  },
];

describePlanted(planted, options);

test('[feature/verify/proofs] the workflow without a defect is proven, claim by claim', () => {
  const { holds, proofs } = verify(feature, options);
  expect(proofs.flatMap(({ refutations }) => refutations.map(({ what }) => what))).toEqual([]);
  expect(holds).toBe(true);
  const ids = proofs.map(({ id }) => id);
  for (const id of [
    'terminates',
    'budgets',
    'roles',
    'checked',
    'gate:verified',
    'invariant:input_before_work',
    'invariant:admitted_before_work',
    'invariant:reviewed_or_skipped',
    'invariant:reviewed_before_final',
    'invariant:full_is_verified',
    'invariant:discard_is_typed',
  ])
    expect(ids).toContain(id);
});
