/** What a command on a change came to, for people and for scripts. */

import type { Outcome } from '../../engine/machine.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import { stopSummary } from '../stop-summary.ts';
import type { RunSummary, RunView } from '../workflow.ts';
import { phaseOf, type Phase } from './phases.ts';
import { proposalPath, reviewPath, tasksPath } from './paths.ts';
import { data } from './run-data.ts';
import { verdictOf } from './standing.ts';

interface Rest {
  readonly outcome: Outcome;
  readonly refusal: string | null;
}

export function summarize(view: RunView, rest: Rest): RunSummary {
  const phase = phaseOf(view.snapshot);
  const said = rest.refusal === null ? resting(view, phase, rest.outcome) : refused(view, rest.refusal);
  return { phase, verdict: verdictOf(view), ...said };
}

type Said = Pick<RunSummary, 'action' | 'message' | 'next'>;

function refused({ run, snapshot }: RunView, reason: string): Said {
  const phase = phaseOf(snapshot) ?? 'new';
  const command = (verb: string) => `pawl change ${verb} ${run}`;
  const toImplement = phase === 'challenged' ? command('impl') : command('plan');
  const answers: Readonly<Record<string, Said>> = {
    ChangeNotFound: {
      action: 'not_found',
      message: `there is no change "${run}"`,
      next: `${command('plan')} "what to change and why"`,
    },
    ChangeNotReady: {
      action: 'not_ready',
      message:
        phase === 'archived' ? `${run} is archived` : `${run} is not ready to be implemented: its phase is ${phase}`,
      next: phase === 'archived' ? null : toImplement,
    },
    ChangeNotComplete: {
      action: 'not_complete',
      message: `${run} is not complete: its phase is ${phase}`,
      next: phase === 'implementing' ? command('impl') : toImplement,
    },
    BeyondPlanning: {
      action: 'beyond_planning',
      message: `${run} is beyond planning: its phase is ${phase}`,
      next: nextOf(run, phase),
    },
    AlreadyComplete: { action: 'already_complete', message: `${run} is complete`, next: command('archive') },
    AlreadyArchived: { action: 'already_archived', message: `${run} is archived already`, next: null },
    NothingToRetry: {
      action: 'nothing_to_retry',
      message: `${run} has no step to repeat: its phase is ${phase}`,
      next: nextOf(run, phase),
    },
    NothingToUndo: {
      action: 'nothing_to_undo',
      message: `${run} has changed nothing in the work tree that could be taken back`,
      next: nextOf(run, phase),
    },
    HighIssueOpen: {
      action: 'high_issue_open',
      message: 'a High issue is open, so the plan cannot be implemented as it is',
      next: `pawl answer ${run} revision continue`,
    },
  };
  return (
    answers[reason] ?? {
      action: reason,
      message: `this is not possible in state ${snapshot.state}: ${reason}`,
      next: nextOf(run, phase),
    }
  );
}

function resting(view: RunView, phase: Phase | null, outcome: Outcome): Said {
  const { run, snapshot } = view;
  const command = (verb: string) => `pawl change ${verb} ${run}`;
  const stopped = stopSummary(view, outcome);
  if (stopped) return stopped;
  const problem = snapshot.problem?.message ?? '';
  const isPlanEdited = snapshot.problem?.code === 'plan_edited';
  switch (snapshot.state) {
    case 'ask_revision':
      return {
        action: 'decision_pending',
        message: 'a person decides how to go on with the plan',
        next: `pawl answer ${run} revision <answer>`,
      };
    case 'proposed':
      return { action: 'proposed', message: `the plan needs a person:\n${problem}`, next: command('plan') };
    case 'challenged':
      if (outcome === 'not_ready')
        return planRefused(snapshot, {
          edited: `${command('plan')}, or ${command('impl')} --accept-edits`,
          invalid: command('plan'),
        });
      return {
        action: 'challenged',
        message: `the plan of ${run} is approved (${proposalPath(run)})`,
        next: command('impl'),
      };
    case 'rejected':
      return {
        action: 'rejected',
        message: rejection(view),
        next: command('plan'),
      };
    case 'implementing':
      return implementing(view, outcome);
    case 'complete':
      if (outcome === 'not_ready' && isPlanEdited)
        return { action: 'plan_edited', message: problem, next: command('archive') };
      if (outcome === 'not_ready')
        return { action: 'code_changed', message: problem, next: `${command('impl')} --review` };
      if (outcome === 'needs_person')
        return { action: 'merge_needs_person', message: problem, next: command('archive') };
      return {
        action: 'implemented',
        message: `the implementation of ${run} is approved (${reviewPath(run)})`,
        next: command('archive'),
      };
    case 'archived':
      return {
        action: 'archived',
        message: `${run} is merged into agentd/specs and moved to agentd/archive/${data.archivedAs.of(snapshot) ?? run}`,
        next: null,
      };
    default:
      return { action: snapshot.state, message: `${run} is in state ${snapshot.state}`, next: nextOf(run, phase) };
  }
}

function rejection({ run, snapshot }: RunView): string {
  return [
    `the challenger rejected the plan; read its review in ${proposalPath(run)} and edit the plan`,
    ...(data.rejection.of(snapshot)?.split('\n') ?? []),
    ...data.openIssues.of(snapshot).map(({ severity, title }) => `- ${severity}: ${title}`),
  ].join('\n');
}

function implementing({ run, snapshot }: RunView, outcome: Outcome): Said {
  const impl = `pawl change impl ${run}`;
  const accepted = `${impl} --accept-edits`;
  if (outcome === 'not_ready') return planRefused(snapshot, { edited: accepted, invalid: accepted });
  if (outcome === 'done')
    return { action: 'tasks_done', message: 'the chosen tasks are done; others are pending', next: impl };
  if (snapshot.problem?.code === 'tasks_blocked')
    return { action: 'blocked', message: `${snapshot.problem.message}; see ${tasksPath(run)}`, next: impl };
  const verdict = data.codeReview.of(snapshot)?.verdict ?? 'none';
  return { action: 'needs_fix', message: `the review says ${verdict}; read ${reviewPath(run)}`, next: impl };
}

/** A plan that was mended is an edited one, so the way on is the same unless it can be challenged again. */
function planRefused({ problem }: Snapshot, next: { readonly edited: string; readonly invalid: string }): Said {
  const { code = '', message = '' } = problem ?? {};
  return code === 'plan_edited'
    ? { action: 'plan_edited', message, next: next.edited }
    : { action: 'plan_invalid', message, next: next.invalid };
}

export function nextOf(run: string, phase: Phase | null | 'new'): string | null {
  switch (phase) {
    case 'proposed':
    case 'rejected':
      return `pawl change plan ${run}`;
    case 'challenged':
    case 'implementing':
      return `pawl change impl ${run}`;
    case 'complete':
      return `pawl change archive ${run}`;
    case 'archived':
      return null;
    default:
      return `pawl change plan ${run} "what to change and why"`;
  }
}
