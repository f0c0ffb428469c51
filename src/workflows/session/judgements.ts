/** What the verdicts of Reviewer, QA and Security come to, and what a person is asked when repairs are spent. */

import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import type { EndedDispatch } from '../workflow.ts';
import { asking, type Batch } from './decisions.ts';
import { contextOf } from './phases.ts';
import {
  attemptsOf,
  decisionsOf,
  declinedNotesOf,
  kindOf,
  retriesData,
  retriesOf,
  scopeOf,
  type Data,
} from './run-data.ts';
import type { RunView } from '../workflow.ts';
import type { Report } from './tool-arguments.ts';
import type { Repair } from './vocabulary.ts';

export function judge(context: EndedDispatch, report: Report): Signal {
  switch (context.step) {
    case 'review':
      return reviewed(context, report);
    case 'qa':
      return tested(context, report);
    default:
      return secured(context, report);
  }
}

function reviewed(context: EndedDispatch, report: Report): Signal {
  const { verdict, review_comments: comments = [] } = report;
  const data = judgement(context, report, comments.map(commentData));
  if (verdict === 'NEEDS FIXES' || report.status === 'BLOCKED')
    return { name: 'blocked', data: { ...data, ...repair(context, 'fix_review', report.summary) } };
  const declined = declinedNotesOf(context.snapshot);
  const notes = comments.map(noteOf).filter((note) => !declined.includes(note));
  if (verdict === 'PASS' || notes.length === 0) return passed('passed', context, data);
  const batch: Batch = {
    title: 'The reviewer passes it with notes',
    detail: [
      `The reviewer says: ${report.summary.replaceAll('\n', ' ')}`,
      ...notes.map((note, index) => `N${index + 1}  ${note}`),
    ].join('\n'),
    queries: [{ question: 'Which notes shall be fixed?', suggestions: ['none', 'all', '<ids>'], binding: true }],
  };
  return { name: 'notes', data: { ...data, ...passData(context), ...asked(context, batch) } };
}

function commentData({ line, suggested_fix: fix, ...comment }: Comment): Json {
  return { ...comment, ...(line !== undefined && { line }), ...(fix !== undefined && { suggested_fix: fix }) };
}

type Comment = NonNullable<Report['review_comments']>[number];

function noteOf({ severity, file, line, message }: Comment): string {
  return `[${severity}] ${file}${line === undefined ? '' : `:${line}`} ${message}`.replaceAll('\n', ' ');
}

function tested(context: EndedDispatch, report: Report): Signal {
  const gaps = report.coverage_gaps.map((gap) => ({ gap }));
  const data = judgement(context, report, [{ results: report.test_results ?? '' }, ...gaps]);
  if (report.status === 'BLOCKED')
    return {
      name: report.only_tests_wrong === true ? 'tests_wrong' : 'blocked',
      data: { ...data, ...repair(context, 'fix_tests', report.summary) },
    };
  return passed(isAsReviewed(context) ? 'passed' : 'passed_with_tests', context, data);
}

/** Whether the files are the very ones the reviewer saw last. */
function isAsReviewed({ changed, history, judged }: EndedDispatch): boolean {
  const seen = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  return changed.length === 0 && seen !== undefined && seen.tree === judged?.digest;
}

/** By the findings themselves: what an agent calls them does not let them through. */
function secured(context: EndedDispatch, report: Report): Signal {
  const { findings = [] } = report;
  const data = judgement(context, report, findings);
  const grave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave || report.status === 'BLOCKED')
    return { name: 'blocked', data: { ...data, ...repair(context, 'fix_security', report.summary) } };
  const settled = decisionsOf(context.snapshot)
    .filter(({ status, answer }) => status === 'answered' && answer !== 'fix-now')
    .map(({ question }) => question);
  const open = findings.filter(({ severity }) => severity === 'medium').map(findingText);
  const undecided = open.filter((each) => !settled.includes(each));
  if (undecided.length === 0) return passed('passed', context, data);
  const batch: Batch = {
    title: 'Security needs a decision',
    detail: report.summary,
    queries: undecided.map((question) => ({
      question,
      about: 'security',
      suggestions: ['fix-now', 'fix-later', 'accept'],
      binding: true,
    })),
  };
  return { name: 'decision', data: { ...data, ...passData(context), ...asked(context, batch) } };
}

function findingText({
  category,
  file,
  description,
  recommended_fix: fix,
}: NonNullable<Report['findings']>[number]): string {
  return `[medium, ${category}] ${file}: ${description} Recommended: ${fix}`.replaceAll('\n', ' ');
}

function passed(name: string, context: EndedDispatch, data: Data): Signal {
  return { name, data: { ...data, ...passData(context) } };
}

/** What was passed, so that the same files are not judged twice for the same purpose. */
function passData({ step, snapshot }: EndedDispatch): Data {
  return { [`pass:${step}`]: scopeOf(snapshot) };
}

function judgement({ step, snapshot }: EndedDispatch, { summary }: Report, findings: readonly Json[]): Data {
  return { [`judgement:${step}`]: { scope: scopeOf(snapshot), summary, findings } };
}

/**
 * A repair is counted when it is sent off. When there is none left, what was tried and why it failed goes to a person:
 * the question is on record together with the judgement that raised it.
 */
export function repair(view: RunView & { readonly step?: string }, kind: Repair, why: string): Data {
  const { snapshot } = view;
  const scope = scopeOf(snapshot);
  if ((snapshot.budgets[kind] ?? 0) > 0)
    return retriesData(snapshot, scope, kindOf[kind], retriesOf(snapshot, scope)[kindOf[kind]] + 1);
  const tried = attemptsOf(snapshot).map(({ tried: what }, index) => `${index + 1}. ${what}`);
  const batch: Batch = {
    title: `${kindOf[kind]}: the attempts at mending ${scope === 'meta' ? 'the session' : scope} are spent`,
    detail: [`Still wrong: ${why}`, ...(tried.length === 0 ? [] : ['Tried:', ...tried])].join('\n'),
    queries: [
      {
        question: `${kindOf[kind]} of ${scope}: ${why}`,
        about: kind,
        suggestions: ['different approach', 'accept with known issues', 'simplify scope', 'guidance: <what to do>'],
        binding: true,
      },
    ],
  };
  const context = contextOf({ ...snapshot, state: `ask_${kind}`, returnTo: null });
  return asking(batch, { snapshot, at: view.at, context });
}

function asked({ snapshot, at, step }: EndedDispatch, batch: Batch): Data {
  return asking(batch, { snapshot, at, context: contextOf({ ...snapshot, state: step, returnTo: step }) });
}
