/** STATE.yaml: the phase a person sees and may edit, and a record of what the change consumed. */

import { attempt, DocumentError } from '../../documents/document-error.ts';
import { readCodeReview } from '../../documents/review.ts';
import type { Json } from '../../engine/snapshot.ts';
import { findWord, isRecord } from '../../schema/values.ts';
import type { Adoption, DispatchSummary, EarlierSpending, RunView } from '../workflow.ts';
import { stateKeys, type StateKeys } from '../yaml-state.ts';
import { yamlStateFile } from '../yaml-state-file.ts';
import { planApproval, planDigest } from './documents.ts';
import { reviewPath, statePath } from './change-paths.ts';
import { staleDocuments, staleText } from './stale.ts';
import {
  data,
  isJson,
  isLean,
  iterationOf,
  phaseFormat,
  phaseOf,
  phases,
  stateFilePath,
  verdictOf,
} from './run-data.ts';

const callsMax = 50;

export const stateFile = yamlStateFile({ path: stateFilePath, fields, phase: phaseFormat, adopt });

function fields(view: RunView, { created_at: createdAt }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { snapshot, history } = view;
  const earlier = data.earlier.of(snapshot);
  const { validations, override } = earlier;
  return {
    change_id: view.run,
    schema_version: '2.0',
    created_at: createdAt ?? view.at,
    updated_at: view.at,
    phase: phaseOf(snapshot),
    lean: isLean(snapshot) || undefined,
    verdict: verdictOf(view),
    override: data.override.of(snapshot) ?? override ?? undefined,
    // As agentd has it: the first iteration is under way until it is judged.
    iteration: Math.max(1, iterationOf(view)),
    last_action:
      phaseOf(snapshot) === 'archived' ? 'archive' : (history.at(-1)?.step ?? earlier['last_action'] ?? snapshot.state),
    session_id: history.findLast(({ session }) => session !== null)?.session ?? earlier['session_id'] ?? null,
    checksums: data.checksums.of(snapshot),
    validations: [...itemsOf(validations), ...data.validations.of(snapshot)],
    telemetry: telemetryOf(callsOf(view), earlier['telemetry']),
  };
}

/** Those that were cut off were paid for as well. */
function callsOf({ history, interrupted = [] }: RunView): readonly DispatchSummary[] {
  if (interrupted.length === 0) return history;
  return [...history, ...interrupted].toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
}

const figures = ['tokens_in', 'tokens_out', 'cost_usd', 'duration_ms'] as const;
type Figures = Readonly<Record<(typeof figures)[number], number | null>> & { readonly calls: number };

/** The last calls, and totals over all; a total is null where no call tells. What was consumed before counts on. */
function telemetryOf(history: readonly DispatchSummary[], earlier: Json | undefined) {
  const calls = history.map(({ step, signal, model, agent, usage, ms, at }) => ({
    step,
    ...(signal === 'interrupted' && { interrupted: true }),
    model: model ?? agent,
    tokens_in: usage.inputTokens,
    tokens_out: usage.outputTokens,
    cost_usd: usage.costUsd,
    duration_ms: ms,
    timestamp: at,
  }));
  const before = totalsOf(earlier);
  const sum = (key: (typeof figures)[number]): number | null => {
    const known = [before[key], ...calls.map((call) => call[key])].filter((amount) => amount !== null);
    return known.length === 0 ? null : known.reduce((total, amount) => total + amount, 0);
  };
  const cost = sum('cost_usd');
  const totals = {
    calls: before.calls + calls.length,
    tokens_in: sum('tokens_in'),
    tokens_out: sum('tokens_out'),
    cost_usd: cost === null ? null : Math.round(cost * 1e6) / 1e6,
    duration_ms: sum('duration_ms') ?? 0,
  };
  const others = isRecord(earlier) ? earlier : {};
  return { ...others, calls: [...callsIn(earlier), ...calls].slice(-callsMax), totals };
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** As a list, or one under the name of each step, as agentd first had it. */
function callsIn(telemetry: Json | undefined): readonly Readonly<Record<string, unknown>>[] {
  if (!isRecord(telemetry)) return [];
  const { calls } = telemetry;
  const all: readonly unknown[] = Array.isArray(calls) ? itemsOf(calls) : Object.values(telemetry);
  return all.filter(isRecord).filter((call) => figures.some((key) => typeof call[key] === 'number'));
}

/** From the totals of Pawl, else from the calls. */
function totalsOf(telemetry: Json | undefined): Figures {
  const calls = callsIn(telemetry);
  const { totals } = isRecord(telemetry) ? telemetry : {};
  const number = (value: unknown): number | null => (typeof value === 'number' && value >= 0 ? value : null);
  const amount = (key: (typeof figures)[number]): number | null => {
    const known = calls.map((call) => number(call[key])).filter((each) => each !== null);
    const sum = known.length === 0 ? null : known.reduce((total, each) => total + each, 0);
    return isRecord(totals) ? (number(totals[key]) ?? sum) : sum;
  };
  const [tokens_in, tokens_out, cost_usd, duration_ms] = figures.map(amount);
  const count = isRecord(totals) ? (number(totals['calls']) ?? calls.length) : calls.length;
  return {
    tokens_in: tokens_in ?? null,
    tokens_out: tokens_out ?? null,
    cost_usd: cost_usd ?? null,
    duration_ms: duration_ms ?? null,
    calls: count,
  };
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
  const found = view.snapshot.state === 'new' ? takenOver(view) : null;
  return {
    state: phase,
    ...(found && { spent: found.spent, notes: found.notes }),
    // A plan that was approved by a challenge is not lean any more.
    flags: { lean: phase !== 'challenged' && (found?.lean ?? isLean(view.snapshot)) ? 'yes' : 'no' },
    data: {
      ...found?.data,
      // A plan that was edited since it was validated is none that anybody approved.
      ...(passed >= 1 && planApproval(view, 'edit', found?.isEdited ? '' : digest)),
      ...(phase === 'rejected' && data.rejectedPlan.set(digest)),
      ...(phase === 'complete' && data.adopted.set({ tree: treeDigest, at: view.at })),
    },
    gate: passed > (now === null ? 0 : gatesPassed[now]) ? (gateNames[passed] ?? null) : null,
    objections: objectionsTo(view, now === null ? 0 : gatesPassed[now], passed),
  };
}

/** What the last reviews and checks say against passing these gates. */
function objectionsTo({ snapshot, files, run }: RunView, from: number, to: number): readonly string[] {
  const listed = (issues: readonly { readonly severity: string; readonly title: string }[]): string[] =>
    issues.map(({ severity, title }) => `${severity}: ${title}`);
  const plan = from < 1 && to >= 1 ? listed(data.openIssues.of(snapshot)) : [];
  if (from >= 2 || to < 2) return plan;
  const path = reviewPath(run);
  const review = attempt(() => readCodeReview(files.read(path) ?? '', path));
  const verdict = data.codeReview.of(snapshot)?.verdict;
  const isApproved = verdict === 'APPROVED';
  const failed = data.checks.of(snapshot).results.filter(({ status }) => status === 'failed' || status === 'timed out');
  return [
    ...plan,
    ...(isApproved ? [] : [verdict === undefined ? 'the code was not reviewed' : `the review says ${verdict}`]),
    ...(isApproved || review instanceof DocumentError ? [] : listed(review.issues)),
    ...failed.map(({ name, status, log }) => `check ${name}: ${status}${log === null ? '' : ` (${log})`}`),
  ];
}

/** What a STATE.yaml without a journal tells beyond its phase: it counts on, and what was edited since is told. */
function takenOver({ files, run }: RunView) {
  const path = statePath(run);
  const { checksums, validations, ...keys } = stateKeys(files.read(path) ?? '', path);
  const kept = ['verdict', 'override', 'iteration', 'last_action', 'session_id', 'telemetry', 'validations'] as const;
  const all: StateKeys = { ...keys, validations };
  const earlier = kept.flatMap((key) => {
    const value = all[key];
    return isJson(value) && value !== null ? [[key, value] as const] : [];
  });
  const hashes = Object.entries(isRecord(checksums) ? checksums : {}).flatMap(([file, each]) => {
    const { hash, validated_at: at } = isRecord(each) ? each : {};
    return typeof hash === 'string' ? [[file, { hash, validated_at: typeof at === 'string' ? at : '' }] as const] : [];
  });
  const { iteration, telemetry } = keys;
  const stale = staleDocuments({ checksums, validations }, files, run);
  return {
    data: {
      ...data.earlier.set(Object.fromEntries(earlier)),
      ...data.checksums.set(Object.fromEntries(hashes)),
      ...(typeof iteration === 'number' && data.planReviews.set(iteration)),
    },
    lean: keys['lean'] === true,
    spent: spentIn(isJson(telemetry) ? telemetry : undefined),
    notes: stale.map(staleText),
    // The tasks change with the work; a spec that was edited says something else than what was approved.
    isEdited: stale.some(({ path, what }) => what === 'edited' && path.startsWith('specs/')),
  };
}

function spentIn(telemetry: Json | undefined): EarlierSpending {
  const { calls, ...totals } = totalsOf(telemetry);
  const listed = callsIn(telemetry);
  const untold = (...keys: readonly (keyof typeof totals)[]): number =>
    listed.filter((call) => keys.some((key) => typeof call[key] !== 'number')).length;
  return {
    dispatches: calls,
    unknownTokens: untold('tokens_in', 'tokens_out'),
    unknownCost: untold('cost_usd'),
    inputTokens: totals.tokens_in ?? 0,
    outputTokens: totals.tokens_out ?? 0,
    costUsd: totals.cost_usd ?? 0,
    wallMs: totals.duration_ms ?? 0,
  };
}
