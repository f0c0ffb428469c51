/** What the verdicts of Reviewer, QA and Security come to, and what a person is asked when repairs are spent. */

import { sameValue } from '../../schema/values.ts';
import type { Snapshot } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import type { DataPatch } from '../data-slots.ts';
import type { EndedDispatch, RunView } from '../workflow.ts';
import { data, meta, retriesData, retriesOf, scopeOf, valuesOf } from './run-data.ts';
import type { Report } from './tool-arguments.ts';
import { kindOf, type Repair } from './vocabulary.ts';

/** By the step of each gate. */
export const judgements = { review: reviewed, qa: tested, security: secured };

function reviewed(context: EndedDispatch, report: Report): Signal {
  const { verdict, review_comments: comments = [], summary } = report;
  const judged = judgement(context, report, comments);
  if (verdict === 'NEEDS FIXES' || report.status === 'BLOCKED')
    return repair(context, 'fix_review', summary, { name: 'blocked', data: judged });
  const notes = openNotes({ data: { ...context.snapshot.data, ...judged } });
  if (verdict === 'PASS' || notes.length === 0) return passed('passed', context, judged);
  const said = `The reviewer says: ${summary.replaceAll('\n', ' ')}`;
  const asks = {
    title: 'The reviewer passes it with notes',
    detail: [said, ...notes.map((note, index) => `N${index + 1}  ${note}`)].join('\n'),
    parts: [{ question: 'Which notes shall be fixed?', suggestions: ['none', 'all', '<ids>'], binding: true }],
  };
  return { ...passed('notes', context, judged), asks };
}

export function openNotes(holder: Pick<Snapshot, 'data'>): readonly string[] {
  const declined = valuesOf(data.declined, holder);
  const notes = (data.judgement.get(holder, 'review')?.findings ?? []).map(({ severity, file, line, message }) =>
    `[${severity}] ${file}${line === undefined ? '' : `:${line}`} ${message}`.replaceAll('\n', ' '),
  );
  return notes.filter((note) => !declined.includes(note));
}

function tested(context: EndedDispatch, report: Report): Signal {
  const { changed, history, judged: tree } = context;
  const gaps = report.coverage_gaps.map((gap) => ({ gap }));
  const judged = judgement(context, report, [{ results: report.test_results ?? '' }, ...gaps]);
  const name = report.only_tests_wrong === true ? 'tests_wrong' : 'blocked';
  if (report.status === 'BLOCKED') return repair(context, 'fix_tests', report.summary, { name, data: judged });
  // Whether the files are the very ones the reviewer saw last.
  const seen = history.findLast(({ step, problem }) => step === 'review' && problem === null);
  const isAsReviewed = changed.length === 0 && seen !== undefined && seen.tree === tree?.digest;
  return passed(isAsReviewed ? 'passed' : 'passed_with_tests', context, judged);
}

/** By the findings themselves: what an agent calls them does not let them through. */
function secured(context: EndedDispatch, report: Report): Signal {
  const { findings = [], summary } = report;
  const judged = judgement(context, report, findings);
  const grave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
  if (grave || report.status === 'BLOCKED')
    return repair(context, 'fix_security', summary, { name: 'blocked', data: judged });
  const settled = Object.values(context.snapshot.decisions).filter(
    ({ status, answer }) => status === 'answered' && answer !== 'fix-now',
  );
  const open = findings
    .filter(({ severity }) => severity === 'medium')
    .filter((finding) => !settled.some(({ about }) => sameValue(about, finding)));
  if (open.length === 0) return passed('passed', context, judged);
  const parts = open.map((finding) => {
    const { category, file, description, recommended_fix: fix } = finding;
    const question = `[medium, ${category}] ${file}: ${description} Recommended: ${fix}`.replaceAll('\n', ' ');
    return { question, about: finding, suggestions: ['fix-now', 'fix-later', 'accept'], binding: true };
  });
  const asks = { title: 'Security needs a decision', detail: summary, parts };
  return { ...passed('decision', context, judged), asks };
}

/** With what was passed, so that the same files are not judged twice for the same purpose. */
function passed(name: string, { step, snapshot }: EndedDispatch, judged: DataPatch): Signal {
  return { name, data: { ...judged, ...data.pass.set(step, scopeOf(snapshot)) } };
}

function judgement(
  { step, snapshot }: EndedDispatch,
  { summary }: Report,
  findings: Parameters<typeof data.judgement.set>[1]['findings'],
): DataPatch {
  return data.judgement.set(step, { scope: scopeOf(snapshot), summary, findings });
}

/** A repair is counted when it is sent off. When there is none left, what was tried and why it failed goes to a person. */
export function repair({ snapshot }: RunView, kind: Repair, why: string, signal: Signal): Signal {
  const scope = scopeOf(snapshot);
  const phase = kindOf[kind];
  if ((snapshot.budgets[kind] ?? 0) > 0)
    return {
      ...signal,
      data: { ...signal.data, ...retriesData(snapshot, scope, phase, retriesOf(snapshot, scope)[phase] + 1) },
    };
  const tried = data.attempts.of(snapshot).map(({ tried: what }, index) => `${index + 1}. ${what}`);
  const suggestions = ['different approach', 'accept with known issues', 'simplify scope', 'guidance: <what to do>'];
  const asks = {
    title: `${phase}: the attempts at fixing ${scope === meta ? 'the session' : scope} are spent`,
    detail: [`Still wrong: ${why}`, ...(tried.length === 0 ? [] : ['Tried:', ...tried])].join('\n'),
    parts: [{ question: `${phase} of ${scope}: ${why}`, about: kind, suggestions, binding: true }],
  };
  return { ...signal, asks };
}
