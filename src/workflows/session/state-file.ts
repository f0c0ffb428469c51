/** status.json: a projection of the journal that people and other tools read; sessions without a journal begin from it. */

import { DocumentError } from '../../documents/document-error.ts';
import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { Adoption, FileView, RunView, StateFile } from '../workflow.ts';
import { askForApproval, askForStrategy } from './design-question.ts';
import { designDigest } from './digest.ts';
import { readApproval, readStrategy } from './files/answers.ts';
import * as paths from './files/paths.ts';
import { readStatus, writeStatus, type Context, type Phase, type Status, type UserDecision } from './files/status.ts';
import { phaseOf } from './phases.ts';
import * as data from './run-data.ts';
import { blockedBy } from './stops.ts';
import { stoppedBy } from './summary.ts';

export function stateFile(run: string): StateFile {
  const file = paths.statusPath(run);
  return {
    path: () => file,
    phaseOf,
    render: (before, view) => writeStatus(before, statusOf(view)),
    identify: (text) => {
      const { current_state: phase, last_update: updatedAt } = readStatus(text, file).status;
      return { phase, updatedAt };
    },
    adopt: (phase, view, treeDigest) => adopt(phase, view, treeDigest),
  };
}

function statusOf(view: RunView): Status {
  const { snapshot, run, at } = view;
  const phase = phaseOf(snapshot) ?? 'INTAKE';
  const { instructions, checkedAt } = data.runtimeFlagsOf(snapshot);
  return {
    current_state: phase,
    session: run,
    mode: snapshot.flags['course'] === 'lean' ? 'lean' : 'full',
    assumptions: data.assumptionsOf(snapshot),
    user_decisions: data.decisionsOf(snapshot),
    gate_tracking: { APPROVE_DESIGN: tracking(snapshot) },
    runtime_flags: { copilot_instructions_exists: instructions, copilot_checked_at: checkedAt },
    retry_counts: data.allRetries(snapshot),
    known_issues: data.knownIssuesOf(snapshot),
    last_ci_result: data.ciOf(snapshot).result,
    last_update: at,
    extra: { blocked: phase === 'BLOCKED' ? blockedIn(view) : null },
  };
}

function blockedIn(view: RunView): Json {
  const { blocker, detail, wayOut } = stoppedBy(view);
  const { returnTo } = view.snapshot;
  const from = returnTo === null ? null : phaseOf({ ...view.snapshot, state: returnTo, returnTo: null });
  return { blocker, detail, way_out: wayOut, from };
}

/** none → queued → dispatched → completed, as the machine stands. */
function tracking(snapshot: Snapshot): NonNullable<Status['gate_tracking']['APPROVE_DESIGN']> {
  const correction = data.correctionOf(snapshot);
  const { state, returnTo } = snapshot;
  const isAtWork = [state, returnTo].some((each) => each?.startsWith('correct_')) || state === 'verify_correction';
  const correction_status =
    correction === null
      ? 'none'
      : state === 'queue_correction'
        ? 'queued'
        : isAtWork && correction.dispatchedAt !== null
          ? 'dispatched'
          : 'completed';
  return { correction_status, last_correction_dispatch: correction?.dispatchedAt ?? null };
}

/**
 * Where a session goes on that is known by its status.json only: other tools wrote it, or a person set the phase.
 * Both gates are behind whoever vouches for a later phase.
 */
function adopt(word: string, view: RunView, treeDigest: string): Adoption {
  const file = paths.statusPath(view.run);
  const { status, repairs } = readStatus(view.files.read(file) ?? '', file, { inferContext: inferContext(view) });
  const phase = status.current_state;
  if (phase === 'DONE')
    throw new DocumentError(
      { file, line: null },
      `the session is ${word}`,
      'one that is not finished: those are read-only',
    );
  const known = { ...takenOver(status), adopted: treeDigest };
  const place = placeOf(phase, status, view);
  return {
    ...place,
    data: { ...known, ...place.data },
    flags: { course: courseOf(status, phase), round: phase === 'RELEASE' ? 'release' : 'task', ...place.flags },
    gate: gateOf(phase),
    notes: repairs,
  };
}

/** What the file knows and the journal does not. */
function takenOver(status: Status): Record<string, Json> {
  const { gate_tracking: gates } = status;
  const answer = answerTo(status, 'UD-APPROVE-DESIGN');
  const asked = answer === null ? null : readApproval(answer);
  const dispatchedAt = gates.APPROVE_DESIGN?.last_correction_dispatch ?? null;
  return {
    goal: '',
    projectType: 'mixed',
    branch: 'HEAD',
    assumptions: [...status.assumptions],
    knownIssues: [...status.known_issues],
    runtime: {
      instructions: status.runtime_flags.copilot_instructions_exists,
      checkedAt: status.runtime_flags.copilot_checked_at,
    },
    ci: { result: status.last_ci_result, failedStep: null },
    ...data.decisionData(status.user_decisions),
    ...Object.fromEntries(
      Object.entries(status.retry_counts).map(([scope, counts]) => [`retries:${scope}`, { ...counts }]),
    ),
    ...(asked?.kind === 'changes' && {
      correction: { summary: asked.summary, role: asked.role ?? 'Architect', dispatchedAt, from: '' },
    }),
  };
}

type Place = Pick<Adoption, 'state' | 'returnTo' | 'flags'> & { readonly data?: Adoption['data'] };

function placeOf(phase: Phase, status: Status, view: RunView): Place {
  const approved = { approvedDesign: designDigest(view) };
  switch (phase) {
    case 'INTAKE':
      return { state: 'intake' };
    case 'INTAKE_LEAN':
      return { state: 'intake_lean' };
    case 'DESIGN':
      return { state: 'check_intake' };
    case 'APPROVE_DESIGN':
      return approvalPlace(status, view);
    case 'PLAN':
      return { state: 'plan', data: approved };
    case 'REVIEW_STRATEGY':
      return { state: 'review_strategy', data: { ...approved, ...askForStrategy(view) } };
    case 'ASK_USER':
      return openQuestions(status, view, approved);
    case 'INTEGRATE':
    case 'FIX_BUILD':
      return { state: 'integrate', data: approved, flags: { round: 'final', owed: 'all' } };
    case 'RELEASE':
      return { state: 'integrate', data: approved, flags: { round: 'final', owed: 'all' } };
    case 'BLOCKED':
      return blockedPlace(view, approved);
    default:
      return { state: 'recheck', returnTo: 'schedule', data: approved };
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
  const role = asked.role ?? 'Architect';
  const correcting = { SpecAgent: 'correct_spec', Architect: 'correct_architecture', Designer: 'correct_ui' } as const;
  return { state: 'queue_correction', returnTo: correcting[role] };
}

/** Pending decisions of another tool are asked as they stand, then the work goes on where they belong. */
function openQuestions(status: Status, view: RunView, approved: Record<string, Json>): Place {
  const open = status.user_decisions.filter(isOpenQuestion);
  const context = open[0]?.state_context ?? inferContext(view);
  const home = placeOf(context, { ...status, current_state: context }, view);
  if (open.length === 0) return home;
  const parts = open.map(({ decision_id: id, question }) => ({
    id,
    question,
    about: '',
    suggestions: [],
    binding: /secur|vulnerab|finding/i.test(question),
  }));
  return {
    ...home,
    state: 'ask_questions',
    returnTo: home.state === 'recheck' ? (home.returnTo ?? 'schedule') : home.state,
    data: { ...approved, ...home.data, asking: { title: 'Open questions of this session', detail: '', parts } },
  };
}

function isOpenQuestion({ status, decision_id: id }: UserDecision): boolean {
  return status === 'pending' && id !== 'UD-APPROVE-DESIGN' && id !== 'UD-REVIEW-STRATEGY';
}

function blockedPlace(view: RunView, approved: Record<string, Json>): Place {
  const context = inferContext(view);
  const state = context === 'INTAKE' ? 'intake' : context === 'DESIGN' ? 'check_intake' : 'schedule';
  const detail = 'the session was blocked when it was taken over';
  const wayOut = `pawl session resume ${view.run}`;
  return {
    state: 'blocked',
    returnTo: state,
    data: { ...(state === 'schedule' ? approved : {}), ...blockedBy('taken_over', detail, wayOut) },
  };
}

/** Where a session must be, by the documents it has. */
function inferContext({ files, run }: { readonly files: FileView; readonly run: string }): Context {
  if (files.read(paths.tasksPath(run)) !== undefined) return 'IMPLEMENT_LOOP';
  return files.read(paths.specPath(run)) === undefined ? 'INTAKE' : 'DESIGN';
}

function courseOf(status: Status, phase: Phase): string {
  if (status.mode === 'lean' || phase === 'INTAKE_LEAN') return 'lean';
  const answer = answerTo(status, 'UD-REVIEW-STRATEGY');
  const strategy = answer === null ? null : readStrategy(answer);
  return strategy === 'per-batch' || strategy === 'single-final' ? strategy.replace('-', '_') : 'full';
}

function answerTo(status: Status, id: string): string | null {
  return (
    status.user_decisions.find(({ decision_id: each, status: state }) => each === id && state === 'answered')?.answer ??
    null
  );
}

/** Going on from there means that the gates before it count as passed. */
function gateOf(phase: Phase): string | null {
  const before: readonly Phase[] = ['INTAKE', 'INTAKE_LEAN', 'DESIGN', 'APPROVE_DESIGN'];
  if (before.includes(phase)) return null;
  return phase === 'PLAN' || phase === 'REVIEW_STRATEGY' ? 'approval of the design' : 'choice of the review strategy';
}
