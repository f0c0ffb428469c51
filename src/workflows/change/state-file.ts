/** STATE.yaml: the phase a person sees and may edit, and a record of what the change consumed. */

import { DocumentError } from '../../documents/document-error.ts';
import { keyLine } from '../../documents/key-line.ts';
import { inFile, readDocument } from '../../documents/read-document.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { editYaml } from '../../documents/yaml-edit.ts';
import { choose, never, table, withDefault } from '../../schema/compound.ts';
import { ifFits } from '../../schema/lenient.ts';
import { verbatim, word } from '../../schema/simple.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import type { DispatchSummary, RunView, StateFile } from '../workflow.ts';
import { planDigest } from './digest.ts';
import { archiveFolder, statePath } from './paths.ts';
import { phaseOf, phases, type Phase } from './phases.ts';
import { data } from './run-data.ts';
import { iterationOf, verdictOf } from './standing.ts';

const callsMax = 50;

export function stateFile(run: string): StateFile {
  const path = (view: Pick<RunView, 'snapshot'>): string => {
    const name = data.archivedAs.of(view.snapshot);
    return name === null ? statePath(run) : `${archiveFolder(name)}/STATE.yaml`;
  };
  return {
    path,
    render: (before, view) => {
      const fields = fieldsOf(before, view, path(view));
      return editYaml(before, fields, { file: path(view), ...(last?.text === before && { values: last?.value }) });
    },
    identify: (text) => identify(text, statePath(run)),
    adopt,
  };
}

/** The phase and time a state file shows. A phase is read in any case. */
export function identify(text: string, file: string): { phase: Phase; updatedAt: string } {
  const locate = inFile(file, ([key]) => (key === undefined ? null : keyLine(text, key)) ?? 1);
  const { phase, updated_at: updatedAt } = readDocument(stateHead, valuesOf(text, file), locate, {
    unknownKeys: 'ignored',
  });
  return { phase, updatedAt };
}

const knownPhase = word(phases);

const stateHead = table(
  {
    phase: choose((value) =>
      value === undefined ? never(`one of ${phases.join(', ')}`, 'there is no phase') : knownPhase,
    ),
    updated_at: withDefault(ifFits(verbatim()), ''),
  },
  { problem: 'this is not a map of keys', expected: 'phase: … and the other keys of a state file' },
);

/** The last text stays parsed: a command looks at the same one several times. */
export function valuesOf(text: string, file: string): unknown {
  if (last?.text !== text) last = { text, value: parseYaml(text, { file, line: 1 }) };
  return last.value;
}

let last: { readonly text: string; readonly value: unknown } | undefined;

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function fieldsOf(before: string | undefined, view: RunView, file: string): Record<string, unknown> {
  const { snapshot } = view;
  const phase = phaseOf(snapshot);
  const last = view.history.at(-1);
  return {
    change_id: view.run,
    schema_version: '2.0',
    created_at: createdAt(before, file) ?? view.at,
    updated_at: view.at,
    phase,
    verdict: verdictOf(view),
    override: data.override.of(snapshot) ?? undefined,
    iteration: iterationOf(view),
    last_action: last?.step ?? view.snapshot.state,
    session_id: view.history.findLast(({ session }) => session !== null)?.session ?? null,
    checksums: data.checksums.of(snapshot),
    validations: data.validations.of(snapshot),
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
  const digest = planDigest(view.files, view.run);
  const adopted = {
    ...(gatesPassed[phase] >= 1 && data.approvedPlan.set({ digest, by: 'edit' })),
    ...(phase === 'rejected' && data.rejectedPlan.set(digest)),
    ...(phase === 'complete' && data.adopted.set({ tree: treeDigest, at: view.at })),
  };
  return { state: phase, data: adopted, gate: passed ? (gateNames[gatesPassed[phase]] ?? null) : null };
}
