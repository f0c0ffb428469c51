/** STATE.yaml: the phase a person sees and may edit, and a record of what the change consumed. */

import { DocumentError } from '../../documents/document-error.ts';
import { findWord } from '../../schema/values.ts';
import type { Adoption, DispatchSummary, RunView } from '../workflow.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { planDigest } from './documents.ts';
import { statePath } from './change-paths.ts';
import { data, iterationOf, isLean, phaseFormat, phaseOf, phases, stateFilePath, verdictOf } from './run-data.ts';

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
    lean: isLean(snapshot) || undefined,
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

/** The last calls, and totals over all; a total is null where no call tells. */
function telemetryOf(history: readonly DispatchSummary[]) {
  const calls = history.map(({ step, model, agent, usage, ms, at }) => ({
    step,
    model: model ?? agent,
    tokens_in: usage.inputTokens,
    tokens_out: usage.outputTokens,
    cost_usd: usage.costUsd,
    duration_ms: ms,
    timestamp: at,
  }));
  const sum = (key: 'tokens_in' | 'tokens_out' | 'cost_usd' | 'duration_ms'): number | null => {
    const known = calls.map((call) => call[key]).filter((amount) => amount !== null);
    return known.length === 0 ? null : known.reduce((total, amount) => total + amount, 0);
  };
  const cost = sum('cost_usd');
  const totals = {
    calls: calls.length,
    tokens_in: sum('tokens_in'),
    tokens_out: sum('tokens_out'),
    cost_usd: cost === null ? null : Math.round(cost * 1e6) / 1e6,
    duration_ms: sum('duration_ms') ?? 0,
  };
  return { calls: calls.slice(-callsMax), totals };
}

/** How far a phase is past the gates: the plan's approval, the code's approval. */
const gatesPassed = {
  proposed: 0,
  rejected: 0,
  challenged: 1,
  implementing: 1,
  complete: 2,
  archived: 3,
  abandoned: 3,
};
const gateNames = ['', 'approval of the plan', 'approval of the code', 'archive'];

/** Setting a phase by hand approves what is there now; only archiving itself cannot be done with an editor. */
function adopt(edited: string, view: RunView, treeDigest: string): Adoption {
  const phase = findWord(edited, phases);
  if (phase === undefined || phase === 'archived') {
    const where = { file: statePath(view.run), line: null };
    throw new DocumentError(where, `phase was set to ${edited} by hand`, 'any phase but archived; run archive instead');
  }
  const passed = gatesPassed[phase];
  const now = phaseOf(view.snapshot);
  const digest = planDigest(view.files, view.run);
  return {
    state: phase,
    data: {
      ...(passed >= 1 && data.approvedPlan.set({ digest, by: 'edit' })),
      ...(phase === 'rejected' && data.rejectedPlan.set(digest)),
      ...(phase === 'complete' && data.adopted.set({ tree: treeDigest, at: view.at })),
    },
    gate: passed > (now === null ? 0 : gatesPassed[now]) ? (gateNames[passed] ?? null) : null,
  };
}
