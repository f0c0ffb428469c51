/** The reports of challenger, reviewer, implementer and archivist. The signal follows when the dispatch ends, not in the call. */

import { renderCodeReview } from '../../documents/review.ts';
import { isBlocking } from '../../documents/finding.ts';
import { appendReview } from '../../documents/proposal.ts';
import { proposalBlocks } from '../../documents/proposal-blocks.ts';
import { bullets, renderSection, type Issue } from '../../documents/review-text.ts';
import { fileId, readSpec, type Spec } from '../../documents/spec.ts';
import { takeApart } from '../../documents/spec-elements.ts';
import { setTaskStatus, type Task } from '../../documents/tasks.ts';
import { defineTools } from '../tool-definition.ts';
import type { DispatchContext } from '../workflow.ts';
import * as paths from './change-paths.ts';
import type { MergeInput } from './merge-specs.ts';
import { lossesOf } from './merged-by-hand.ts';
import { tasksIn } from './read-documents.ts';
import { data, forbids, itemOf } from './run-data.ts';
import { mergeInput } from './spec-base.ts';
import { toolArguments } from './tool-arguments.ts';

export const reportTools = defineTools(toolArguments, {
  append_review: {
    description: 'Files your review of the plan, with its verdict. Once per dispatch; it is final.',
    roles: ['challenger'],
    report: { once: true },
    run({ status, summary, content: more, issues, next_steps: nextSteps }, context) {
      const path = paths.proposalPath(context.run);
      const before = context.files.read(path);
      if (before === undefined) return { error: `There is no ${path} to review.` };
      const refusal =
        status === 'approved'
          ? refusedForIssues(issues, 'status "needs_revision"')
          : status === 'needs_revision' && refusedWithoutIssues(issues, `status "${status}"`);
      if (refusal) return { error: refusal };
      const content = appendReview(before, {
        iteration: proposalBlocks(before).reviews.length + 1,
        reviewer: context.agent,
        status,
        of: 'plan',
        summary: paragraphs(summary, more),
        issues,
        nextSteps: bullets(nextSteps),
      });
      return { text: `Filed: ${status}. Your work is done.`, writes: [{ path, content }] };
    },
  },
  create_review: {
    description: 'Files your review, with its verdict. Once per dispatch; it is final.',
    roles: ['reviewer'],
    report: { once: true },
    run({ verdict, issues, ...args }, context) {
      const merge = context.step === 'review_merge';
      const refusal =
        verdict === 'APPROVED'
          ? (refusedForIssues(issues, 'verdict "NEEDS_FIX"') ?? (merge ? undefined : refusedForChecks(context)))
          : refusedWithoutIssues(issues, `verdict "${verdict}"`);
      if (refusal) return { error: refusal };
      const review = renderCodeReview({
        // Reviews of code and reviews of a merge are counted apart.
        iteration: ((merge ? data.mergeReview : data.codeReview).of(context.snapshot)?.iteration ?? 0) + 1,
        verdict,
        testResults: args.test_results ?? (merge ? 'Not applicable.' : checkSummary(context)),
        security: args.security ?? 'Nothing reported.',
        issues,
        nextSteps: bullets(args.next_steps),
      });
      const path = merge ? paths.mergeReviewPath(context.run) : paths.reviewPath(context.run);
      // Behind the title, where the reader of verdicts finds no verdict.
      const title = review.indexOf('\n') + 1;
      const summary = renderSection('Summary', paragraphs(args.summary, args.content));
      const content = `${review.slice(0, title)}\n${summary}${review.slice(title)}`;
      return { text: `Filed: ${verdict}. Your work is done.`, writes: [{ path, content }] };
    },
  },
  update_task: {
    description:
      'Sets the status of one task in tasks.md. Call it as soon as a task is completed or turns out to be blocked.',
    roles: ['implementer', 'author'],
    report: { once: false },
    run({ task_id: id, status, note }, context) {
      const path = paths.tasksPath(context.run);
      const before = context.files.read(path);
      if (before === undefined) return { error: `There is no ${path}.` };
      const tasks = tasksIn(context)?.tasks ?? [];
      const known = tasks.map((task) => task.id);
      const allowed = context.step === 'implement' ? itemOf(context.item).tasks : known;
      if (!known.includes(id))
        return { error: `There is no task "${id}", nothing was written; known: ${known.join(', ')}.` };
      const yours = allowed.join(', ');
      if (!allowed.includes(id))
        return { error: `Task "${id}" is not part of this dispatch, nothing was written; yours: ${yours}.` };
      const isOpen = (task: Task) => ['pending', 'in_progress'].includes(task.id === id ? status : task.status);
      const left = tasks.flatMap((task) => (allowed.includes(task.id) && isOpen(task) ? [task.id] : []));
      const rest = left.length === 0 ? 'None of your tasks is left.' : `Left: ${left.join(', ')}.`;
      const content = setTaskStatus(before, id, status, { file: path, note });
      return { text: `Task ${id} is ${status}. ${rest}`, writes: [{ path, content }] };
    },
  },
  write_main_spec: {
    description: 'Files the merged text of one main spec. It takes effect after a review.',
    roles: ['archivist'],
    report: { once: false },
    run({ spec_id: id, content }, context) {
      if (context.item && context.item.id !== id)
        return { error: `spec_id is "${id}", nothing was written; expected "${context.item.id}".` };
      const path = paths.mergedSpecPath(context.run, id);
      const text = `${content.replaceAll('\r\n', '\n').trimEnd()}\n`;
      const spec = readSpec(text, path);
      const input = mergeInput(context, id);
      const mistakes = specMistakes(spec, input);
      if (mistakes.length > 0)
        return { error: ['This is not a readable spec, nothing was written:', ...mistakes].join('\n') };
      const losses = lossesOf(text, input);
      const lost = [
        'Refused: text is lost that this merge may not touch:',
        ...losses.map((each) => `- ${each}`),
        'Call write_main_spec again with the whole text, in which these are as they were.',
      ].join('\n');
      const answer = losses.length > 0 ? lost : `Written: ${path}, ${spec.requirements.length} requirements.`;
      return { text: answer, writes: [{ path, content: text }] };
    },
  },
});

/** Whoever has to change something must be told what. */
function refusedWithoutIssues(issues: readonly Issue[], verdict: string): string | undefined {
  if (issues.length > 0) return undefined;
  return `A review with ${verdict} names what has to change, nothing was filed: add at least one finding to "issues".`;
}

function refusedForIssues(issues: readonly Issue[], instead: string): string | undefined {
  const high = issues.findIndex(({ severity }) => severity === 'High');
  if (high === -1) return undefined;
  return `An approval cannot carry a High finding, nothing was filed: issues[${high}] "${issues[high]?.title}". File it with ${instead}, or lower the severity if it does not block.`;
}

function refusedForChecks({ snapshot }: DispatchContext): string | undefined {
  const failed = data.checks.of(snapshot).results.filter(forbids);
  if (failed.length === 0) return undefined;
  const names = failed.map(({ name, log }) => (log === null ? name : `${name} (${log})`)).join(', ');
  return `An approval is not possible while a required check fails, nothing was filed: ${names}. Read its output and file verdict "NEEDS_FIX" with a finding for it in "issues".`;
}

function checkSummary({ snapshot }: DispatchContext): string {
  const lines = data.checks.of(snapshot).results.map(({ name, status }) => `- ${name}: ${status}`);
  return lines.join('\n') || 'No checks were found.';
}

function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.filter((text) => text !== undefined).join('\n\n');
}

/** A merged text may have what one of its sides has: another id, headings without one, no requirement at all. */
function specMistakes(spec: Spec, { main = '', change, specId }: MergeInput): string[] {
  const sides = [main, change].map((text) => takeApart(text, specId));
  const ids = spec.requirements.map((requirement) => requirement.id);
  const doubles = new Set(ids.filter((each, index) => ids.indexOf(each) !== index));
  const isNamed = [specId, fileId(specId), sides[0]?.spec.id].includes(spec.id);
  const isLoose = sides.some(({ elements }) => elements.some(({ kind }) => kind === 'heading'));
  const blocking = spec.findings.filter(
    (finding) => isBlocking(finding) && !(isLoose && finding.code === 'requirement-without-id'),
  );
  return [
    ...(spec.hasFront
      ? []
      : [`- the front matter is missing; expected it to begin with ---, id: ${specId}, type: spec`]),
    ...(isNamed ? [] : [`- id is "${spec.id}"; expected "${specId}"`]),
    ...(ids.length > 0 || isLoose
      ? []
      : ['- there is no requirement; expected "### R1: title" under "## Requirements"']),
    ...[...doubles].map((double) => `- requirement ${double} is there twice; expected one`),
    ...blocking.map(({ line, message, fix }) => `- line ${line}: ${message}; ${fix}`),
  ];
}
