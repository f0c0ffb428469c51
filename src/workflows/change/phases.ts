/** The phases of a change, as STATE.yaml shows them, and which state of the machine belongs to which. */

import type { Snapshot } from '../../engine/snapshot.ts';
import type { ChangeVocabulary } from './vocabulary.ts';

export const phases = ['proposed', 'challenged', 'rejected', 'implementing', 'complete', 'archived'] as const;
export type Phase = (typeof phases)[number];

/** The phase a snapshot belongs to; `null` before there is anything to show. */
export function phaseOf(snapshot: Pick<Snapshot, 'state' | 'flags' | 'returnTo'>): Phase | null {
  if (snapshot.flags['rereview'] === 'yes') return 'complete';
  const state = snapshot.state === 'confirm_plan' ? (snapshot.returnTo ?? '') : snapshot.state;
  const byName: Readonly<Record<string, Phase | null>> = phaseOfState;
  return byName[state] ?? null;
}

const phaseOfState = {
  new: null,
  survey: 'proposed',
  propose: 'proposed',
  order: 'proposed',
  specify: 'proposed',
  find_tasks: 'proposed',
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
  reconfirm_plan: 'implementing',
  select_tasks: 'implementing',
  implement: 'implementing',
  tally: 'implementing',
  run_checks: 'implementing',
  review: 'implementing',
  fix: 'implementing',
  implementing: 'implementing',
  complete: 'complete',
  confirm_code: 'complete',
  reconfirm_code: 'complete',
  merge: 'complete',
  merge_by_hand: 'complete',
  review_merge: 'complete',
  finish_merge: 'complete',
  archived: 'archived',
} as const satisfies { readonly [S in keyof ChangeVocabulary['states']]: Phase | null };
