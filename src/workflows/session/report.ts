/** report.md: what the session did, from what is on record and not from anybody's memory. */

import type { Decision } from '../../engine/decision.ts';
import type { RunView } from '../workflow.ts';
import { judgeCriteria } from './acceptance.ts';
import { tasksOf } from './documents.ts';
import type { Criterion } from './files/acceptance-file.ts';
import { data, valuesOf } from './run-data.ts';

export function reportText(view: RunView): string {
  const { snapshot, run } = view;
  const { summary, howToRun, howToTest } = data.docs.of(snapshot);
  const parts = [
    `# Session ${run}`,
    `Goal: ${data.goal.of(snapshot)}`,
    '## What was done',
    summary.trim(),
    list(tasksOf(view).tasks.map(({ id, title, status }) => `${id} ${title} (${status})`)),
    '### Acceptance criteria',
    list(judgeCriteria(view).map(criterionLine)),
    '### Decisions',
    list(Object.values(snapshot.decisions).map(decisionLine)),
    '### Work',
    workLine(view),
    '## How to run',
    howToRun.trim() || 'Nothing needs to be started: see the README.',
    '## How to test',
    testLines(view, howToTest.trim()),
    '## Known issues',
    list(valuesOf(data.issue, snapshot)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function criterionLine({ id, description, status, evidence = '' }: Criterion): string {
  const proof = evidence.split('\n')[0] ?? '';
  return `${id} ${description}: **${status ?? 'open'}**${proof === '' ? '' : `, ${proof}`}`;
}

function decisionLine({ id, context, question, answer, status, reason }: Decision): string {
  return `${id} (${context}): ${question} **${answer ?? `${status}, ${reason ?? ''}`}**`;
}

/** Which roles worked, how often, and how long. */
function workLine({ history }: RunView): string {
  const counts = new Map<string, number>();
  for (const { role } of history) counts.set(role, (counts.get(role) ?? 0) + 1);
  const minutes = Math.ceil(history.reduce((sum, { ms }) => sum + ms, 0) / 60_000);
  const roles = [...counts].map(([role, count]) => `${role} ${count}`).join(', ');
  return `${history.length} dispatches in ${minutes === 1 ? 'a minute' : `${minutes} minutes`} of work: ${roles}.`;
}

function testLines({ snapshot }: RunView, words: string): string {
  const checks = data.checks
    .of(snapshot)
    .results.map(({ entry, status }) => `\`${entry.replace(/^(?:cmd|ci):\s*/, '')}\` (${status})`);
  const parts = [words, checks.length === 0 ? '' : `These ran at the end:\n\n${list(checks)}`];
  const told = parts.filter((part) => part !== '').join('\n\n');
  return told || 'There are no executable checks; see the acceptance criteria above.';
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? 'None.' : lines.map((line) => `- ${line}`).join('\n');
}
