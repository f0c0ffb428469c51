/** The one document a command prints with `--json`. Its keys are a promise to scripts. */

import type { Rest } from '../../runtime/drive.ts';
import type { Run } from '../../runtime/run.ts';
import { waitsUntil } from '../../runtime/run-state.ts';
import type { RunSummary } from '../../workflows/workflow.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Diagnostic } from '../problem.ts';
import { shownBudget, shownUsage } from '../../runs/consumption.ts';
import { shownDecisions } from '../../runs/open-decisions.ts';

export type DocumentedRun = Pick<Run, 'id' | 'state' | 'settings' | 'spendingLimits'> & {
  readonly workflow: Pick<Run['workflow'], 'name' | 'configPath'>;
};

export function resultDocument(run: DocumentedRun, rest: Rest, summary: RunSummary) {
  const { snapshot, history, spent } = run.state;
  return {
    workflow: run.workflow.name,
    run: run.id,
    state: snapshot.state,
    phase: summary.phase,
    verdict: summary.verdict,
    action: summary.action,
    outcome: rest.outcome,
    exitCode: exitCodes[rest.outcome],
    next: summary.next,
    until: waitsUntil(snapshot),
    decisions: rest.decision ? shownDecisions(rest.decision) : [],
    dispatches: history.map(({ id, role, step, agent, model, signal, ms, usage, problem }) => ({
      id,
      role,
      step,
      agent,
      model,
      signal,
      ms,
      usage,
      problem,
    })),
    usage: shownUsage(spent),
    budget: shownBudget(spent, run.spendingLimits),
    diagnostics: diagnosticsOf(run, rest, summary),
  };
}

function diagnosticsOf(run: DocumentedRun, rest: Rest, { action, message, next }: RunSummary): Diagnostic[] {
  const warnings = run.settings.warnings.map((warning): Diagnostic => ({
    severity: 'warning',
    code: 'config',
    message: warning,
    target: run.workflow.configPath,
    fix: null,
  }));
  if (rest.outcome === 'done') return warnings;
  const resumable = rest.outcome === 'needs_person' || rest.outcome === 'interrupted';
  const severity = resumable ? 'warning' : 'error';
  return [...warnings, { severity, code: rest.refusal?.reason ?? action, message, target: null, fix: next }];
}
