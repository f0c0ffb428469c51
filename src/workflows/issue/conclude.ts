/**
 * What follows from the report of a step: one signal of the routing matrix, and what later steps need to know.
 *
 * C1. A hint of `make` or `test` is a hint for `check`, never a route (ADR-19).
 * C2. What `simplify` says is recorded, and decides nothing (ADR-15).
 */

import type { Signal } from '../../engine/transition.ts';
import { isTestFile } from '../source-files.ts';
import { readArguments, type ToolArguments } from '../tool-definition.ts';
import type { Conclusion, EndedDispatch, FiledReport } from '../workflow.ts';
import type { Infer } from '../../schema/schema.ts';
import {
  findingsText,
  isRepeated,
  repeatedFindings,
  routeOf,
  type ReviewFinding,
} from '../../documents/review-finding.ts';
import { added, patch } from '../data-slots.ts';
import { data, escalated } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';

type ToolName = keyof typeof toolArguments;
type Report<T extends ToolName> = Infer<(typeof toolArguments)[T]['schema']>;

interface Step {
  readonly tool: ToolName;
  readonly read: (args: FiledReport['args'], context: EndedDispatch) => Signal | { readonly error: string };
}

function by<T extends ToolName>(tool: T, signalOf: (report: Report<T>, context: EndedDispatch) => Signal): Step {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript does not follow the name to its schema
  const shape = { tool, ...toolArguments[tool] } as ToolArguments<Report<T>>;
  return {
    tool,
    read: (args, context) => {
      const read = readArguments(shape, args);
      return 'error' in read ? read : signalOf(read.value, context);
    },
  };
}

const drafted = { ...data.planSeen.set([]), ...data.notes.set('') };
const made = by('report_work', (report, context) => work(report, context));
const tasks = by('write_tasks', ({ tasks: { length } }) => ({
  name: length === 1 ? 'one' : 'several',
  data: { ...data.tasks.set(length), ...data.notes.set('') },
}));

const steps: Readonly<Record<string, Step>> = {
  draft_plan: by('write_plan', () => ({ name: 'drafted', data: drafted })),
  revise_plan: by('write_plan', () => ({ name: 'revised', data: data.notes.set('') })),
  review_plan: by('file_review', reviewPlan),
  draft_tasks: tasks,
  revise_tasks: tasks,
  review_split: by('file_review', reviewSplit),
  write_stubs: made,
  write_tests: by('report_tests', testsWritten),
  review_tests: by('file_review', ({ verdict, findings }) =>
    verdict === 'ACCEPTABLE'
      ? { name: 'acceptable' }
      : { name: 'needs_work', data: data.notes.set(findingsText(findings)) },
  ),
  fix_tests: by('report_tests', testsRevised),
  retest: by('report_tests', testsRevised),
  sign_off: by('file_sign_off', signOff),
  add_seam: made,
  implement: made,
  fix_code: made,
  reverify: made,
  diagnose: by('file_diagnosis', ({ verdict, notes }, { snapshot }) => ({
    name: verdict,
    data: {
      ...data.notes.set(notes),
      ...data.entryWaived.set(verdict === 'production_logic' && snapshot.flags['making'] === 'body'),
      ...(verdict === 'split_needed' && data.escalation.set({ signal: 'split_needed', why: notes })),
    },
  })),
  review_code: by('file_review', reviewCode),
  draft_fix: by('write_fix', (_, { snapshot }) => ({
    name: 'drafted',
    data: { ...data.fixes.set(data.fix.of(snapshot)), ...data.notes.set('') },
  })),
  update_issue: by('update_issue', ({ criteria_met: ticked, comment, bugs }, { snapshot }) => ({
    name: 'updated',
    data: patch(data.ticked.set(ticked), data.comment.set(comment), added(data.bugs, snapshot, ...bugs)),
  })),
};

export function toolOf(step: string): ToolName {
  return stepOf(step).tool;
}

export function conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion {
  const { step, role } = context;
  const { tool, read } = stepOf(step);
  const filed = reports.find((report) => report.tool === tool);
  if (!filed) return { insufficient: `${role} ended without calling ${tool}` };
  const signal = read(filed.args, context);
  if ('error' in signal) return { insufficient: signal.error };
  return { signal: { ...signal, data: { ...advised(context), ...signal.data } }, writes: [] };
}

function stepOf(name: string): Step {
  const found = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (!found) throw new Error(`the issue workflow has no step "${name}"`);
  return found;
}

/** C2. */
function advised({ step, snapshot, advice = [] }: EndedDispatch) {
  const notes = advice.flatMap(({ tool, args }) => {
    const read = tool === 'file_advice' ? readArguments({ tool, ...toolArguments.file_advice }, args) : null;
    return read && 'value' in read ? read.value.notes : [];
  });
  return notes.length === 0 ? {} : added(data.advice, snapshot, ...notes.map((text) => ({ step, text })));
}

type Review = Report<'file_review'>;

/** A verdict of BLOCK is that of its findings: of all, where none says so. */
function findingsOf({ verdict, findings }: Review): readonly ReviewFinding[] {
  const isSaid = verdict !== 'BLOCK' || findings.some(({ severity }) => severity === 'BLOCK');
  return isSaid ? findings : findings.map((finding) => ({ ...finding, severity: 'BLOCK' as const }));
}

function reviewPlan(review: Review, { snapshot }: EndedDispatch): Signal {
  const findings = findingsOf(review);
  const seen = data.planSeen.of(snapshot);
  const isAcceptable = review.verdict === 'ACCEPTABLE';
  const isConverged = !isAcceptable && isRepeated(seen, findings);
  // Without another edit to spend, the loop ends here and what is open goes into the summary.
  const isLast = isConverged || (snapshot.budgets['plan_edits'] ?? 0) <= 0;
  const kept = isAcceptable || !isLast ? {} : blocked(snapshot, 'plan review', findings);
  return {
    name: isAcceptable ? 'acceptable' : isConverged ? 'converged' : 'needs_work',
    data: {
      ...data.planSeen.set([...seen, ...findings]),
      ...data.notes.set(findingsText(findings)),
      ...kept,
    },
  };
}

function blocked(snapshot: EndedDispatch['snapshot'], phase: string, findings: readonly ReviewFinding[]) {
  return added(data.blockers, snapshot, ...findings.map((finding) => ({ phase, finding })));
}

function reviewSplit(review: Review, { snapshot }: EndedDispatch): Signal {
  const findings = findingsOf(review);
  const notes = data.notes.set(findingsText(findings));
  if (review.verdict === 'ACCEPTABLE') return { name: 'acceptable', data: notes };
  if (review.verdict === 'BLOCK') {
    const why = findings.map(({ title }) => title).join('; ');
    const signal = { signal: 'split review: BLOCK', why };
    return {
      name: 'block',
      data: patch(notes, drafted, data.notes.set(findingsText(findings)), escalated(snapshot, 'plan_rework', signal)),
    };
  }
  const isLast = (snapshot.budgets['split_edits'] ?? 0) <= 0;
  return { name: 'needs_work', data: { ...notes, ...(isLast && blocked(snapshot, 'split review', findings)) } };
}

function testsWritten(report: Report<'report_tests'>, { snapshot }: EndedDispatch): Signal {
  const { verdict, tests, escalate_to_check: doubts, reason, missing_seam: seam, future_seams: seams } = report;
  const shared = patch(added(data.seams, snapshot, ...seams), data.entryWaived.set(false));
  if (verdict === 'TESTS_READY')
    return {
      name: doubts ? 'escalated' : 'tests_ready',
      data: { ...shared, ...data.tests.set(tests), ...data.seenIn.set(null), ...data.notes.set(reason) },
    };
  const why = seam || reason;
  const cause = { signal: verdict, why };
  const escalation = escalated(snapshot, 'escalations', cause);
  if (verdict === 'BLOCKED') return { name: 'blocked', data: { ...shared, ...escalation } };
  if (seam.trim() !== '') return { name: 'missing_seam', data: { ...shared, ...escalation, ...data.notes.set(seam) } };
  const claim = patch(data.escalation.set(cause), data.justification.set(reason));
  return { name: 'not_testable', data: { ...shared, ...claim } };
}

function testsRevised(report: Report<'report_tests'>, { snapshot }: EndedDispatch): Signal {
  const { verdict, tests, reason, missing_seam: seam } = report;
  if (verdict !== 'TESTS_READY')
    return { name: 'blocked', data: escalated(snapshot, 'escalations', { signal: verdict, why: seam || reason }) };
  // Of those that are not named again, the codes stay as they were handed over.
  const named = tests.map(({ name }) => name);
  const all = [...data.tests.of(snapshot).filter(({ name }) => !named.includes(name)), ...tests];
  return { name: 'revised', data: patch(data.tests.set(all), data.seenIn.set(null), data.manifest.set([])) };
}

function signOff({ signed, rationale }: Report<'file_sign_off'>, { snapshot, run }: EndedDispatch): Signal {
  if (!signed) {
    const escalation = data.escalation.set({ signal: 'NOT_TESTABLE, not signed off', why: rationale });
    return { name: 'refused', data: { ...data.notes.set(rationale), ...escalation } };
  }
  const entry = { task: `${run} task 1`, justification: data.justification.of(snapshot), rationale };
  return {
    name: 'signed',
    data: patch(data.manifest.set([entry]), data.tests.set([]), data.seen.set([]), data.notes.set('')),
  };
}

function work(report: Report<'report_work'>, { snapshot, step, changed }: EndedDispatch): Signal {
  const { verdict, summary, escalate, deviations, bugs } = report;
  const inTests = changed.filter(isTestFile).map((path) => `make changed the test file ${path}`);
  const shared = patch(
    added(data.deviations, snapshot, ...deviations, ...inTests),
    added(data.bugs, snapshot, ...bugs),
  );
  if (verdict === 'Complete') return { name: 'complete', data: { ...shared, ...data.notes.set('') } };
  const hint = escalate === '' ? '' : ` (make suspects: ${escalate})`;
  const cause = { signal: `${step}: Incomplete`, why: `${summary}${hint}` };
  return { name: 'incomplete', data: { ...shared, ...escalated(snapshot, 'escalations', cause) } };
}

/** Findings of one class are dealt with in a cycle; those of the others are reported again, or are gone. */
function reviewCode(review: Review, { snapshot, judged }: EndedDispatch): Signal {
  const findings = findingsOf(review);
  const dealtWith = data.reviewSeen.of(snapshot);
  const shared = { ...data.reviewFindings.set(findings), ...data.reviewedTree.set(judged?.digest ?? null) };
  const text = data.notes.set(findingsText(findings));
  if (review.verdict === 'ACCEPTABLE') return { name: 'acceptable', data: { ...shared, ...text } };
  if (isRepeated(dealtWith, findings)) return { name: 'converged', data: { ...shared, ...text } };
  const open = findings.filter((finding) => repeatedFindings(dealtWith, [finding]).length === 0);
  const route = routeOf(open) ?? 'production';
  const chosen = open.filter((finding) => finding.class === route);
  const cause = { signal: `final review: ${route} finding`, why: chosen.map(({ title }) => title).join('; ') };
  const taken = {
    ...shared,
    ...data.reviewSeen.set([...dealtWith, ...chosen]),
    ...data.chosenFindings.set(chosen),
    ...data.notes.set(findingsText(chosen)),
  };
  // `rework` puts its own cause on record.
  if (route === 'plan-level') return { name: 'plan_level', data: { ...taken, ...data.escalation.set(cause) } };
  const next = patch(data.fix.set(data.fixes.of(snapshot) + 1), escalated(snapshot, 'review_edits', cause));
  return { name: route, data: { ...taken, ...next } };
}
