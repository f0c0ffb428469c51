/**
 * What follows from a report: one signal, the entry in the history, and what later steps need to know.
 *
 * C1. `approved` is computed (review-issues.ts); a report that claims otherwise is corrected, and that is recorded.
 */

import { bullets, oneLine } from '../../documents/review-text.ts';
import { readArguments } from '../tool-definition.ts';
import type { Conclusion, EndedDispatch, FiledReport, FileWrite } from '../workflow.ts';
import { citationsFor, countsFor, taskOf, tickedTasks } from './phase-artifacts.ts';
import { findingLine, issueText, sortIssues, type FinalFinding, type Issue } from '../../documents/review-issues.ts';
import { withIteration } from '../../documents/review-log.ts';
import { data } from './run-data.ts';
import { toolArguments } from './tool-arguments.ts';
import { artifactPath, historyPath } from './phases.ts';

type ToolName = keyof typeof toolArguments;

export function toolOf(step: string): ToolName {
  if (step === 'final_review') return 'file_final_review';
  if (step === 'produce') return 'write_document';
  return step.startsWith('review') ? 'file_review' : 'report_work';
}

export function conclude(context: EndedDispatch, reports: readonly FiledReport[]): Conclusion {
  const tool = toolOf(context.step);
  const filed = reports.find((report) => report.tool === tool);
  if (!filed) return { insufficient: `${context.role} ended without calling ${tool}` };
  if (tool === 'report_work' || tool === 'write_document') return made(context);
  if (tool === 'file_final_review') return finallyReviewed(context, filed);
  return reviewed(context, filed);
}

function made(context: EndedDispatch): Conclusion {
  const { step, item, files, run } = context;
  const answered = { ...data.feedback.set(''), ...data.findings.set([]) };
  const signal = { name: 'made', data: answered };
  const ticked = step === 'implement_task' ? tickedTasks(files, run, taskOf(item)) : null;
  return { signal, writes: ticked === null ? [] : [{ path: artifactPath(run, 'create-tasks'), content: ticked }] };
}

function reviewed(context: EndedDispatch, filed: FiledReport): Conclusion {
  const read = readArguments({ tool: 'file_review', ...toolArguments.file_review }, filed.args);
  if ('error' in read) return { insufficient: read.error };
  const { snapshot, files, run } = context;
  const phase = data.target.of(snapshot);
  const { value: report } = read;
  const valid = citationsFor(files, run, phase, data.description.of(snapshot));
  const { counting, dropped, approved } = sortIssues(report.issues, valid);
  const why = approved ? 'no blocker with a valid citation is left' : 'there is a blocker';
  const corrected = correction(report.approved, approved, why);
  const history = entry(context, { summary: report.summary, issues: counting, dropped, corrected });
  return {
    signal: {
      name: approved ? 'approved' : 'changes',
      data: {
        ...data.approved.set(approved),
        ...data.summary.set(report.summary),
        ...data.issues.set(counting),
        ...data.feedback.set(approved ? '' : bullets(counting.map(issueText))),
        ...data.reviewedTree.set(data.reviewTree.of(snapshot)),
      },
    },
    writes: [history],
  };
}

/** C1. */
function correction(claimed: boolean, approved: boolean, why: string): string | null {
  return claimed === approved ? null : `the report claimed approved: ${claimed}; ${why}, so it is ${approved}`;
}

type Entry = Omit<Parameters<typeof withIteration>[1], 'phase' | 'number' | 'at' | 'changes'>;

export function entry(
  { snapshot, files, run, at }: Pick<EndedDispatch, 'snapshot' | 'files' | 'run' | 'at'>,
  found: Entry,
): FileWrite {
  const path = historyPath(run);
  const iteration = {
    ...found,
    phase: data.target.of(snapshot),
    number: data.iteration.of(snapshot),
    at,
    changes: data.changes.of(snapshot),
  };
  return { path, content: withIteration(files.read(path), iteration) };
}

function finallyReviewed(context: EndedDispatch, filed: FiledReport): Conclusion {
  const read = readArguments({ tool: 'file_final_review', ...toolArguments.file_final_review }, filed.args);
  if ('error' in read) return { insufficient: read.error };
  const { files, run, snapshot } = context;
  const { evidence, summary, approved: claimed } = read.value;
  const findings = read.value.findings.filter(countsFor(files, run, snapshot));
  const outside = read.value.findings.filter((finding) => !findings.includes(finding));
  const approved = findings.length === 0;
  const corrected = correction(claimed, approved, approved ? 'it has no findings' : 'it has findings');
  const asIssue = (finding: FinalFinding): Issue => ({ severity: 'blocker', description: findingLine(finding) });
  const shown = evidence.map(({ requirement, place }) => `\n- evidence for ${oneLine(requirement)}: ${oneLine(place)}`);
  const told = `Final review: ${summary}${shown.join('')}`;
  return {
    signal: {
      name: approved ? 'approved' : 'findings',
      data: {
        ...data.findings.set(findings),
        ...data.evidence.set(evidence),
        ...data.summary.set(summary),
        ...data.feedback.set(bullets(findings.map(findingLine))),
      },
    },
    writes: [
      entry(context, { summary: told, issues: findings.map(asIssue), dropped: outside.map(asIssue), corrected }),
    ],
  };
}
