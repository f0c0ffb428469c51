/** What status.json shows of where a session is. */

import * as engine from '../../engine/phase.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { phases, type Context, type Phase } from './files/status-shape.ts';
import { machine } from './machine.ts';

/** Null before there is anything to show. */
export function phaseOf(snapshot: Snapshot): Phase | null {
  const shown = engine.phaseOf(machine, snapshot);
  return phases.find((phase) => phase === shown) ?? null;
}

/** Where a question belongs: the state that asked, never ASK_USER itself. */
export function contextOf(snapshot: Snapshot): Context {
  const { state, returnTo } = snapshot;
  const asker = askers[state] ?? returnTo ?? state;
  const phase = phaseOf({ ...snapshot, state: asker, returnTo: null });
  return phase === null || phase === 'ASK_USER' ? 'IMPLEMENT_LOOP' : phase;
}

/** Questions that always come from the same gate. */
const askers: Readonly<Record<string, string>> = {
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
