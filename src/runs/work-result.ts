/** What working on a run came to, as a value that outlives the open run. */

import type { Rest } from '../runtime/drive.ts';
import type { RunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import type { Offer, RunSettings, RunSummary, SpendingLimits } from '../workflows/workflow.ts';

export interface WorkResult {
  readonly workflow: string;
  readonly run: string;
  /** Absolute path. */
  readonly workspace: string;
  readonly state: RunState;
  readonly rest: Rest;
  readonly summary: RunSummary;
  readonly limits: SpendingLimits;
  /** Settings that are not understood. */
  readonly warnings: RunSettings['warnings'];
  /** What a person may want to do next. */
  readonly offer: Offer | null;
}

/** `offers`: whether this very command did the work that a next step is offered for. */
export function resultOf(run: Run, rest: Rest, { offers }: { readonly offers: boolean }): WorkResult {
  const { workflow } = run;
  const view = run.view();
  return {
    workflow: workflow.name,
    run: run.id,
    workspace: run.workspace,
    state: run.state,
    rest,
    summary: workflow.summarize(view, { outcome: rest.outcome, refusal: rest.refusal?.reason ?? null }),
    limits: run.spendingLimits,
    warnings: run.settings.warnings,
    offer: offers && rest.outcome === 'done' ? (workflow.offer?.(view) ?? null) : null,
  };
}
