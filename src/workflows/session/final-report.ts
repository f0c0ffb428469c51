/**
 * The final report: what the session did, from what is on record and not from anybody's memory.
 *
 * R1. What agents and people put on record is in it, or it says where that is.
 * R2. What an agent claims is quoted as its words.
 */

import { attempt } from '../../documents/document-error.ts';
import { readJsonLines } from '../../documents/json-lines.ts';
import { isRecord } from '../../schema/values.ts';
import { fillTemplate } from '../prompt-template.ts';
import type { RunView } from '../workflow.ts';
import { isLean, tasksOf } from './documents.ts';
import type { Criterion } from './files/acceptance-file.ts';
import { historyPath } from './files/session-paths.ts';
import reportTemplate from './final-report.md';
import { knownIssues } from './known-issues.ts';
import { data, valuesOf } from './run-data.ts';

export function reportText(view: RunView, judged: readonly Criterion[]): string {
  const { snapshot, run } = view;
  const { summary, howToRun, howToTest } = data.docs.of(snapshot);
  const { results } = data.checks.of(snapshot);
  const said = quotedAs(isLean(snapshot) ? 'The Coder' : 'Docs');
  const checks = results.map(({ entry, status }) => `\`${entry.replace(/^(?:cmd|ci):\s*/, '')}\` (${status})`);
  const tasks = tasksOf(view).tasks.map(({ id, title, status }) => `${id} ${title} (${status})`);
  const criteria = judged.map(({ id, description, status = 'open', evidence = '' }) =>
    [`${id} ${description}: **${status}**`, evidence.split('\n')[0]].filter(Boolean).join(', '),
  );
  const tests = paragraphs(said(howToTest), checks.length > 0 && `These ran at the end:\n\n${list(checks)}`);
  const values: Readonly<Record<string, string>> = {
    run,
    goal: data.goal.of(snapshot),
    done: paragraphs(said(summary), list(tasks)),
    criteria: list(criteria),
    decisions: list([...corrections(view), ...decisions(view)]),
    assumptions: list(data.assumptions.of(snapshot)),
    notes: list(valuesOf(data.remark, snapshot)),
    work: `${workLine(view)} What each of them reported is in the journal: \`pawl log ${run}\`.`,
    how_to_run: said(howToRun) || 'Nobody recorded how it is run.',
    how_to_test: tests || 'No check was run; see the acceptance criteria above.',
    issues: list(knownIssues(snapshot)),
  };
  return fillTemplate(reportTemplate, (name) => values[name]);
}

/** R2. */
const quotedAs =
  (who: string) =>
  (words: string): string => {
    const lines = words.trimEnd().replace(/^\n+/, '').split('\n');
    return words.trim() === '' ? '' : `${who} says:\n\n${lines.map((line) => `> ${line}`.trimEnd()).join('\n')}`;
  };

const paragraphs = (...parts: readonly (string | false)[]): string => parts.filter(Boolean).join('\n\n');

function decisions({ snapshot }: RunView): readonly string[] {
  return Object.values(snapshot.decisions).map(({ id, context, question, answer, status, reason }) => {
    const why = answer === null || reason === null ? '' : ` (${reason})`;
    return `${id} (${context}): ${question} **${answer ?? `${status}, ${reason ?? ''}`}**${why}`;
  });
}

/** The decision itself keeps the last answer only. A line that somebody broke tells nothing. */
function corrections({ files, run }: RunView): readonly string[] {
  const path = historyPath(run);
  const lines = (files.read(path) ?? '').split('\n');
  return lines.flatMap((line) => {
    const entry = attempt(() => readJsonLines(line, path).value);
    const answer = isRecord(entry) ? entry['answer'] : undefined;
    return typeof answer === 'string' ? [`asked for at the approval of the design: ${answer}`] : [];
  });
}

function workLine({ history }: RunView): string {
  const counts = new Map<string, number>();
  for (const { role } of history) counts.set(role, (counts.get(role) ?? 0) + 1);
  const minutes = Math.ceil(history.reduce((sum, { ms }) => sum + ms, 0) / 60_000);
  const roles = [...counts].map(([role, count]) => `${role} ${count}`).join(', ');
  return `${history.length} agent calls in ${minutes === 1 ? 'a minute' : `${minutes} minutes`} of work: ${roles}.`;
}

/** Each on one line, or with its other lines under it. */
function list(lines: readonly string[]): string {
  return lines.length === 0 ? 'None.' : lines.map((line) => `- ${line.trim().replaceAll('\n', '\n  ')}`).join('\n');
}
