/** STATE.yaml: the phase a person sees and may edit, and a record of what the change consumed. */

import { DocumentError } from '../../documents/document-error.ts';
import { findWord } from '../../schema/values.ts';
import type { Adoption, DispatchSummary, RunView } from '../workflow.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { planDigest } from './documents.ts';
import { statePath } from './paths.ts';
import { iterationOf, phaseOf, phases, verdictOf, type Phase } from './phases.ts';
import { data } from './run-data.ts';
import { phaseFormat, stateFilePath } from './shown-state.ts';

const callsMax = 50;

export const stateFile = yamlStateFile({ path: stateFilePath, fields, phase: phaseFormat, adopt });

function fields(view: RunView, { created_at: createdAt }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { snapshot, history } = view;
  return {
    change_id: view.run,
    schema_version: '2.0',
    created_at: createdAt ?? view.at,
    updated_at: view.at,
    phase: phaseOf(snapshot),
    verdict: verdictOf(view),
    override: data.override.of(snapshot) ?? undefined,
    iteration: iterationOf(view),
    last_action: history.at(-1)?.step ?? snapshot.state,
    session_id: history.findLast(({ session }) => session !== null)?.session ?? null,
    checksums: data.checksums.of(snapshot),
    validations: data.validations.of(snapshot),
    telemetry: telemetryOf(history),
  };
}

/** The newest calls, and totals over all of them; what is not known stays null. */
function telemetryOf(history: readonly DispatchSummary[]): unknown {
  const calls = history.slice(-callsMax).map((call) => ({
    step: call.step,
    model: call.model ?? call.agent,
    tokens_in: call.usage.inputTokens,
    tokens_out: call.usage.outputTokens,
    cost_usd: call.usage.costUsd,
    duration_ms: call.ms,
    timestamp: call.at,
  }));
  return { calls, totals: totalsOf(history) };
}

/** In one pass: a long run has thousands of calls, and this is written at each of them. */
function totalsOf(history: readonly DispatchSummary[]): Record<string, number | null> {
  let tokensIn: number | null = null;
  let tokensOut: number | null = null;
  let cost: number | null = null;
  let ms = 0;
  for (const call of history) {
    tokensIn = sum(tokensIn, call.usage.inputTokens);
    tokensOut = sum(tokensOut, call.usage.outputTokens);
    cost = sum(cost, call.usage.costUsd);
    ms += call.ms;
  }
  return {
    calls: history.length,
    tokens_in: tokensIn,
    tokens_out: tokensOut,
    cost_usd: cost === null ? null : Math.round(cost * 1e6) / 1e6,
    duration_ms: ms,
  };
}

function sum(total: number | null, amount: number | null): number | null {
  return amount === null ? total : (total ?? 0) + amount;
}

/** How far a phase is past the gates: the plan's approval, the code's approval. */
const gatesPassed: Readonly<Record<Phase, number>> = {
  proposed: 0,
  rejected: 0,
  challenged: 1,
  implementing: 1,
  complete: 2,
  archived: 3,
};
const gateNames = ['', 'approval of the plan', 'approval of the code', 'archive'];

/** Setting a phase by hand approves what is there now; only archiving itself cannot be done with an editor. */
function adopt(shown: string, view: RunView, treeDigest: string): Adoption {
  const phase = findWord(shown, phases);
  if (phase === undefined || phase === 'archived') {
    throw new DocumentError(
      { file: statePath(view.run), line: null },
      `phase was set to ${shown} by hand`,
      'any phase but archived; run archive instead',
    );
  }
  const passed = gatesPassed[phase];
  const now = phaseOf(view.snapshot);
  const digest = planDigest(view.files, view.run);
  const adopted = {
    ...(passed >= 1 && data.approvedPlan.set({ digest, by: 'edit' })),
    ...(phase === 'rejected' && data.rejectedPlan.set(digest)),
    ...(phase === 'complete' && data.adopted.set({ tree: treeDigest, at: view.at })),
  };
  return {
    state: phase,
    data: adopted,
    gate: passed > (now === null ? 0 : gatesPassed[now]) ? (gateNames[passed] ?? null) : null,
  };
}
