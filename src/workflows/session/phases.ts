/** Which state of the machine belongs to which state of the session, as status.json shows it. */

import type { Snapshot } from '../../engine/snapshot.ts';
import type { Context, Phase } from './files/status.ts';
import type { SessionVocabulary } from './vocabulary.ts';

type State = keyof SessionVocabulary['states'];

/** Null before there is anything to show. */
export function phaseOf(snapshot: Pick<Snapshot, 'state' | 'flags' | 'returnTo'>): Phase | null {
  const { state, flags, returnTo } = snapshot;
  // On the way back the session is already where it is going.
  const at = state === 'recheck' || state === 'queue_correction' ? (returnTo ?? state) : state;
  if (at === 'recheck') return 'IMPLEMENT_LOOP';
  if (at === 'open_session') return flags['course'] === 'lean' ? 'INTAKE_LEAN' : 'INTAKE';
  if (at === 'review' && flags['round'] === 'release') return 'RELEASE';
  if (at === 'finish' && flags['course'] === 'lean') return 'INTEGRATE';
  return isState(at) ? phases[at] : null;
}

/** Where a question belongs: the state that asked, never ASK_USER itself. */
export function contextOf(snapshot: Pick<Snapshot, 'state' | 'flags' | 'returnTo'>): Context {
  const { state, flags, returnTo } = snapshot;
  const asker = isState(state) ? (askers[state] ?? returnTo ?? state) : (returnTo ?? state);
  const phase = phaseOf({ state: asker, flags, returnTo: null });
  return phase === null || phase === 'ASK_USER' ? 'IMPLEMENT_LOOP' : phase;
}

function isState(name: string): name is State {
  return Object.hasOwn(phases, name);
}

/** Questions that always come from the same gate. */
const askers: Partial<Record<State, State>> = {
  ask_lean: 'intake',
  ask_notes: 'review',
  ask_security: 'security',
  ask_fix_review: 'review',
  ask_fix_tests: 'qa',
  ask_fix_security: 'security',
  ask_fix_build: 'integrate',
  ask_criteria: 'judge_criteria',
  approve_design: 'approve_design',
  reapprove_design: 'approve_design',
  review_strategy: 'review_strategy',
};

const phases: Readonly<Record<State, Phase | null>> = {
  new: null,
  open_session: 'INTAKE',
  intake: 'INTAKE',
  ask_lean: 'ASK_USER',
  check_intake: 'INTAKE',
  intake_lean: 'INTAKE_LEAN',
  check_lean: 'INTAKE_LEAN',
  research: 'DESIGN',
  architect: 'DESIGN',
  design_ui: 'DESIGN',
  check_design: 'DESIGN',
  approve_design: 'APPROVE_DESIGN',
  reapprove_design: 'APPROVE_DESIGN',
  queue_correction: 'APPROVE_DESIGN',
  correct_spec: 'APPROVE_DESIGN',
  correct_architecture: 'APPROVE_DESIGN',
  correct_ui: 'APPROVE_DESIGN',
  verify_correction: 'APPROVE_DESIGN',
  plan: 'PLAN',
  check_plan: 'PLAN',
  review_strategy: 'REVIEW_STRATEGY',
  schedule: 'IMPLEMENT_LOOP',
  begin_task: 'IMPLEMENT_LOOP',
  code: 'IMPLEMENT_LOOP',
  review: 'IMPLEMENT_LOOP',
  qa: 'IMPLEMENT_LOOP',
  security: 'IMPLEMENT_LOOP',
  accept_task: 'IMPLEMENT_LOOP',
  accept_all: 'IMPLEMENT_LOOP',
  fix_review: 'FIX_REVIEW',
  fix_tests: 'FIX_TESTS',
  fix_own_tests: 'FIX_TESTS',
  fix_security: 'FIX_SECURITY',
  fix_build: 'FIX_BUILD',
  fix_build_code: 'FIX_BUILD',
  ask_questions: 'ASK_USER',
  ask_notes: 'ASK_USER',
  ask_security: 'ASK_USER',
  ask_fix_review: 'ASK_USER',
  ask_fix_tests: 'ASK_USER',
  ask_fix_security: 'ASK_USER',
  ask_fix_build: 'ASK_USER',
  ask_criteria: 'ASK_USER',
  integrate: 'INTEGRATE',
  judge_criteria: 'INTEGRATE',
  docs: 'RELEASE',
  release_notes: 'RELEASE',
  verify_release: 'RELEASE',
  finish: 'RELEASE',
  recheck: 'IMPLEMENT_LOOP',
  blocked: 'BLOCKED',
  blocked_asking: 'BLOCKED',
  done: 'DONE',
};
