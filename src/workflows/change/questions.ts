import type { Question, RunView } from '../workflow.ts';
import { planDigest, planFiles } from './documents.ts';
import { proposalIn } from './read-documents.ts';
import { data } from './run-data.ts';

/** The planning budget is spent and the challenger still wants a revision: a person decides how to go on. */
export function revision(view: RunView): Question {
  const { run, files, snapshot } = view;
  const about = planDigest(files, run);
  const review = proposalIn(view)?.reviews.at(-1);
  const issues = review?.issues ?? [];
  const open = issues.map(({ severity, title }) => ({ severity, title }));
  return {
    title: `The plan of ${run} still needs a revision, and its planning budget is spent`,
    detail: [review?.summary ?? '', ...issues.map(({ severity, title }) => `- ${severity}: ${title}`)]
      .join('\n')
      .trim(),
    answers: {
      implement_anyway: 'implement the plan as it is (recorded as your decision)',
      continue: 'one more round of revision and challenge',
      view: 'show the plan',
    },
    about,
    withdrawn: data.judgedPlan.of(snapshot) === about ? null : 'the plan was changed since it was judged',
    paths: planFiles(view),
    data: {
      implement_anyway: {
        ...data.approvedPlan.set({ digest: about, by: 'person' }),
        ...data.override.set({ by: 'person', at: view.at, open_issues: open }),
      },
    },
  };
}
