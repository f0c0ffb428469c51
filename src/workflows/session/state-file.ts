/** status.json: a projection of the journal that people and other tools read; sessions without a journal begin from it. */

import type { Decision } from '../../engine/decision.ts';
import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { RunView, StateFile } from '../workflow.ts';
import { adopt } from './adoption.ts';
import { statusPath } from './files/paths.ts';
import { contexts } from './files/status-shape.ts';
import { readStatus, writeStatus, type Status, type UserDecision } from './files/status.ts';
import { phaseOf } from './phases.ts';
import * as data from './run-data.ts';
import { stoppedBy } from './summary.ts';

export function stateFile(run: string): StateFile {
  const file = statusPath(run);
  return {
    path: () => file,
    render: (before, view) => writeStatus(before, statusOf(view)),
    identify: (text) => {
      const { current_state: phase, last_update: updatedAt } = readStatus(text, file).status;
      return { phase, updatedAt };
    },
    adopt,
  };
}

function statusOf(view: RunView): Status {
  const { snapshot, run, at } = view;
  const phase = phaseOf(snapshot) ?? 'INTAKE';
  const { instructions, checkedAt } = data.runtimeFlagsOf(snapshot);
  return {
    current_state: phase,
    session: run,
    mode: snapshot.flags['course'] === 'lean' ? 'lean' : 'full',
    assumptions: data.assumptionsOf(snapshot),
    user_decisions: Object.values(snapshot.decisions).map(userDecision),
    gate_tracking: { APPROVE_DESIGN: tracking(snapshot) },
    runtime_flags: { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt },
    retry_counts: data.allRetries(snapshot),
    known_issues: data.knownIssuesOf(snapshot),
    last_ci_result: data.ciOf(snapshot).result,
    last_update: at,
    extra: { blocked: phase === 'BLOCKED' ? blockedIn(view) : null },
  };
}

function userDecision(decision: Decision): UserDecision {
  const { id, question, status, answer, askedAt, resolvedAt, context, reason, extra } = decision;
  return {
    decision_id: id,
    question,
    status,
    answer,
    asked_at: askedAt,
    resolved_at: resolvedAt,
    state_context: contexts.find((phase) => phase === context) ?? 'IMPLEMENT_LOOP',
    resolution_reason: reason,
    ...(extra && { extra }),
  };
}

function blockedIn(view: RunView): Json {
  const { blocker, detail, wayOut } = stoppedBy(view);
  const { returnTo } = view.snapshot;
  const from = returnTo === null ? null : phaseOf({ ...view.snapshot, state: returnTo, returnTo: null });
  return { blocker, detail, way_out: wayOut, from };
}

/** none → queued → dispatched → completed, as the machine stands. */
function tracking(snapshot: Snapshot): NonNullable<Status['gate_tracking']['APPROVE_DESIGN']> {
  const correction = data.correctionOf(snapshot);
  const { state } = snapshot;
  const step = comesBack.has(state) ? (snapshot.returnTo ?? state) : state;
  const isAtWork = step.startsWith('correct_') || step === 'verify_correction';
  const isSent = correction !== null && correction.dispatchedAt !== null;
  const correction_status =
    correction === null
      ? 'none'
      : state === 'queue_correction' || (isAtWork && !isSent)
        ? 'queued'
        : isAtWork
          ? 'dispatched'
          : 'completed';
  return { correction_status, last_correction_dispatch: correction?.dispatchedAt ?? null };
}

/** States that lead back; in any other the return address is left over from before. */
const comesBack = new Set(['ask_questions', 'recheck', 'blocked', 'blocked_asking']);
