/** The document `session status --json` prints; its keys are a promise to scripts. */

import type { Outcome } from '../../engine/machine.ts';
import type { Owner } from '../../store/run-store.ts';
import type { Phase, RepairKind } from '../../workflows/session/files/status-shape.ts';
import type { TaskStatus } from '../../workflows/session/files/tasks-shape.ts';
import type { DispatchSummary } from '../../workflows/workflow.ts';
import type { ShownBudget, ShownUsage } from '../show/consumption.ts';
import type { DocumentedDecision } from '../show/decision.ts';

export interface SessionStatus {
  readonly workflow: 'session';
  readonly run: string;
  readonly goal: string | null;
  readonly mode: 'full' | 'lean' | null;
  /** The machine's state; null for a session without a journal here. */
  readonly state: string | null;
  readonly phase: Phase | null;
  /** Null while a process is at work, and where no journal tells. */
  readonly outcome: Outcome | null;
  readonly message: string;
  readonly next: string | null;
  readonly until: string | null;
  readonly updatedAt: string | null;
  readonly blocked: ShownBlocker | null;
  readonly strategy: string | null;
  readonly tasks: ShownTasks | null;
  /** What the task at hand (or `meta`, the session as a whole) has used of its attempts at repair. */
  readonly repairs: ShownRepairs | null;
  readonly decisions: readonly ShownDecision[];
  readonly criteria: readonly ShownCriterion[];
  readonly knownIssues: readonly string[];
  readonly ci: 'unknown' | 'green' | 'red';
  readonly dispatches: readonly Omit<DispatchSummary, 'session' | 'tree'>[];
  readonly open: {
    readonly id: string;
    readonly role: string;
    readonly step: string;
    readonly agent: string;
    readonly startedAt: string;
  } | null;
  readonly usage: ShownUsage | null;
  readonly budget: ShownBudget | null;
  /** The state a person wrote into status.json, where the journal says otherwise. */
  readonly edited: { readonly phase: string; readonly journal: string } | null;
  /** What was read otherwise than it stands in status.json. */
  readonly putRight: readonly string[];
  /** Documents that cannot be read. */
  readonly problems: readonly string[];
  readonly owner: Owner | null;
  readonly workspace: string;
}

export interface ShownBlocker {
  readonly blocker: string;
  readonly detail: string;
  readonly wayOut: string;
  /** Where `resume` returns to. */
  readonly from: string | null;
}

export interface ShownTasks {
  readonly total: number;
  readonly current: string | null;
  readonly all: readonly { readonly id: string; readonly title: string; readonly status: TaskStatus }[];
}

export interface ShownRepairs {
  readonly scope: string;
  readonly counts: Readonly<Record<RepairKind, number>>;
  /** Null where no journal tells. */
  readonly limits: Readonly<Record<RepairKind, number>> | null;
}

export interface ShownDecision extends DocumentedDecision {
  /** Null where the session must be taken over first. */
  readonly answerWith: string | null;
}

export interface ShownCriterion {
  readonly id: string;
  readonly description: string;
  readonly status: 'met' | 'waived' | 'open';
  readonly evidence: string | null;
}
