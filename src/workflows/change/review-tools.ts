/** What challenger and reviewer report with. The signal follows from the report when the dispatch ends, not in the call. */

import { renderCodeReview } from '../../documents/review.ts';
import { appendReview as appendBlock } from '../../documents/proposal.ts';
import { proposalBlocks } from '../../documents/proposal-blocks.ts';
import { bullets, renderSection, type Issue } from '../../documents/review-text.ts';
import type { DispatchContext } from '../workflow.ts';
import { mergeReviewPath, proposalPath, reviewPath } from './paths.ts';
import { data } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';
import { defineTool } from '../tool-definition.ts';

export const appendReview = defineTool(toolArguments.append_review, {
  description: 'Files your review of the plan, with its verdict. Once per dispatch; it cannot be taken back.',
  roles: ['challenger'],
  report: { once: true },
  run(args, context) {
    const path = proposalPath(context.run);
    const before = context.files.read(path);
    if (before === undefined) return { error: `There is no ${path} to review.` };
    if (args.status === 'approved') {
      const refusal = refusedForIssues(args.issues, 'status "needs_revision"');
      if (refusal !== undefined) return { error: refusal };
    }
    const content = appendBlock(before, {
      iteration: proposalBlocks(before).reviews.length + 1,
      reviewer: context.agent,
      status: args.status,
      of: 'plan',
      summary: paragraphs(args.summary, args.content),
      issues: args.issues,
      nextSteps: bullets(args.next_steps),
    });
    return { text: `Filed: ${args.status}. Your work is done.`, writes: [{ path, content }] };
  },
});

export const createReview = defineTool(toolArguments.create_review, {
  description: 'Files your review, with its verdict. Once per dispatch; it cannot be taken back.',
  roles: ['reviewer'],
  report: { once: true },
  run(args, context) {
    const merge = context.step === 'review_merge';
    if (args.verdict === 'APPROVED') {
      const refusal =
        refusedForIssues(args.issues, 'verdict "NEEDS_FIX"') ?? (merge ? undefined : refusedForChecks(context));
      if (refusal !== undefined) return { error: refusal };
    }
    const review = renderCodeReview({
      iteration: reviewIteration(context),
      verdict: args.verdict,
      testResults: args.test_results ?? (merge ? 'Not applicable.' : checkSummary(context)),
      security: args.security ?? 'Nothing reported.',
      issues: args.issues,
      nextSteps: bullets(args.next_steps),
    });
    const path = merge ? mergeReviewPath(context.run) : reviewPath(context.run);
    const content = withSummary(review, paragraphs(args.summary, args.content));
    return { text: `Filed: ${args.verdict}. Your work is done.`, writes: [{ path, content }] };
  },
});

/** Counts anew within each loop: reviews of code and reviews of a merge. */
export function reviewIteration({ step, snapshot }: Pick<DispatchContext, 'step' | 'snapshot'>): number {
  return ((step === 'review_merge' ? data.mergeReview : data.codeReview).of(snapshot)?.iteration ?? 0) + 1;
}

function refusedForIssues(issues: readonly Issue[], instead: string): string | undefined {
  const high = issues.findIndex(({ severity }) => severity === 'High');
  if (high === -1) return undefined;
  const title = issues[high]?.title ?? '';
  return `An approval cannot carry a High issue, nothing was filed: issues[${high}] "${title}". File it with ${instead}, or lower the severity if it does not block.`;
}

function refusedForChecks({ snapshot }: DispatchContext): string | undefined {
  const failed = data.checks.of(snapshot).results.filter(({ status, required }) => status === 'failed' && required);
  if (failed.length === 0) return undefined;
  const names = failed.map(({ name, log }) => (log === null ? name : `${name} (${log})`)).join(', ');
  return `An approval is not possible while a required check fails, nothing was filed: ${names}. Read its output and file verdict "NEEDS_FIX" with an issue for it.`;
}

function checkSummary({ snapshot }: DispatchContext): string {
  const lines = data.checks.of(snapshot).results.map(({ name, status }) => `- ${name}: ${status}`);
  return lines.length === 0 ? 'No checks were found.' : lines.join('\n');
}

/** Behind the title, where the reader of verdicts finds no verdict. */
function withSummary(review: string, summary: string): string {
  const title = review.indexOf('\n') + 1;
  return `${review.slice(0, title)}\n${renderSection('Summary', summary)}${review.slice(title)}`;
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join('\n\n');
}
