import { DocumentError, type Where } from './document-error.ts';
import { SEVERITIES, type Severity } from './finding.ts';
import { findWord } from '../schema/values.ts';
import {
  oneLine,
  readIssues,
  readSections,
  renderIssue,
  renderSection,
  sectionText,
  type Issue,
  type IssueHeading,
  type Section,
} from './review-text.ts';

export const CODE_VERDICTS = ['APPROVED', 'NEEDS_FIX', 'MAJOR_ISSUES'] as const;
export type CodeVerdict = (typeof CODE_VERDICTS)[number];

/** A reviewer's judgement of an implementation: REVIEW.md. */
export interface CodeReview {
  readonly iteration: number;
  readonly verdict: CodeVerdict;
  readonly testResults: string;
  readonly security: string;
  /** High first; within a severity as filed. */
  readonly issues: readonly Issue[];
  readonly nextSteps: string;
}

export function renderCodeReview(review: CodeReview): string {
  const groups = SEVERITIES.flatMap((severity) => {
    const issues = review.issues.filter((issue) => issue.severity === severity);
    return issues.length === 0
      ? []
      : [`### ${severity}\n\n${issues.map((issue) => renderIssue('####', issue, groupedFields)).join('\n')}`];
  });
  return [
    `# Code Review (Iteration ${review.iteration})\n`,
    renderSection('Test Results', review.testResults),
    renderSection('Security', review.security),
    `## Issues\n\n${groups.length === 0 ? 'None.\n' : groups.join('\n')}`,
    renderSection('Verdict', review.verdict),
    renderSection('Next Steps', review.nextSteps),
  ].join('\n');
}

/** The severity is that of the group. */
const groupedFields = ['category', 'description', 'location', 'recommendation'] as const;

export function readCodeReview(text: string, file: string): CodeReview {
  const sections = readSections(text.replace(/^\ufeff/, ''), 1);
  const issues = readIssues(sections, file, issueHeading);
  return {
    iteration: readIteration(sections),
    verdict: readVerdict(sections, file),
    testResults: sectionText(sections, 'test results'),
    security: sectionText(sections, 'security'),
    issues: SEVERITIES.flatMap((severity) => issues.filter((issue) => issue.severity === severity)),
    nextSteps: sectionText(sections, 'next steps'),
  };
}

function readIteration([head]: readonly Section[]): number {
  const title = head?.lines.find((line) => /^#[ \t]/.test(line)) ?? '';
  return Number(/iteration[ \t]+(\d{1,9})/i.exec(title)?.[1] ?? 1);
}

/** `NEEDS_CHANGES` is an older name. Anything but exactly one verdict is refused, never guessed. */
function readVerdict(sections: readonly Section[], file: string): CodeVerdict {
  const expected = `one of ${CODE_VERDICTS.join(', ')}`;
  const [section, second] = sections.filter(({ name }) => name === 'verdict');
  if (!section) throw new DocumentError({ file, line: null }, 'there is no "## Verdict" section', expected);
  if (second)
    throw new DocumentError({ file, line: second.line - 1 }, 'there is a second "## Verdict" section', 'one verdict');
  const index = section.lines.findIndex((line) => line.trim() !== '');
  const line = section.lines[index] ?? '';
  const word = findWord(line.replaceAll(/[*`]|^\s*verdict\s*:|\.\s*$/gi, ''), [
    ...CODE_VERDICTS,
    'NEEDS_CHANGES',
  ] as const);
  if (word === undefined) {
    const problem = line === '' ? 'the verdict is empty' : `the verdict is "${oneLine(line)}"`;
    throw new DocumentError({ file, line: section.line + Math.max(index, 0) }, problem, expected);
  }
  return word === 'NEEDS_CHANGES' ? 'NEEDS_FIX' : word;
}

function issueHeading(line: string, where: Where): IssueHeading {
  const level = /^(#{3,4})(?:[ \t]|$)/.exec(line)?.[1]?.length;
  if (level === undefined) return null;
  return level === 4 ? { title: line.replace(/^#+/, '') } : { severity: readGroup(line, where) };
}

function readGroup(line: string, where: Where): Severity {
  const words = line.replaceAll(/[#*:`]/g, '').replace(/\(\d+\)/, '');
  const severity = findWord(words, SEVERITIES);
  if (severity !== undefined) return severity;
  throw new DocumentError(
    where,
    `found "${oneLine(line)}" among the issues`,
    `### followed by one of ${SEVERITIES.join(', ')}`,
  );
}
