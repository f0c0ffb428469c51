/** From a goal to a design that a person approved. */

import type { Machine } from '../../../engine/machine.ts';
import type { SessionVocabulary as V } from '../vocabulary.ts';
import { open, openKeeping, stops, wanting } from './stops.ts';

/**
 * A correction is queued first, so that it is on record before anybody is set to work.
 * Another design means another plan, so a review strategy that was chosen is chosen again.
 */
const corrections = {
  change_spec: { to: 'queue_correction', remember: 'correct_spec', set: { course: 'full' } },
  change_architecture: { to: 'queue_correction', remember: 'correct_architecture', set: { course: 'full' } },
  change_ui: { to: 'queue_correction', remember: 'correct_ui', set: { course: 'full' } },
} as const;

export const designing: Pick<
  Machine<V>['states'],
  | 'open_session'
  | 'intake'
  | 'ask_lean'
  | 'check_intake'
  | 'intake_lean'
  | 'check_lean'
  | 'research'
  | 'architect'
  | 'design_ui'
  | 'check_design'
  | 'approve_design'
  | 'reapprove_design'
  | 'queue_correction'
  | 'correct_spec'
  | 'correct_architecture'
  | 'correct_ui'
  | 'verify_correction'
> = {
  open_session: {
    kind: 'check',
    check: 'open_session',
    on: { opened: [{ when: { flag: 'course', is: 'lean' }, to: 'intake_lean' }, { to: 'intake' }] },
  },
  intake: {
    kind: 'dispatch',
    role: 'SpecAgent',
    makes: 'design',
    on: { reported: { to: 'check_intake' }, lean: { to: 'ask_lean' }, ...stops },
  },
  // Lean work skips both gates, so whether it is lean is for a person to say.
  ask_lean: {
    kind: 'decide',
    question: 'lean',
    on: { lean: { to: 'intake_lean', set: { course: 'lean' } }, full: { to: 'check_intake' }, ...open },
  },
  check_intake: {
    kind: 'check',
    check: 'check_intake',
    on: { valid: { to: 'research' }, invalid: wanting('intake') },
  },
  intake_lean: { kind: 'dispatch', role: 'SpecAgent', on: { reported: { to: 'check_lean' }, ...stops } },
  check_lean: {
    kind: 'check',
    check: 'check_lean',
    on: { valid: { to: 'schedule' }, invalid: wanting('intake_lean') },
  },

  research: {
    kind: 'dispatch',
    role: 'Researcher',
    makes: 'design',
    on: { reported: { to: 'architect' }, not_needed: { to: 'architect' }, ...stops },
  },
  architect: {
    kind: 'dispatch',
    role: 'Architect',
    makes: 'design',
    on: { reported: { to: 'design_ui' }, ...stops },
  },
  design_ui: {
    kind: 'dispatch',
    role: 'Designer',
    makes: 'design',
    on: { reported: { to: 'check_design' }, not_needed: { to: 'check_design' }, ...stops },
  },
  check_design: {
    kind: 'check',
    check: 'check_design',
    on: { valid: { to: 'approve_design' }, invalid: wanting('architect') },
  },
  approve_design: {
    kind: 'decide',
    question: 'design',
    on: { approved: { to: 'plan' }, ...corrections, ...open },
  },
  // Somebody edited what was approved: it is approved again where the work stands, or corrected.
  reapprove_design: {
    kind: 'decide',
    question: 'design',
    on: { approved: { to: 'recheck' }, ...corrections, ...openKeeping('blocked') },
  },

  queue_correction: { kind: 'check', check: 'queue_correction', on: { queued: { to: 'return' } } },
  correct_spec: {
    kind: 'dispatch',
    role: 'SpecAgent',
    makes: 'design',
    on: { reported: { to: 'verify_correction' }, ...stops },
  },
  correct_architecture: {
    kind: 'dispatch',
    role: 'Architect',
    makes: 'design',
    on: { reported: { to: 'verify_correction' }, ...stops },
  },
  correct_ui: {
    kind: 'dispatch',
    role: 'Designer',
    makes: 'design',
    on: { reported: { to: 'verify_correction' }, ...stops },
  },
  // Whether the correction was made is shown to the person; it is never made twice.
  verify_correction: {
    kind: 'check',
    check: 'verify_correction',
    on: { completed: { to: 'approve_design' }, incomplete: { to: 'approve_design' } },
  },
};
