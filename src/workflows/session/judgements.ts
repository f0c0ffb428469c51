/** What the verdicts of Reviewer, QA and Security come to, and what a person is asked when repairs are spent. */

import { sameValue } from '../../documents/same-value.ts';
import type { Json, Snapshot } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import type { EndedDispatch, RunView } from '../workflow.ts';
import {
  attemptsOf,
  declinedNotesOf,
  judgementOf,
  kindOf,
  meta,
  recordOf,
  retriesData,
  retriesOf,
  scopeOf,
  type Data,
} from './run-data.ts';
import { textIn } from './recorded.ts';
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
  const { verdict, review_comments: comments = [], summary } = report;
  const data = judgement(context, report, comments.map(commentData));
  if (verdict === 'NEEDS FIXES' || report.status === 'BLOCKED')
    return repair(context, 'fix_review', summary, { name: 'blocked', data });
  const notes = openNotes({ data: { ...context.snapshot.data, ...data } });
  if (verdict === 'PASS' || notes.length === 0) return passed('passed', context, data);
  const asks = {
    title: 'The reviewer passes it with notes',
    detail: [
      `The reviewer says: ${summary.replaceAll('\n', ' ')}`,
      ...notes.map((note, index) => `N${index + 1}  ${note}`),
    ].join('\n'),
    parts: [{ question: 'Which notes shall be fixed?', suggestions: ['none', 'all', '<ids>'], binding: true }],
  };
  return { ...passed('notes', context, data), asks };
}

type Comment = NonNullable<Report['review_comments']>[number];

function commentData({ line, suggested_fix: fix, ...comment }: Comment): Json {
  return { ...comment, ...(line !== undefined && { line }), ...(fix !== undefined && { suggested_fix: fix }) };
}

/** What the last review noted, beside what a person left as it is before. */
export function openNotes(holder: Pick<Snapshot, 'data'>): readonly string[] {
  const declined = declinedNotesOf(holder);
  const notes = judgementOf(holder, 'review')?.findings.map((each) => noteOf(recordOf(each, 'judgement:review')));
  return (notes ?? []).filter((note) => !declined.includes(note));
}

function noteOf(comment: Data): string {
  const line = comment['line'];
  const place = `${textIn(comment, 'file')}${typeof line === 'number' ? `:${line}` : ''}`;
  return `[${textIn(comment, 'severity')}] ${place} ${textIn(comment, 'message')}`.replaceAll('\n', ' ');
}

function tested(context: EndedDispatch, report: Report): Signal {
  const gaps = report.coverage_gaps.map((gap) => ({ gap }));
  const data = judgement(context, report, [{ results: report.test_results ?? '' }, ...gaps]);
  const name = report.only_tests_wrong === true ? 'tests_wrong' : 'blocked';
  if (report.status === 'BLOCKED') return repair(context, 'fix_tests', report.summary, { name, data });
  return passed(isAsReviewed(context) ? 'passed' : 'passed_with_tests', context, data);
}

/** Whether the files are the very ones the reviewer saw last. */
function isAsReviewed({ changed, history, judged }: EndedDispatch): boolean {
  const seen = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  return changed.length === 0 && seen !== undefined && seen.tree === judged?.digest;
}

/** By the findings themselves: what an agent calls them does not let them through. */
function secured(context: EndedDispatch, report: Report): Signal {
  const { findings = [], summary } = report;
  const data = judgement(context, report, findings);
  const grave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave || report.status === 'BLOCKED') return repair(context, 'fix_security', summary, { name: 'blocked', data });
  const settled = Object.values(context.snapshot.decisions).filter(
    ({ status, answer }) => status === 'answered' && answer !== 'fix-now',
  );
  const open = findings
    .filter(({ severity }) => severity === 'medium')
    .filter((finding) => !settled.some(({ about }) => sameValue(about, finding)));
  if (open.length === 0) return passed('passed', context, data);
  const parts = open.map((finding) => ({
    question: findingText(finding),
    about: finding,
    suggestions: ['fix-now', 'fix-later', 'accept'],
    binding: true,
  }));
  return { ...passed('decision', context, data), asks: { title: 'Security needs a decision', detail: summary, parts } };
}

type SecurityFinding = NonNullable<Report['findings']>[number];

function findingText({ category, file, description, recommended_fix: fix }: SecurityFinding): string {
  return `[medium, ${category}] ${file}: ${description} Recommended: ${fix}`.replaceAll('\n', ' ');
}

/** With what was passed, so that the same files are not judged twice for the same purpose. */
function passed(name: string, { step, snapshot }: EndedDispatch, data: Data): Signal {
  return { name, data: { ...data, [`pass:${step}`]: scopeOf(snapshot) } };
}

function judgement({ step, snapshot }: EndedDispatch, { summary }: Report, findings: readonly Json[]): Data {
  return { [`judgement:${step}`]: { scope: scopeOf(snapshot), summary, findings } };
}

/** A repair is counted when it is sent off. When there is none left, what was tried and why it failed goes to a person. */
export function repair({ snapshot }: RunView, kind: Repair, why: string, { name, data }: Signal): Signal {
  const scope = scopeOf(snapshot);
  const phase = kindOf[kind];
  if ((snapshot.budgets[kind] ?? 0) > 0)
    return { name, data: { ...data, ...retriesData(snapshot, scope, phase, retriesOf(snapshot, scope)[phase] + 1) } };
  const tried = attemptsOf(snapshot).map(({ tried: what }, index) => `${index + 1}. ${what}`);
  const asks = {
    title: `${phase}: the attempts at mending ${scope === meta ? 'the session' : scope} are spent`,
    detail: [`Still wrong: ${why}`, ...(tried.length === 0 ? [] : ['Tried:', ...tried])].join('\n'),
    parts: [
      {
        question: `${phase} of ${scope}: ${why}`,
        about: kind,
        suggestions: ['different approach', 'accept with known issues', 'simplify scope', 'guidance: <what to do>'],
        binding: true,
      },
    ],
  };
  return { name, ...(data && { data }), asks };
}
