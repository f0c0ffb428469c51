/** status.json: a projection of the journal that people and other tools read; sessions without a journal begin from it. */

import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { RunView, StateFile } from '../workflow.ts';
import { adopt } from './adoption.ts';
import { statusPath } from './files/paths.ts';
import { readStatus } from './files/read-status.ts';
import { writeStatus, type Status } from './files/status-file.ts';
import { phaseOf } from './machine.ts';
import { data, valuesOf } from './run-data.ts';
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

export function statusOf(view: RunView): Status {
  const { snapshot, run, at } = view;
  const phase = phaseOf(snapshot) ?? 'INTAKE';
  const { instructions, checkedAt } = data.runtime.of(snapshot);
  return {
    current_state: phase,
    session: run,
    mode: snapshot.flags['mode'] === 'lean' ? 'lean' : 'full',
    assumptions: data.assumptions.of(snapshot),
    user_decisions: Object.values(snapshot.decisions),
    gate_tracking: { APPROVE_DESIGN: tracking(snapshot) },
    runtime_flags: { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt },
    retry_counts: data.retries.all(snapshot),
    known_issues: valuesOf(data.issue, snapshot),
    last_ci_result: data.ci.of(snapshot).result,
    last_update: at,
    extra: { blocked: phase === 'BLOCKED' ? blockedIn(view) : null },
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
  const correction = data.correction.of(snapshot);
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
