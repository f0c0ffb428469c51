/** The one document a command prints with `--json`. Its keys are a promise to scripts. */

import type { WorkResult } from '../../runs/work-result.ts';
import { waitsUntil } from '../../runtime/run-state.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Diagnostic } from '../problem.ts';
import { shownBudget, shownUsage } from '../../runs/consumption.ts';
import { shownDecisions } from '../../runs/open-decisions.ts';

export function resultDocument(result: WorkResult) {
  const { workflow, run, rest, summary, state, limits } = result;
  const { snapshot, history, spent } = state;
  return {
    workflow,
    run,
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
    budget: shownBudget(spent, limits),
    diagnostics: diagnosticsOf(result),
  };
}

function diagnosticsOf({ warnings: found, rest, summary: { action, message, next } }: WorkResult): Diagnostic[] {
  const warnings = found.map(({ file, message: words }): Diagnostic => ({
    severity: 'warning',
    code: 'UnknownSetting',
    message: words,
    target: file,
    fix: null,
  }));
  if (rest.outcome === 'done') return warnings;
  const resumable = rest.outcome === 'needs_person' || rest.outcome === 'interrupted';
  const severity = resumable ? 'warning' : 'error';
  return [...warnings, { severity, code: rest.refusal?.reason ?? action, message, target: null, fix: next }];
}
