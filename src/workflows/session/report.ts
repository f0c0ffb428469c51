/** report.md: what the session did, from what is on record and not from anybody's memory. */

import type { Decision } from '../../engine/decision.ts';
import type { RunView } from '../workflow.ts';
import { judgeCriteria } from './acceptance.ts';
import { tasksOf } from './documents.ts';
import { checkOutcomes, goalOf, knownIssuesOf, recordOf } from './run-data.ts';

export function reportText(view: RunView): string {
  const { snapshot, run } = view;
  const docs = docsOf(view);
  const issues = knownIssuesOf(snapshot);
  const parts = [
    `# Session ${run}`,
    `Goal: ${goalOf(snapshot)}`,
    '## What was done',
    ...(docs.summary === '' ? [] : [docs.summary]),
    list(tasksOf(view).tasks.map(({ id, title, status }) => `${id} ${title} (${status})`)),
    '### Acceptance criteria',
    list(judgeCriteria(view).map(criterionLine)),
    '### Decisions',
    list(Object.values(snapshot.decisions).map(decisionLine)),
    '### Work',
    workLine(view),
    '## How to run',
    docs.howToRun === '' ? 'Nothing needs to be started: see the README.' : docs.howToRun,
    '## How to test',
    testLines(view, docs.howToTest),
    '## Known issues',
    issues.length === 0 ? 'None.' : list(issues),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

interface DocsWords {
  readonly summary: string;
  readonly howToRun: string;
  readonly howToTest: string;
}

/** What Docs (or, in lean, the Coder) said for people. */
function docsOf({ snapshot: { data } }: RunView): DocsWords {
  const value = data['docs'];
  const { summary, howToRun, howToTest } = value === undefined || value === null ? {} : recordOf(value, 'docs');
  const text = (each: unknown): string => (typeof each === 'string' ? each.trim() : '');
  return { summary: text(summary), howToRun: text(howToRun), howToTest: text(howToTest) };
}

function criterionLine(criterion: ReturnType<typeof judgeCriteria>[number]): string {
  const { id, description, status = 'open', evidence = '' } = criterion;
  const proof = evidence.split('\n')[0] ?? '';
  return `${id} ${description}: **${status}**${proof === '' ? '' : `, ${proof}`}`;
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
  const checks = checkOutcomes(snapshot).map(
    ({ entry, status }) => `\`${entry.replace(/^(?:cmd|ci):\s*/, '')}\` (${status})`,
  );
  const parts = [words, checks.length === 0 ? '' : `These ran at the end:\n\n${list(checks)}`];
  return (
    parts.filter((part) => part !== '').join('\n\n') ||
    'There are no executable checks; see the acceptance criteria above.'
  );
}

function list(lines: readonly string[]): string {
  return lines.length === 0 ? 'None.' : lines.map((line) => `- ${line}`).join('\n');
}
