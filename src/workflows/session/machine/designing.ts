/** From a goal to a design that a person approved. */

import { designDecision } from '../vocabulary.ts';
import { ask, check, openKeeping, blockedUntil, work } from './rows.ts';

/**
 * A correction is queued first, so that it is on record before anybody is set to work.
 * Another design means another plan, so a review strategy that was chosen is chosen again.
 */
const corrections = {
  change_spec: { to: 'queue_correction', remember: 'correct_spec', set: { mode: 'full' } },
  change_architecture: { to: 'queue_correction', remember: 'correct_architecture', set: { mode: 'full' } },
  change_ui: { to: 'queue_correction', remember: 'correct_ui', set: { mode: 'full' } },
} as const;

const intake = { phase: 'INTAKE' } as const;
const lean = { phase: 'INTAKE_LEAN' } as const;
const design = { phase: 'DESIGN', makes: 'design' } as const;
const approval = { phase: 'APPROVE_DESIGN' } as const;
const gate = { ...approval, decision: designDecision } as const;
const correction = { ...approval, makes: 'design' } as const;
const corrected = { reported: { to: 'verify_correction' } } as const;

export const designing = {
  open_session: check(
    'open_session',
    { phase: [{ when: { flag: 'mode', is: 'lean' }, is: 'INTAKE_LEAN' }, 'INTAKE'] },
    { opened: [{ when: { flag: 'mode', is: 'lean' }, to: 'intake_lean' }, { to: 'intake' }] },
  ),
  intake: work(
    'SpecAgent',
    { ...intake, makes: 'design' },
    { reported: { to: 'check_intake' }, lean: { to: 'ask_lean' } },
  ),
  // Lean work skips both gates, so whether it is lean is for a person to say.
  ask_lean: ask(
    'lean',
    { phase: 'ASK_USER' },
    {
      lean: { to: 'intake_lean', set: { mode: 'lean' } },
      full: { to: 'check_intake' },
    },
  ),
  check_intake: check('check_intake', intake, { valid: { to: 'research' }, invalid: blockedUntil('intake') }),
  intake_lean: work('SpecAgent', lean, { reported: { to: 'check_lean' } }),
  check_lean: check('check_lean', lean, { valid: { to: 'schedule' }, invalid: blockedUntil('intake_lean') }),

  research: work('Researcher', design, { reported: { to: 'architect' }, not_needed: { to: 'architect' } }),
  architect: work('Architect', design, { reported: { to: 'design_ui' } }),
  design_ui: work('Designer', design, { reported: { to: 'check_design' }, not_needed: { to: 'check_design' } }),
  check_design: check(
    'check_design',
    { phase: 'DESIGN' },
    { valid: { to: 'approve_design' }, invalid: blockedUntil('architect') },
  ),
  approve_design: ask('design', gate, { approved: { to: 'plan' }, ...corrections }),
  // Somebody edited what was approved: it is approved again where the work stands, or corrected.
  reapprove_design: {
    kind: 'decide',
    question: 'design',
    ...gate,
    on: { approved: { to: 'recheck' }, ...corrections, ...openKeeping('blocked') },
  },

  queue_correction: check('queue_correction', { ...approval, showsReturn: true }, { queued: { to: 'return' } }),
  correct_spec: work('SpecAgent', correction, corrected),
  correct_architecture: work('Architect', correction, corrected),
  correct_ui: work('Designer', correction, corrected),
  // Whether the correction was made is shown to the person; it is never made twice.
  verify_correction: check('verify_correction', approval, {
    completed: { to: 'approve_design' },
    incomplete: { to: 'approve_design' },
  }),
} as const;
