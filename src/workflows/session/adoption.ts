/**
 * Where a session goes on that is known by its status.json: another tool wrote it, or a person set the phase.
 *
 * P1. A gate counts as passed only where its answer is on file; otherwise it is asked before the work goes on.
 * P2. What is pending on file is asked first, under the ids it has.
 */

import { DocumentError } from '../../documents/document-error.ts';
import type { Json } from '../../engine/snapshot.ts';
import type { Adoption, RunView } from '../workflow.ts';
import { askForApproval } from './design-question.ts';
import { designDigest } from './digest.ts';
import { readApproval, readStrategy, suggestRole } from './files/answers.ts';
import * as paths from './files/paths.ts';
import { readStatus, type Context, type Phase, type Status, type UserDecision } from './files/status.ts';
import * as data from './run-data.ts';
import { blockedBy } from './stops.ts';

export function adopt(word: string, view: RunView, treeDigest: string): Adoption {
  const file = paths.statusPath(view.run);
  const { status, repairs } = readStatus(view.files.read(file) ?? '', file, { inferContext: inferContext(view) });
  const phase = status.current_state;
  if (phase === 'DONE')
    throw new DocumentError(
      { file, line: null },
      `the session is ${word}`,
      'one that is not finished: those are read-only',
    );
  const open = status.user_decisions.filter(isOpenQuestion);
  const context = phase === 'ASK_USER' ? (open[0]?.state_context ?? inferContext(view)) : phase;
  const gates = gatesOnFile(status, context);
  const home = gated(context, gates, placeOf(context, status, view));
  const place = open.length === 0 ? home : asking(home, open);
  return {
    ...place,
    data: {
      ...takenOver(status, view, gates.course === 'lean'),
      adopted: treeDigest,
      ...(gates.approved && { approvedDesign: designDigest(view) }),
      ...place.data,
    },
    flags: { course: gates.course, round: 'task', ...place.flags },
    budgets: left(status, view),
    gate: gatePassed(context, gates),
    notes: repairs,
  };
}

/** Attempts at the session as a whole count on; those at tasks are counted when they are scheduled. */
function left({ retry_counts: counts }: Status, { snapshot: { limits } }: RunView): Readonly<Record<string, number>> {
  const spent = data.spentOn({ data: { [`retries:${data.meta}`]: { ...counts[data.meta] } } }, data.meta) ?? {};
  return Object.fromEntries(
    Object.entries(spent).map(([budget, count]) => [budget, Math.max(0, (limits[budget] ?? 0) - count)]),
  );
}

/** Where a session must be, by the documents it has. */
function inferContext({ files, run }: Pick<RunView, 'files' | 'run'>): Context {
  if (files.read(paths.tasksPath(run)) !== undefined) return 'IMPLEMENT_LOOP';
  return files.read(paths.specPath(run)) === undefined ? 'INTAKE' : 'DESIGN';
}

function isOpenQuestion({ status, decision_id: id }: UserDecision): boolean {
  return status === 'pending' && id !== 'UD-APPROVE-DESIGN' && id !== 'UD-REVIEW-STRATEGY';
}

interface Gates {
  readonly approved: boolean;
  readonly course: string;
}

function gatesOnFile(status: Status, context: Context): Gates {
  const answer = answerTo(status, 'UD-APPROVE-DESIGN');
  const approved = answer !== null && readApproval(answer).kind === 'approved';
  if (status.mode === 'lean' || context === 'INTAKE_LEAN') return { approved, course: 'lean' };
  const said = answerTo(status, 'UD-REVIEW-STRATEGY');
  const strategy = said === null ? null : readStrategy(said);
  return { approved, course: typeof strategy === 'string' ? strategy.replace('-', '_') : 'full' };
}

function answerTo(status: Status, id: string): string | null {
  return (
    status.user_decisions.find(({ decision_id: each, status: state }) => each === id && state === 'answered')?.answer ??
    null
  );
}

type Place = Pick<Adoption, 'state' | 'returnTo' | 'flags'> & { readonly data?: Adoption['data'] };

function placeOf(context: Context, status: Status, view: RunView): Place {
  switch (context) {
    case 'INTAKE':
      return { state: 'intake' };
    case 'INTAKE_LEAN':
      return { state: 'intake_lean' };
    case 'DESIGN':
      return { state: 'check_intake' };
    case 'APPROVE_DESIGN':
      return approvalPlace(status, view);
    case 'PLAN':
      return { state: 'plan' };
    case 'REVIEW_STRATEGY':
      return { state: 'check_plan' };
    case 'INTEGRATE':
    case 'FIX_BUILD':
    case 'RELEASE':
      return { state: 'integrate', flags: { round: 'final', owed: 'all' } };
    case 'BLOCKED':
      return blockedPlace(view);
    default:
      return { state: 'recheck', returnTo: 'schedule' };
  }
}

/** The four cases of a correction: not begun, queued, sent off (never sent twice), done. */
function approvalPlace(status: Status, view: RunView): Place {
  const { correction_status: correction = 'none' } = status.gate_tracking.APPROVE_DESIGN ?? {};
  const answer = answerTo(status, 'UD-APPROVE-DESIGN');
  const asked = answer === null ? null : readApproval(answer);
  if (asked?.kind !== 'changes') return { state: 'approve_design', data: askForApproval(view) };
  if (correction === 'dispatched') return { state: 'verify_correction' };
  if (correction === 'completed') return { state: 'approve_design', data: askForApproval(view) };
  const role = asked.role ?? suggestRole(asked.summary);
  const correcting = { SpecAgent: 'correct_spec', Architect: 'correct_architecture', Designer: 'correct_ui' } as const;
  return { state: 'queue_correction', returnTo: correcting[role] };
}

function blockedPlace(view: RunView): Place {
  const context = inferContext(view);
  const returnTo = context === 'INTAKE' ? 'intake' : context === 'DESIGN' ? 'check_intake' : 'schedule';
  const detail = 'the session was blocked when it was taken over';
  const wayOut = `pawl session resume ${view.run}`;
  return { state: 'blocked', returnTo, data: blockedBy('taken_over', detail, wayOut) };
}

/** P1. `recheck` asks for the approval of a design that has none, and returns from there. */
function gated(context: Context, { approved, course }: Gates, place: Place): Place {
  const target = place.returnTo ?? place.state;
  if (course === 'lean' || !guarded.includes(target)) return place;
  const next = course === 'full' && target !== 'plan' ? 'check_plan' : target;
  if (context === 'BLOCKED') return { ...place, returnTo: next };
  return approved && place.state !== 'recheck'
    ? { ...place, state: next }
    : { ...place, state: 'recheck', returnTo: next };
}

/** States that nobody enters without an approved design; all but `plan` need a strategy too. */
const guarded = ['plan', 'check_plan', 'schedule', 'integrate'];

/** P2. The answers are in the words of the person; the work goes on where the questions came from. */
function asking(home: Place, open: readonly UserDecision[]): Place {
  const parts = open.map(({ decision_id: id, question }) => ({
    id,
    question,
    about: '',
    suggestions: [],
    binding: /secur|vulnerab|finding/i.test(question),
  }));
  return {
    ...home,
    state: home.state === 'blocked' ? 'blocked_asking' : 'ask_questions',
    returnTo: home.returnTo ?? home.state,
    data: { ...home.data, asking: { title: 'Open questions of this session', detail: '', parts } },
  };
}

/** What the file knows and the journal does not. */
function takenOver(status: Status, { snapshot }: RunView, lean: boolean): Record<string, Json> {
  const { gate_tracking: gates } = status;
  const answer = answerTo(status, 'UD-APPROVE-DESIGN');
  const asked = answer === null ? null : readApproval(answer);
  const dispatchedAt = gates.APPROVE_DESIGN?.last_correction_dispatch ?? null;
  const from = data.correctionOf(snapshot)?.from ?? '';
  return {
    goal: data.goalOf(snapshot),
    projectType: data.projectTypeOf(snapshot),
    branch: snapshot.data['branch'] ?? 'HEAD',
    assumptions: [...status.assumptions],
    ...data.issueData({ data: {} }, status.known_issues),
    runtime: {
      instructions: status.runtime_flags.copilot_instructions_exists,
      checkedAt: status.runtime_flags.copilot_checked_at,
    },
    ci: { result: status.last_ci_result, failedStep: null },
    ...data.decisionData(status.user_decisions.map((each) => (lean ? withoutGate(each, status) : each))),
    ...Object.fromEntries(
      Object.entries(status.retry_counts).map(([scope, counts]) => [`retries:${scope}`, { ...counts }]),
    ),
    ...(asked?.kind === 'changes' && {
      correction: { summary: asked.summary, role: asked.role ?? suggestRole(asked.summary), dispatchedAt, from },
    }),
  };
}

/** A lean session has no gates, so their questions are not open in one. */
function withoutGate(decision: UserDecision, { last_update: at }: Status): UserDecision {
  if (decision.status !== 'pending' || isOpenQuestion(decision)) return decision;
  return { ...decision, status: 'cancelled', resolved_at: at, resolution_reason: 'a lean session has no such gate' };
}

/** What a person vouches for by going on from there; gates without an answer on file are asked instead. */
function gatePassed(context: Context, { approved, course }: Gates): string | null {
  const before: readonly Phase[] = ['INTAKE', 'INTAKE_LEAN', 'DESIGN', 'APPROVE_DESIGN'];
  if (before.includes(context)) return null;
  if (course === 'lean') return 'choice of the review strategy';
  if (!approved) return null;
  return context === 'PLAN' || course === 'full' ? 'approval of the design' : 'choice of the review strategy';
}
