/** The one document a command prints with `--json`. Its keys are a promise to scripts. */

import type { Rest } from '../../runtime/drive.ts';
import type { Run } from '../../runtime/run.ts';
import type { Spent } from '../../runtime/run-state.ts';
import { remaining } from '../../runtime/spending.ts';
import type { RunSummary } from '../../workflows/workflow.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Diagnostic } from '../problem.ts';

export type DocumentedRun = Pick<Run, 'id' | 'state' | 'settings' | 'spendingLimits'> & {
  readonly workflow: Pick<Run['workflow'], 'name' | 'configPath'>;
};

export function resultDocument(run: DocumentedRun, rest: Rest, summary: RunSummary) {
  const { snapshot, history, spent } = run.state;
  const { dispatches, tokens, costUsd, wallMs } = run.spendingLimits;
  const left = remaining(spent, run.spendingLimits);
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
    decisions: rest.decision ? [decisionOf(rest.decision)] : [],
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
    usage: usageOf(spent),
    budget: { limits: { dispatches, tokens, costUsd, wallMs }, remaining: { ...left, costUsd: exact(left.costUsd) } },
    diagnostics: diagnosticsOf(run, rest, summary),
  };
}

function decisionOf({ id, question, options }: NonNullable<Rest['decision']>) {
  const { title, detail, paths, answers } = question;
  return {
    id,
    title,
    detail,
    answers: Object.fromEntries(options.map((name) => [name, answers[name] ?? name])),
    paths,
  };
}

/** What is not known for any dispatch is null; what is not known for some is counted beside the sum. */
function usageOf({
  dispatches,
  reruns,
  inputTokens,
  outputTokens,
  costUsd,
  unknownTokens,
  unknownCost,
  wallMs,
}: Spent) {
  const tokensUnknown = dispatches > 0 && unknownTokens === dispatches && inputTokens + outputTokens === 0;
  const costUnknown = dispatches > 0 && unknownCost === dispatches;
  return {
    dispatches,
    reruns,
    inputTokens: tokensUnknown ? null : inputTokens,
    outputTokens: tokensUnknown ? null : outputTokens,
    costUsd: costUnknown ? null : exact(costUsd),
    unknownTokens,
    unknownCost,
    wallMs,
  };
}

/** Sums of fractions are not exact in binary; millionths of a dollar are. */
function exact(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
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
