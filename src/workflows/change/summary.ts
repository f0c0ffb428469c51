/** The result of a command on a change, in words. */

import type { Outcome } from '../../engine/machine.ts';
import type { PhaseView, RunWords, SummaryText } from '../define-workflow.ts';
import type { RunView } from '../workflow.ts';
import { changeFolder, proposalPath, reviewPath, tasksPath } from './change-paths.ts';
import { isPlanEdited, planEdited } from './documents.ts';
import { data, isLean, overrideWords, phaseOf, verdictOf } from './run-data.ts';

export const words: RunWords = {
  next: ({ run, snapshot }) => nextOf(run, phaseOf(snapshot)),
  verdict: verdictOf,
  missing: missingDocuments,
  refusals: {
    ChangeNotFound: ({ run }) => ['not_found', `there is no change "${run}"`],
    ChangeNotReady: ({ run, phase }) => [
      'not_ready',
      phase === 'archived' ? `${run} is archived` : `${run} is not ready to be implemented: its phase is ${phase}`,
    ],
    ChangeNotComplete: ({ run, phase }) => ['not_complete', `${run} is not complete: its phase is ${phase}`],
    BeyondPlanning: (view) => {
      const { run, phase, snapshot } = view;
      const message = `${run} is beyond planning: its phase is ${phase}`;
      const isApproved = data.approvedPlan.of(snapshot) !== null && phase !== 'archived';
      const isEdited = isApproved && isPlanEdited(view);
      if (!isEdited) return ['beyond_planning', message];
      return ['beyond_planning', `${message}; ${planEdited}`, `${command('impl', run)} --accept-edits`];
    },
    PlannedInFull: ({ run }) => ['planned_in_full', `${run} is planned in full, so it is not lean`],
    AlreadyComplete: ({ run }) => ['already_complete', `${run} is complete`],
    AlreadyArchived: ({ run }) => ['already_archived', `${run} is archived already`],
    NothingToRetry: ({ run, phase }) => ['nothing_to_retry', `${run} has no step to retry: its phase is ${phase}`],
    NothingToUndo: ({ run }) => ['nothing_to_undo', `${run} has no changes in the work tree to undo`],
    HighIssueOpen: ({ run }) => {
      const message = 'a High finding is open, so the plan cannot be implemented as it is';
      return ['high_issue_open', message, `pawl answer ${run} revision continue`];
    },
  },
  rests: {
    ask_revision: ({ run }) => {
      const message = 'a person decides how to continue the plan';
      return ['decision_pending', message, `pawl answer ${run} revision <answer>`];
    },
    proposed: ({ run, snapshot }) => {
      const message = `the plan needs a person:\n${snapshot.problem?.message ?? ''}`;
      return isLean(snapshot) ? ['needs_person', message, command('lean', run)] : message;
    },
    challenged: (view, outcome) =>
      outcome === 'not_ready'
        ? notReady(view)
        : `the plan of ${view.run} is approved${overrideWords(view.snapshot)} (${proposalPath(view.run)})`,
    rejected: ({ run, snapshot }) =>
      [
        `the challenger rejected the plan; read its review in ${proposalPath(run)} and edit the plan`,
        ...(data.rejection.of(snapshot)?.split('\n') ?? []),
        ...data.openIssues.of(snapshot).map(({ severity, title }) => `- ${severity}: ${title}`),
      ].join('\n'),
    implementing,
    complete,
    archived: ({ run, snapshot }) =>
      `${run} is merged into agentd/specs and moved to agentd/archive/${data.archivedAs.of(snapshot) ?? run}`,
  },
};

/** Documents of an approved plan; until then the planner writes what is missing. */
function missingDocuments({ run, snapshot, files }: RunView): readonly string[] {
  if (!['challenged', 'implementing', 'complete'].includes(phaseOf(snapshot) ?? '')) return [];
  return Object.keys(data.checksums.of(snapshot)).filter((name) => !files.exists(`${changeFolder(run)}/${name}`));
}

function implementing(view: PhaseView, outcome: Outcome): SummaryText {
  const { run, snapshot } = view;
  if (outcome === 'not_ready') return notReady(view);
  if (outcome === 'done') return ['tasks_done', 'the chosen tasks are done; others are pending'];
  if (snapshot.problem?.code === 'blocked') {
    const unblock = `once that is resolved, set its status to pending in ${tasksPath(run)}`;
    return ['blocked', `${snapshot.problem.message}\n${unblock}`];
  }
  const verdict = data.codeReview.of(snapshot)?.verdict;
  if (verdict === undefined) return ['unreviewed', `the implementation of ${run} is not reviewed yet`];
  const told = `the review says ${verdict}; read ${reviewPath(run)}`;
  // Without a fix to spend, the same command would stop at the same review again.
  if (snapshot.limits['implementation'] !== 0) return ['needs_fix', told];
  const message = `${told}\nimplementation_iterations is 0, so fix it by hand and have it reviewed again`;
  return ['needs_fix', message, `${command('impl', run)} --review`];
}

function complete(view: PhaseView, outcome: Outcome): SummaryText {
  if (outcome === 'not_ready') return notReady(view);
  if (outcome === 'needs_person') return ['merge_needs_person', view.snapshot.problem?.message ?? ''];
  return ['implemented', `the implementation of ${view.run} is approved (${reviewPath(view.run)})`];
}

/** The approved plan or code is not what is there. A plan that was repaired is an edited one. */
function notReady({ run, snapshot: { problem, state } }: PhaseView): SummaryText {
  const message = problem?.message ?? '';
  const [plan, impl] = [command('plan', run), command('impl', run)];
  const accept = `${impl}${state === 'complete' ? ' --review' : ''} --accept-edits`;
  const isEdited = problem?.code === 'edited';
  if (isEdited && state === 'challenged')
    return ['plan_edited', `${message}; have it challenged again, or accept the edits with\n${accept}`, plan];
  if (isEdited) return ['plan_edited', message, accept];
  if (problem?.code === 'invalid') return ['plan_invalid', message, state === 'challenged' ? plan : accept];
  return ['code_changed', message, `${impl} --review`];
}

const nextVerbs: Readonly<Record<string, string>> = {
  proposed: 'plan',
  rejected: 'plan',
  challenged: 'impl',
  implementing: 'impl',
  complete: 'archive',
};

export function nextOf(run: string, phase: string | null): string | null {
  if (phase === 'archived') return null;
  const verb = nextVerbs[phase ?? ''];
  return verb === undefined ? `${command('plan', run)} "what to change and why"` : command(verb, run);
}

function command(verb: string, run: string): string {
  return `pawl change ${verb} ${run}`;
}
