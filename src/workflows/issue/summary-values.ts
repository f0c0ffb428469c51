/** What the summary of a run is made of. */

import type { RunView } from '../workflow.ts';
import type { SummaryValues } from './files/summary-text.ts';
import { recoveryCommands } from './recovery.ts';
import { data } from './run-data.ts';

/** As the specification and `pawl.toml` call them. */
const budgetNames: Readonly<Record<string, string>> = {
  plan_rework: 'plan_rework_remaining',
  review_edits: 'final_reviews',
};

/** Tasks that were left, and what was found on the way. */
export function filedIn(snapshot: RunView['snapshot']): SummaryValues['followUps'] {
  const tasks = data.filed.of(snapshot).map(({ id, title }) => ({ id, label: 'split-from-run', title }));
  return [...tasks, ...data.followUps.of(snapshot)];
}

export function summaryOf(view: RunView, outcome: SummaryValues['outcome']): SummaryValues {
  const { run, snapshot, history } = view;
  const spent = data.spent
    .of(snapshot)
    .map(({ budget, ...cause }) => ({ ...cause, budget: budgetNames[budget] ?? budget }));
  return {
    issue: run,
    title: data.title.of(snapshot),
    branch: data.branch.of(snapshot),
    outcome,
    steps: history.map(({ step, role, signal, ignored = [] }) => {
      const beside = ignored.length === 0 ? '' : `; git-ignored files that changed: ${ignored.join(', ')}`;
      return `${step} (${role}): ${signal}${beside}`;
    }),
    failure: data.failure.of(snapshot),
    spent,
    blockers: data.blockers.of(snapshot),
    deviations: data.deviations.of(snapshot),
    advice: data.advice.of(snapshot),
    manifest: data.manifest.of(snapshot),
    followUps: filedIn(snapshot),
    commits: data.commits.of(snapshot),
    recovery: outcome === 'failed' ? recoveryCommands(view) : [],
  };
}
