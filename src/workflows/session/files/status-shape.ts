/** What `status.json` holds, in its own words. */

import type { Json } from '../../../engine/snapshot.ts';

export const phases = [
  'INTAKE',
  'INTAKE_LEAN',
  'DESIGN',
  'APPROVE_DESIGN',
  'PLAN',
  'REVIEW_STRATEGY',
  'IMPLEMENT_LOOP',
  'ASK_USER',
  'FIX_REVIEW',
  'FIX_TESTS',
  'FIX_SECURITY',
  'FIX_BUILD',
  'INTEGRATE',
  'RELEASE',
  'DONE',
  'BLOCKED',
] as const;
export type Phase = (typeof phases)[number];
/** Where a decision belongs: never ASK_USER itself, which every one of them passes through. */
export type Context = Exclude<Phase, 'ASK_USER'>;
export const contexts = phases.filter((phase) => phase !== 'ASK_USER');

export const modes = ['full', 'lean'] as const;
export const decisionStatuses = ['pending', 'answered', 'cancelled', 'skipped'] as const;
export const correctionStatuses = ['none', 'queued', 'dispatched', 'completed'] as const;
export const ciResults = ['unknown', 'green', 'red'] as const;
export const repairKinds = ['FIX_REVIEW', 'FIX_TESTS', 'FIX_SECURITY', 'FIX_BUILD'] as const;
export type RepairKind = (typeof repairKinds)[number];

/** The two mandatory gates have one decision each, which is updated in place. */
export const wellKnownDecisions = {
  'UD-APPROVE-DESIGN': 'APPROVE_DESIGN',
  'UD-REVIEW-STRATEGY': 'REVIEW_STRATEGY',
} as const satisfies Readonly<Record<string, Context>>;

/** Keys that Pawl does not know, as they were found. */
export type Extra = Readonly<Record<string, Json>>;

export type UserDecision = {
  readonly decision_id: string;
  readonly question: string;
  readonly status: (typeof decisionStatuses)[number];
  readonly answer: string | null;
  readonly asked_at: string;
  readonly resolved_at: string | null;
  readonly state_context: Context;
  readonly resolution_reason: string | null;
  readonly extra?: Extra;
};

export type GateTracking = {
  readonly APPROVE_DESIGN?: {
    readonly correction_status: (typeof correctionStatuses)[number];
    readonly last_correction_dispatch: string | null;
  };
};

export type RuntimeFlags = {
  readonly copilot_instructions_exists: boolean;
  readonly copilot_checked_at: string | null;
};

/** Attempts spent, by task (or `meta`) and kind; what is not there is 0. */
export type RetryCounts = Readonly<Record<string, Readonly<Partial<Record<RepairKind, number>>>>>;

export type Status = {
  readonly current_state: Phase;
  readonly session: string;
  readonly mode: (typeof modes)[number];
  readonly assumptions: readonly string[];
  readonly user_decisions: readonly UserDecision[];
  readonly gate_tracking: GateTracking;
  readonly runtime_flags: RuntimeFlags;
  readonly retry_counts: RetryCounts;
  readonly known_issues: readonly string[];
  readonly last_ci_result: (typeof ciResults)[number];
  readonly last_update: string;
  readonly extra?: Extra;
};

export function pendingDecisions(status: Pick<Status, 'user_decisions'>): UserDecision[] {
  return status.user_decisions.filter((decision) => decision.status === 'pending');
}
