/** What a command on a change came to, in its own words. */

import type { Outcome } from '../../engine/machine.ts';
import { summaryText, type RunWords, type SummaryText } from '../run-summary.ts';
import type { RunView } from '../workflow.ts';
import { proposalPath, reviewPath, tasksPath } from './paths.ts';
import { phaseOf, verdictOf, type Phase } from './phases.ts';
import { data } from './run-data.ts';

const command = (verb: string, run: string) => `pawl change ${verb} ${run}`;
const phaseIn = ({ snapshot }: RunView) => phaseOf(snapshot) ?? 'new';
const next = (view: RunView) => nextOf(view.run, phaseIn(view));
/** What comes before an implementation that is refused. */
const beforeImpl = (view: RunView) => command(phaseIn(view) === 'challenged' ? 'impl' : 'plan', view.run);

export const words: RunWords = {
  next,
  verdict: verdictOf,
  refusals: {
    ChangeNotFound: ({ run }) => summaryText('not_found', `there is no change "${run}"`, nextOf(run, 'new')),
    ChangeNotReady: (view) =>
      phaseIn(view) === 'archived'
        ? summaryText('not_ready', `${view.run} is archived`, null)
        : summaryText(
            'not_ready',
            `${view.run} is not ready to be implemented: its phase is ${phaseIn(view)}`,
            beforeImpl(view),
          ),
    ChangeNotComplete: (view) =>
      summaryText(
        'not_complete',
        `${view.run} is not complete: its phase is ${phaseIn(view)}`,
        phaseIn(view) === 'implementing' ? next(view) : beforeImpl(view),
      ),
    BeyondPlanning: (view) =>
      summaryText('beyond_planning', `${view.run} is beyond planning: its phase is ${phaseIn(view)}`, next(view)),
    AlreadyComplete: (view) => summaryText('already_complete', `${view.run} is complete`, next(view)),
    AlreadyArchived: ({ run }) => summaryText('already_archived', `${run} is archived already`, null),
    NothingToRetry: (view) =>
      summaryText('nothing_to_retry', `${view.run} has no step to repeat: its phase is ${phaseIn(view)}`, next(view)),
    NothingToUndo: (view) =>
      summaryText(
        'nothing_to_undo',
        `${view.run} has changed nothing in the work tree that could be taken back`,
        next(view),
      ),
    HighIssueOpen: ({ run }) =>
      summaryText(
        'high_issue_open',
        'a High issue is open, so the plan cannot be implemented as it is',
        `pawl answer ${run} revision continue`,
      ),
  },
  rests: {
    ask_revision: ({ run }) =>
      summaryText(
        'decision_pending',
        'a person decides how to go on with the plan',
        `pawl answer ${run} revision <answer>`,
      ),
    proposed: (view) => summaryText('proposed', `the plan needs a person:\n${problemIn(view)}`, next(view)),
    challenged: (view, outcome) =>
      outcome === 'not_ready'
        ? planRefused(view, {
            edited: `${command('plan', view.run)}, or ${next(view)} --accept-edits`,
            invalid: command('plan', view.run),
          })
        : summaryText('challenged', `the plan of ${view.run} is approved (${proposalPath(view.run)})`, next(view)),
    rejected: (view) => summaryText('rejected', rejection(view), next(view)),
    implementing,
    complete,
    archived: ({ run, snapshot }) =>
      summaryText(
        'archived',
        `${run} is merged into agentd/specs and moved to agentd/archive/${data.archivedAs.of(snapshot) ?? run}`,
        null,
      ),
  },
};

function problemIn({ snapshot: { problem } }: RunView): string {
  return problem?.message ?? '';
}

function rejection({ run, snapshot }: RunView): string {
  return [
    `the challenger rejected the plan; read its review in ${proposalPath(run)} and edit the plan`,
    ...(data.rejection.of(snapshot)?.split('\n') ?? []),
    ...data.openIssues.of(snapshot).map(({ severity, title }) => `- ${severity}: ${title}`),
  ].join('\n');
}

function implementing(view: RunView, outcome: Outcome): SummaryText {
  const { run, snapshot } = view;
  const impl = command('impl', run);
  const accepted = `${impl} --accept-edits`;
  if (outcome === 'not_ready') return planRefused(view, { edited: accepted, invalid: accepted });
  if (outcome === 'done') return summaryText('tasks_done', 'the chosen tasks are done; others are pending', impl);
  if (snapshot.problem?.code === 'blocked')
    return summaryText('blocked', `${snapshot.problem.message}; see ${tasksPath(run)}`, impl);
  const verdict = data.codeReview.of(snapshot)?.verdict ?? 'none';
  return summaryText('needs_fix', `the review says ${verdict}; read ${reviewPath(run)}`, impl);
}

/** A plan that was mended is an edited one, so the way on is the same unless it can be challenged again. */
function planRefused(view: RunView, ways: { readonly edited: string; readonly invalid: string }): SummaryText {
  return view.snapshot.problem?.code === 'edited'
    ? summaryText('plan_edited', problemIn(view), ways.edited)
    : summaryText('plan_invalid', problemIn(view), ways.invalid);
}

function complete(view: RunView, outcome: Outcome): SummaryText {
  const { run, snapshot } = view;
  const archive = command('archive', run);
  if (outcome === 'not_ready')
    return snapshot.problem?.code === 'edited'
      ? summaryText('plan_edited', problemIn(view), archive)
      : summaryText('code_changed', problemIn(view), `${command('impl', run)} --review`);
  if (outcome === 'needs_person') return summaryText('merge_needs_person', problemIn(view), archive);
  return summaryText('implemented', `the implementation of ${run} is approved (${reviewPath(run)})`, archive);
}

export function nextOf(run: string, phase: Phase | null | 'new'): string | null {
  switch (phase) {
    case 'proposed':
    case 'rejected':
      return command('plan', run);
    case 'challenged':
    case 'implementing':
      return command('impl', run);
    case 'complete':
      return command('archive', run);
    case 'archived':
      return null;
    default:
      return `${command('plan', run)} "what to change and why"`;
  }
}
