/** STATE.yaml: the phase a person sees and may edit, and a record of what the change consumed. */

import { DocumentError } from '../../documents/document-error.ts';
import { editYaml } from '../../documents/yaml-edit.ts';
import type { Json } from '../../engine/snapshot.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import type { DispatchSummary, RunView, StateFile } from '../workflow.ts';
import { planDigest } from './digest.ts';
import { statePath } from './paths.ts';
import { phaseOf, phases, type Phase } from './phases.ts';
import { parsedBefore, shownState, valuesOf } from './shown-state.ts';
import { iterationOf, verdictOf } from './standing.ts';

const callsMax = 50;

export function stateFile(run: string): StateFile {
  const shown = shownState(run);
  return {
    ...shown,
    render: (before, view) => {
      const file = shown.path(view);
      return editYaml(before, fieldsOf(before, view, file), { file, ...parsedBefore(before) });
    },
    adopt,
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(before: string | undefined, view: RunView, file: string): Record<string, unknown> {
  const { data } = view.snapshot;
  const phase = phaseOf(view.snapshot);
  const last = view.history.at(-1);
  return {
    change_id: view.run,
    schema_version: '2.0',
    created_at: createdAt(before, file) ?? view.at,
    updated_at: view.at,
    phase,
    verdict: verdictOf(view),
    override: data['override'] ?? undefined,
    iteration: iterationOf(view),
    last_action: last?.step ?? view.snapshot.state,
    session_id: view.history.findLast(({ session }) => session !== null)?.session ?? null,
    checksums: data['checksums'] ?? {},
    validations: data['validations'] ?? [],
    telemetry: telemetryOf(view.history),
  };
}

function createdAt(before: string | undefined, file: string): string | undefined {
  if (before === undefined) return undefined;
  try {
    const value = valuesOf(before, file);
    return isRecord(value) && value['created_at'] !== undefined ? textOf(value['created_at']) : undefined;
  } catch (error) {
    if (error instanceof DocumentError) return undefined;
    throw error;
  }
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
  const sums = { tokensIn: 0, tokensOut: 0, cost: 0, ms: 0 };
  const known = { tokensIn: false, tokensOut: false, cost: false };
  for (const { usage, ms } of history) {
    known.tokensIn ||= usage.inputTokens !== null;
    known.tokensOut ||= usage.outputTokens !== null;
    known.cost ||= usage.costUsd !== null;
    sums.tokensIn += usage.inputTokens ?? 0;
    sums.tokensOut += usage.outputTokens ?? 0;
    sums.cost += usage.costUsd ?? 0;
    sums.ms += ms;
  }
  return {
    calls: history.length,
    tokens_in: known.tokensIn ? sums.tokensIn : null,
    tokens_out: known.tokensOut ? sums.tokensOut : null,
    cost_usd: known.cost ? Math.round(sums.cost * 1e6) / 1e6 : null,
    duration_ms: sums.ms,
  };
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
function adopt(word: string, view: RunView, treeDigest: string): ReturnType<StateFile['adopt']> {
  const phase = findWord(word, phases);
  if (phase === undefined || phase === 'archived') {
    throw new DocumentError(
      { file: statePath(view.run), line: null },
      `phase was set to ${word} by hand`,
      'any phase but archived; run archive instead',
    );
  }
  const now = phaseOf(view.snapshot);
  const passed = gatesPassed[phase] > (now === null ? 0 : gatesPassed[now]);
  const data: Record<string, Json> = {};
  if (gatesPassed[phase] >= 1) data['approvedPlan'] = { digest: planDigest(view.files, view.run), by: 'edit' };
  if (phase === 'rejected') data['rejectedPlan'] = planDigest(view.files, view.run);
  if (phase === 'complete') data['adopted'] = { tree: treeDigest, at: view.at };
  return { state: phase, data, gate: passed ? (gateNames[gatesPassed[phase]] ?? null) : null };
}
