/**
 * status.json: a projection of the journal that people and other tools read. Sessions without a journal, and those
 * whose phase a person set, go on from it.
 *
 * P1. A gate counts as passed only where its answer is on file; otherwise it is asked before the work goes on.
 * P2. What is pending on file is asked first, under the ids it has, and stays open until it is answered:
 *     whether it is about security, nobody knows.
 */

import { DocumentError } from '../../documents/document-error.ts';
import { readJsonLines } from '../../documents/json-lines.ts';
import { readHeadings } from '../../documents/markdown.ts';
import { pendingDecision, type Decision } from '../../engine/decision.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { findWord, isRecord, sameValue } from '../../schema/values.ts';
import type { DataPatch } from '../data-slots.ts';
import type { Adoption, RunView, StateFile } from '../workflow.ts';
import { APPROVED } from './checks.ts';
import { documentDigests } from './documents.ts';
import { isMap, textOf, timeOf } from './files/decisions-file.ts';
import { correctedBy, readApproval, readStrategy, suggestRole, type CorrectingRole } from './answers.ts';
import * as paths from './files/session-paths.ts';
import { inferFrom, readStatus, writeStatus, type Status } from './files/status-file.ts';
import { askedDesign, designDigest } from './gates.ts';
import { phaseOf } from './transition-table.ts';
import { appended, data, meta, spentOn, valuesOf } from './run-data.ts';
import { stoppedBy } from './summary.ts';
import {
  commandsDecision,
  contexts,
  designDecision,
  projectTypes,
  strategyDecision,
  type Context,
} from './session-words.ts';

export function stateFile(run: string): StateFile {
  const file = paths.statusPath(run);
  return {
    path: () => file,
    render: (before, view) => writeStatus(before, statusOf(view)),
    identify: (text) => {
      const { current_state: phase, last_update: updatedAt } = readStatus(text, file).status;
      return { phase, updatedAt };
    },
    unread: (text, view) => {
      const [found, recorded] = [text, writeStatus(text, statusOf(view))].map(
        (each) => readJsonLines(each, file).value,
      );
      if (!isRecord(found) || !isRecord(recorded)) return [];
      // Decisions are: the gates compare them.
      const { user_decisions: _, ...others } = recorded;
      return Object.keys(others).filter((key) => !sameValue(found[key], recorded[key]));
    },
    adopt,
  };
}

export function statusOf(view: RunView): Status {
  const { snapshot, run, at } = view;
  const phase = phaseOf(snapshot) ?? 'INTAKE';
  const { instructions, checkedAt } = data.runtime.of(snapshot);
  const { blocker, detail, wayOut } = stoppedBy(view);
  const { returnTo } = snapshot;
  const from = returnTo === null ? null : phaseOf({ ...snapshot, state: returnTo, returnTo: null });
  return {
    current_state: phase,
    session: run,
    mode: snapshot.flags['mode'] === 'lean' ? 'lean' : 'full',
    assumptions: data.assumptions.of(snapshot),
    user_decisions: Object.values(snapshot.decisions),
    gate_tracking: { APPROVE_DESIGN: tracking(snapshot) },
    runtime_flags: { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt },
    retry_counts: data.retries.all(snapshot),
    known_issues: valuesOf(data.issue, snapshot),
    last_ci_result: data.ci.of(snapshot).result,
    last_update: at,
    extra: { blocked: phase === 'BLOCKED' ? { blocker, detail, way_out: wayOut, from } : null },
  };
}

/** none → queued → dispatched → completed, as the machine stands. */
function tracking(snapshot: Snapshot): NonNullable<Status['gate_tracking']['APPROVE_DESIGN']> {
  const correction = data.correction.of(snapshot);
  if (correction === null) return { correction_status: 'none', last_correction_dispatch: null };
  const { state, returnTo } = snapshot;
  const { dispatchedAt, role } = correction;
  // In any other state the return address is left over from before.
  const comesBack = ['ask_questions', 'recheck', 'blocked', 'blocked_asking'].includes(state);
  const step = comesBack ? (returnTo ?? state) : state;
  const isAtWork = step.startsWith('correct_') || step === 'verify_correction';
  const isQueued = state === 'queue_correction' || (isAtWork && dispatchedAt === null);
  const correction_status = isQueued ? 'queued' : isAtWork ? 'dispatched' : 'completed';
  const last = dispatchedAt === null ? null : { agent: role, task_id: meta, at: dispatchedAt };
  return { correction_status, last_correction_dispatch: last };
}

function adopt(word: string, view: RunView): Adoption {
  const { run, files, snapshot } = view;
  const file = paths.statusPath(run);
  const inference = inferFrom(view);
  const { context: inferred } = inference;
  const { status, repairs } = readStatus(files.read(file) ?? '', file, inference);
  const phase = status.current_state;
  if (phase === 'DONE') {
    const expected = 'one that is not finished: those are read-only';
    throw new DocumentError({ file, line: null }, `the session is ${word}`, expected);
  }
  const open = status.user_decisions.filter(isOpenQuestion);
  // The ledger's context is a phase wherever the file's was.
  const asked = contexts.find((each) => each === open[0]?.context);
  const context = phase === 'ASK_USER' ? (asked ?? inferred) : phase;
  const gates = gatesOnFile(status, context);
  const home = gated(context, gates, entryOf(context, gates, status, inferred));
  const entry = open.length === 0 ? home : asking(home, open);
  const isGate = entry.state === 'approve_design';
  // Attempts at the session as a whole count on; those at tasks are counted when they are scheduled.
  const spent = spentOn(status.retry_counts[meta] ?? {}) ?? {};
  const message = 'the session was blocked when it was taken over';
  return {
    ...entry,
    data: {
      ...takenOver(status, view, gates),
      ...(gates.approved !== null && data.approvedDesign.set(designDigest(view))),
      ...(isGate && askedDesign(view)),
    },
    decisions: decisionsOf(status, gates, isGate ? view.at : null),
    problem: home.state === 'blocked' ? { code: 'taken_over', message, fix: paths.resumeCommand(run) } : null,
    flags: { mode: gates.mode, round: 'task', ...entry.flags },
    budgets: Object.fromEntries(
      Object.entries(spent).map(([budget, count]) => [budget, Math.max(0, (snapshot.limits[budget] ?? 0) - count)]),
    ),
    gate: gatePassed(context, gates),
    notes: repairs,
  };
}

const gateDecisions: readonly string[] = [designDecision.id, strategyDecision.id, commandsDecision.id];

function isOpenQuestion({ status, id }: Decision): boolean {
  return status === 'pending' && !gateDecisions.includes(id);
}

interface Gates {
  /** The canonical form of what stands on file; null where that is no approval. */
  readonly approved: string | null;
  readonly strategy: string | null;
  readonly changes: { readonly summary: string; readonly role: CorrectingRole } | null;
  readonly mode: string;
}

function gatesOnFile(status: Status, context: Context): Gates {
  const answerTo = ({ id }: { readonly id: string }): string =>
    status.user_decisions.find((each) => each.id === id && each.status === 'answered')?.answer ?? '';
  const design = answerTo(designDecision);
  const approval = readApproval(design);
  const { changes: summary, role } = 'changes' in approval ? approval : {};
  const approved = APPROVED.test(design) ? design : 'approved' in approval ? 'approved' : null;
  const strategy = strategyIn(answerTo(strategyDecision));
  const lean = status.mode === 'lean' || context === 'INTAKE_LEAN';
  return {
    approved,
    strategy,
    changes: summary === undefined ? null : { summary, role: role ?? suggestRole(summary) },
    mode: lean ? 'lean' : (strategy?.replace('-', '_') ?? 'full'),
  };
}

/** Others may have written their reasons behind it. */
function strategyIn(answer: string): string | null {
  const read = readStrategy(/^\s*(per-batch|single-final)\b/i.exec(answer)?.[1] ?? answer);
  return 'answer' in read ? read.answer : null;
}

type Entry = Pick<Adoption, 'state' | 'returnTo' | 'flags' | 'asked'>;

const unjudged: Entry = { state: 'integrate', flags: { round: 'final', pending_reviews: 'all' } };
const entries: Partial<Record<Context, Entry>> = {
  INTAKE: { state: 'intake' },
  INTAKE_LEAN: { state: 'intake_lean' },
  DESIGN: { state: 'check_intake' },
  PLAN: { state: 'plan' },
  REVIEW_STRATEGY: { state: 'check_plan' },
  INTEGRATE: unjudged,
  FIX_BUILD: unjudged,
  RELEASE: unjudged,
};

function entryOf(context: Context, { changes }: Gates, status: Status, inferred: Context): Entry {
  if (context === 'BLOCKED') return { state: 'blocked', returnTo: entries[inferred]?.state ?? 'schedule' };
  if (context !== 'APPROVE_DESIGN') return entries[context] ?? { state: 'recheck', returnTo: 'schedule' };
  // A correction that was sent off is never sent twice.
  const { correction_status: correction = 'none' } = status.gate_tracking.APPROVE_DESIGN ?? {};
  if (!changes) return { state: 'approve_design' };
  if (correction === 'dispatched' || correction === 'completed') return { state: 'verify_correction' };
  return { state: 'queue_correction', returnTo: `correct_${correctedBy[changes.role]}` };
}

/** States that nobody enters without an approved design; all but `plan` need a strategy too. */
const guarded = ['plan', 'check_plan', 'schedule', 'integrate'];

/** P1. `recheck` asks for the approval of a design that has none, and returns from there. */
function gated(context: Context, { approved, mode }: Gates, entry: Entry): Entry {
  const target = entry.returnTo ?? entry.state;
  if (mode === 'lean' || !guarded.includes(target)) return entry;
  const next = mode === 'full' && target !== 'plan' ? 'check_plan' : target;
  if (context === 'BLOCKED') return { ...entry, returnTo: next };
  return approved !== null && entry.state !== 'recheck'
    ? { ...entry, state: next }
    : { ...entry, state: 'recheck', returnTo: next };
}

/** P2. */
function asking(home: Entry, open: readonly Decision[]): Entry {
  return {
    ...home,
    state: home.state === 'blocked' ? 'blocked_asking' : 'ask_questions',
    returnTo: home.returnTo ?? home.state,
    asked: { title: 'Open questions of this session', detail: '', ids: open.map(({ id }) => id) },
  };
}

/** The ledger of the file. A lean session has no gates; the approval is pending where it is asked for next. */
function decisionsOf(status: Status, gates: Gates, askedAt: string | null): Readonly<Record<string, Decision>> {
  const closed = { status: 'cancelled', resolvedAt: status.last_update } as const;
  const { id } = designDecision;
  const canonical: Readonly<Record<string, string | null>> = {
    [id]: gates.approved,
    [strategyDecision.id]: gates.strategy,
  };
  const ledger = Object.fromEntries(
    status.user_decisions.map((each) => {
      const isOpenGate = each.status === 'pending' && !isOpenQuestion(each);
      if (isOpenGate && each.id === commandsDecision.id)
        return [each.id, { ...each, ...closed, reason: 'asked again before the commands run' }];
      if (gates.mode === 'lean' && isOpenGate)
        return [each.id, { ...each, ...closed, reason: 'a lean session has no such gate' }];
      const answer = canonical[each.id] ?? each.answer;
      const given = answer !== each.answer && { extra: { ...each.extra, given_as: each.answer } };
      return [each.id, { ...each, answer, ...given }];
    }),
  );
  if (askedAt === null) return ledger;
  const pending = pendingDecision(id, designDecision, { at: askedAt, context: 'APPROVE_DESIGN' });
  return { ...ledger, [id]: { ...ledger[id], ...pending } };
}

/** Other tools keep the goal under names of their own, or only in the title of the spec. */
function goalIn({ files, run }: RunView, { extra = {} }: Status): string {
  const said = ['goal', 'user_goal', 'title', 'summary'].map((key) => textOf(extra[key]));
  const [heading] = readHeadings(files.read(paths.specPath(run)) ?? '');
  return said.find((each) => each !== undefined) ?? heading?.text ?? '';
}

function takenOver(status: Status, view: RunView, { changes }: Gates): DataPatch {
  const { snapshot } = view;
  const last = status.gate_tracking.APPROVE_DESIGN?.last_correction_dispatch ?? null;
  const dispatchedAt = isMap(last) ? (timeOf(last['at']) ?? null) : last;
  const from = data.correction.of(snapshot)?.from ?? '';
  const { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt } = status.runtime_flags;
  const retries = Object.entries(status.retry_counts).map(([scope, each]) => [`retries:${scope}`, each] as const);
  return {
    ...data.goal.set(data.goal.of(snapshot) || goalIn(view, status)),
    ...data.projectType.set(findWord(status.extra?.['project_type'], projectTypes) ?? data.projectType.of(snapshot)),
    ...data.imported.set(snapshot.state === 'new' ? documentDigests(view) : data.imported.of(snapshot)),
    ...data.branch.set(data.branch.of(snapshot) ?? 'HEAD'),
    ...data.assumptions.set(status.assumptions),
    ...appended(data.issue, { data: {} }, status.known_issues),
    ...data.runtime.set({ instructions, checkedAt }),
    ...data.ci.set({ result: status.last_ci_result, failedStep: null }),
    ...Object.fromEntries(retries),
    ...(changes && data.correction.set({ ...changes, dispatchedAt, from })),
  };
}

/** What a person vouches for by going on from there; gates without an answer on file are asked instead. */
function gatePassed(context: Context, { approved, mode }: Gates): string | null {
  if (['INTAKE', 'INTAKE_LEAN', 'DESIGN', 'APPROVE_DESIGN'].includes(context)) return null;
  if (mode === 'lean') return 'choice of the review strategy';
  if (approved === null) return null;
  return context === 'PLAN' || mode === 'full' ? 'approval of the design' : 'choice of the review strategy';
}
