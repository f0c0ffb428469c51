/**
 * Where a session goes on that is known by its status.json: another tool wrote it, or a person set the phase.
 *
 * P1. A gate counts as passed only where its answer is on file; otherwise it is asked before the work goes on.
 * P2. What is pending on file is asked first, under the ids it has, and stays open until it is answered:
 *     whether it is about security, nobody knows.
 */

import { DocumentError } from '../../documents/document-error.ts';
import { pendingDecision, type Decision } from '../../engine/decision.ts';
import type { Problem } from '../../engine/snapshot.ts';
import type { DataPatch } from '../data-slots.ts';
import type { Adoption, RunView } from '../workflow.ts';
import { readApproval, readStrategy, suggestRole, type CorrectingRole } from './answers.ts';
import { designDigest } from './design.ts';
import * as paths from './files/paths.ts';
import { readStatus } from './files/read-status.ts';
import { contexts, type Context, type Phase, type Status } from './files/status-file.ts';
import { askedDesign } from './gates.ts';
import { appended, data, meta, spentOn } from './run-data.ts';
import { designDecision, strategyDecision } from './vocabulary.ts';

export function adopt(word: string, view: RunView, treeDigest: string): Adoption {
  const file = paths.statusPath(view.run);
  const { status, repairs } = readStatus(view.files.read(file) ?? '', file, inferContext(view));
  const phase = status.current_state;
  if (phase === 'DONE') {
    const expected = 'one that is not finished: those are read-only';
    throw new DocumentError({ file, line: null }, `the session is ${word}`, expected);
  }
  const open = status.user_decisions.filter(isOpenQuestion);
  const context = phase === 'ASK_USER' ? (contextOf(open[0]) ?? inferContext(view)) : phase;
  const gates = gatesOnFile(status, context);
  const home = gated(context, gates, placeOf(context, gates, status, view));
  const place = open.length === 0 ? home : asking(home, open);
  return {
    ...place,
    data: {
      ...takenOver(status, view, gates),
      ...data.adopted.set(treeDigest),
      ...(gates.approved && data.approvedDesign.set(designDigest(view))),
      ...(place.state === 'approve_design' && askedDesign(view)),
    },
    decisions: decisionsOf(status, gates, place.state === 'approve_design' ? view.at : null),
    problem: home.state === 'blocked' ? blocked(view) : null,
    flags: { mode: gates.mode, round: 'task', ...place.flags },
    budgets: left(status, view),
    gate: gatePassed(context, gates),
    notes: repairs,
  };
}

function blocked({ run }: RunView): Problem {
  const message = 'the session was blocked when it was taken over';
  return { code: 'taken_over', message, fix: `pawl session resume ${run}` };
}

/** Attempts at the session as a whole count on; those at tasks are counted when they are scheduled. */
function left({ retry_counts: counts }: Status, { snapshot: { limits } }: RunView): Readonly<Record<string, number>> {
  const spent = spentOn(counts[meta] ?? {}) ?? {};
  return Object.fromEntries(
    Object.entries(spent).map(([budget, count]) => [budget, Math.max(0, (limits[budget] ?? 0) - count)]),
  );
}

/** Where a session must be, by the documents it has. */
function inferContext({ files, run }: Pick<RunView, 'files' | 'run'>): Context {
  if (files.read(paths.tasksPath(run)) !== undefined) return 'IMPLEMENT_LOOP';
  return files.read(paths.specPath(run)) === undefined ? 'INTAKE' : 'DESIGN';
}

/** The ledger's context is a phase wherever the file's was. */
function contextOf(decision: Decision | undefined): Context | undefined {
  return contexts.find((phase) => phase === decision?.context);
}

function isOpenQuestion({ status, id }: Decision): boolean {
  return status === 'pending' && id !== designDecision.id && id !== strategyDecision.id;
}

interface Gates {
  readonly approved: boolean;
  /** The changes asked for instead. */
  readonly changes: { readonly summary: string; readonly role: CorrectingRole } | null;
  readonly mode: string;
}

function gatesOnFile(status: Status, context: Context): Gates {
  const answerTo = ({ id }: { readonly id: string }): string =>
    status.user_decisions.find((each) => each.id === id && each.status === 'answered')?.answer ?? '';
  const approval = readApproval(answerTo(designDecision));
  const strategy = readStrategy(answerTo(strategyDecision));
  const lean = status.mode === 'lean' || context === 'INTAKE_LEAN';
  return {
    approved: 'approved' in approval,
    changes:
      'changes' in approval
        ? { summary: approval.changes, role: approval.role ?? suggestRole(approval.changes) }
        : null,
    mode: lean ? 'lean' : typeof strategy === 'string' ? strategy.replace('-', '_') : 'full',
  };
}

type Place = Pick<Adoption, 'state' | 'returnTo' | 'flags' | 'asked'>;

const places: Partial<Record<Context, Place>> = {
  INTAKE: { state: 'intake' },
  INTAKE_LEAN: { state: 'intake_lean' },
  DESIGN: { state: 'check_intake' },
  PLAN: { state: 'plan' },
  REVIEW_STRATEGY: { state: 'check_plan' },
  INTEGRATE: { state: 'integrate', flags: { round: 'final', pending_reviews: 'all' } },
  FIX_BUILD: { state: 'integrate', flags: { round: 'final', pending_reviews: 'all' } },
  RELEASE: { state: 'integrate', flags: { round: 'final', pending_reviews: 'all' } },
};

function placeOf(context: Context, { changes }: Gates, status: Status, view: RunView): Place {
  if (context === 'BLOCKED') {
    const from = inferContext(view);
    return { state: 'blocked', returnTo: places[from]?.state ?? 'schedule' };
  }
  if (context !== 'APPROVE_DESIGN') return places[context] ?? { state: 'recheck', returnTo: 'schedule' };
  // A correction that was sent off is never sent twice.
  const { correction_status: correction = 'none' } = status.gate_tracking.APPROVE_DESIGN ?? {};
  if (!changes || correction === 'completed') return { state: 'approve_design' };
  if (correction === 'dispatched') return { state: 'verify_correction' };
  return { state: 'queue_correction', returnTo: corrections[changes.role] };
}

const corrections = { SpecAgent: 'correct_spec', Architect: 'correct_architecture', Designer: 'correct_ui' } as const;

/** P1. `recheck` asks for the approval of a design that has none, and returns from there. */
function gated(context: Context, { approved, mode }: Gates, place: Place): Place {
  const target = place.returnTo ?? place.state;
  if (mode === 'lean' || !guarded.includes(target)) return place;
  const next = mode === 'full' && target !== 'plan' ? 'check_plan' : target;
  if (context === 'BLOCKED') return { ...place, returnTo: next };
  return approved && place.state !== 'recheck'
    ? { ...place, state: next }
    : { ...place, state: 'recheck', returnTo: next };
}

/** States that nobody enters without an approved design; all but `plan` need a strategy too. */
const guarded = ['plan', 'check_plan', 'schedule', 'integrate'];

/** P2. */
function asking(home: Place, open: readonly Decision[]): Place {
  return {
    ...home,
    state: home.state === 'blocked' ? 'blocked_asking' : 'ask_questions',
    returnTo: home.returnTo ?? home.state,
    asked: { title: 'Open questions of this session', detail: '', ids: open.map(({ id }) => id) },
  };
}

/** The ledger of the file; the approval is pending where it is asked for next. */
function decisionsOf(status: Status, { mode }: Gates, askedAt: string | null): Readonly<Record<string, Decision>> {
  const all = status.user_decisions.map((each) => (mode === 'lean' ? withoutGate(each, status) : each));
  const decisions = Object.fromEntries(all.map((decision) => [decision.id, decision]));
  if (askedAt === null) return decisions;
  const { id } = designDecision;
  const pending = pendingDecision(id, designDecision, { at: askedAt, context: 'APPROVE_DESIGN' });
  return { ...decisions, [id]: { ...decisions[id], ...pending } };
}

/** A lean session has no gates, so their questions are not open in one. */
function withoutGate(decision: Decision, { last_update: at }: Status): Decision {
  if (decision.status !== 'pending' || isOpenQuestion(decision)) return decision;
  return { ...decision, status: 'cancelled', resolvedAt: at, reason: 'a lean session has no such gate' };
}

/** What the file knows and the journal does not. */
function takenOver(status: Status, { snapshot }: RunView, { changes }: Gates): DataPatch {
  const dispatchedAt = status.gate_tracking.APPROVE_DESIGN?.last_correction_dispatch ?? null;
  const from = data.correction.of(snapshot)?.from ?? '';
  const { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt } = status.runtime_flags;
  return {
    ...data.goal.set(data.goal.of(snapshot)),
    ...data.projectType.set(data.projectType.of(snapshot)),
    ...data.branch.set(data.branch.of(snapshot) ?? 'HEAD'),
    ...data.assumptions.set(status.assumptions),
    ...appended(data.issue, { data: {} }, status.known_issues),
    ...data.runtime.set({ instructions, checkedAt }),
    ...data.ci.set({ result: status.last_ci_result, failedStep: null }),
    ...Object.fromEntries(
      Object.entries(status.retry_counts).map(([scope, counts]) => [`retries:${scope}`, { ...counts }]),
    ),
    ...(changes && data.correction.set({ ...changes, dispatchedAt, from })),
  };
}

/** What a person vouches for by going on from there; gates without an answer on file are asked instead. */
function gatePassed(context: Context, { approved, mode }: Gates): string | null {
  const before: readonly Phase[] = ['INTAKE', 'INTAKE_LEAN', 'DESIGN', 'APPROVE_DESIGN'];
  if (before.includes(context)) return null;
  if (mode === 'lean') return 'choice of the review strategy';
  if (!approved) return null;
  return context === 'PLAN' || mode === 'full' ? 'approval of the design' : 'choice of the review strategy';
}
