/** Reviews: a challenger's blocks behind a proposal, and a reviewer's REVIEW.md. */

import { findWord } from '../schema/values.ts';
import { DocumentError, type Where } from './document-error.ts';
import { SEVERITIES } from './finding.ts';
import {
  escapeAttribute,
  escapeTags,
  oneLine,
  readIssues,
  readSections,
  renderIssue,
  renderSection,
  sectionContent,
  unescapeAttribute,
  unescapeTags,
  wordIn,
  type Issue,
  type IssueHeading,
  type Section,
} from './review-text.ts';
import type { Start } from './yaml.ts';

export const PLAN_STATUSES = ['approved', 'needs_revision', 'rejected'] as const;
export type PlanStatus = (typeof PLAN_STATUSES)[number];

/** A challenger's review: one `<review>` block behind the proposal. */
export interface PlanReview {
  readonly iteration: number;
  readonly reviewer: string;
  /** The verdict. What the prose says about it does not count. */
  readonly status: PlanStatus;
  /** What was reviewed. */
  readonly of: string;
  readonly summary: string;
  readonly issues: readonly Issue[];
  readonly nextSteps: string;
}

export function renderPlanReview(review: PlanReview): string {
  const attributes = [
    `iteration="${review.iteration}"`,
    `reviewer="${escapeAttribute(review.reviewer)}"`,
    `status="${review.status}"`,
    `of="${escapeAttribute(review.of)}"`,
  ];
  const sections = [
    renderSection('Summary', review.summary),
    `## Issues\n\n${review.issues.map((issue) => renderIssue('### Issue:', issue)).join('\n') || 'None.\n'}`,
    renderSection('Verdict', review.status.toUpperCase()),
    renderSection('Next Steps', review.nextSteps),
  ];
  return `<review ${attributes.join(' ')}>\n\n${escapeTags(sections.join('\n'))}\n</review>\n`;
}

/** The opening tag of a block; it stands at the start of a line. */
const REVIEW_TAG = /^[ \t]*<review(?=[\s>])([^>\n]*)>/i;

/** Reads one block, from its opening tag on. `otherwise` numbers a block that does not say its iteration. */
export function readPlanReview(block: string, where: Start, otherwise = 1): PlanReview {
  const tag = REVIEW_TAG.exec(block);
  if (!tag)
    throw new DocumentError(where, 'found no review block', '<review iteration="…" reviewer="…" status="…" of="…">');
  const attributes = readAttributes(tag[1] ?? '');
  const status = attributes.get('status');
  const noStatus = status === undefined ? 'the review has no status attribute' : `status is "${status}"`;
  const [content = ''] = block.slice(tag[0].length).split(/<\/review>/i, 1);
  const sections = readSections(unescapeTags(content), where.line);
  return {
    iteration: readIteration(attributes.get('iteration'), otherwise, where),
    reviewer: attributes.get('reviewer') ?? '',
    status: wordIn(status, PLAN_STATUSES, where, noStatus),
    of: attributes.get('of') ?? 'plan',
    summary: sectionContent(sections, 'summary'),
    issues: readIssues(sections, where.file, issueHeading),
    nextSteps: sectionContent(sections, 'next steps'),
  };
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single = ''] of source.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    attributes.set(name.toLowerCase(), unescapeAttribute(double ?? single));
  return attributes;
}

function readIteration(value: string | undefined, otherwise: number, where: Where): number {
  if (value === undefined) return otherwise;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  throw new DocumentError(where, `iteration is "${value}"`, 'a whole number');
}

const ISSUE = /^###[ \t]+issue(?:[ \t]+\d+)?[ \t]*[:-](.*)$/is;

function issueHeading(line: string): IssueHeading {
  const [, title] = ISSUE.exec(line) ?? [];
  return title === undefined ? null : { title };
}

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
    const texts = issues.map((issue) => renderIssue('####', issue, groupedFields));
    return texts.length === 0 ? [] : [`### ${severity}\n\n${texts.join('\n')}`];
  });
  return [
    `# Code Review (Iteration ${review.iteration})\n`,
    renderSection('Test Results', review.testResults),
    renderSection('Security', review.security),
    `## Issues\n\n${groups.join('\n') || 'None.\n'}`,
    renderSection('Verdict', review.verdict),
    renderSection('Next Steps', review.nextSteps),
  ].join('\n');
}

/** The severity is that of the group. */
const groupedFields = ['category', 'description', 'location', 'recommendation'] as const;

export function readCodeReview(text: string, file: string): CodeReview {
  const sections = readSections(text.replace(/^\ufeff/, ''), 1);
  const issues = readIssues(sections, file, groupHeading);
  return {
    iteration: iterationIn(sections),
    verdict: readVerdict(sections, file),
    testResults: sectionContent(sections, 'test results'),
    security: sectionContent(sections, 'security'),
    issues: SEVERITIES.flatMap((severity) => issues.filter((issue) => issue.severity === severity)),
    nextSteps: sectionContent(sections, 'next steps'),
  };
}

function iterationIn([head]: readonly Section[]): number {
  const title = head?.lines.find((line) => /^#[ \t]/.test(line)) ?? '';
  return Number(/iteration[ \t]+(\d{1,9})/i.exec(title)?.[1] ?? 1);
}

/** An older form of the verdict: one of several, ticked, and often explained behind a dash. */
const TICKED = /^\s*[-*][ \t]+\[x\][ \t]*/i;

/** `NEEDS_CHANGES` is an older name. Anything but exactly one verdict is refused, never guessed. */
function readVerdict(sections: readonly Section[], file: string): CodeVerdict {
  const expected = `one of ${CODE_VERDICTS.join(', ')}`;
  const [section, second] = sections.filter(({ name }) => name === 'verdict');
  if (!section) throw new DocumentError({ file, line: null }, 'there is no "## Verdict" section', expected);
  if (second)
    throw new DocumentError({ file, line: second.line - 1 }, 'there is a second "## Verdict" section', 'one verdict');
  const ticked = section.lines.filter((each) => TICKED.test(each));
  const [line = section.lines.find((each) => each.trim() !== '') ?? ''] = ticked;
  const index = section.lines.indexOf(line);
  if (ticked.length > 1)
    throw new DocumentError({ file, line: section.line + index }, 'several verdicts are ticked', 'one verdict');
  const [words = ''] = ticked.length === 0 ? [line] : line.replace(TICKED, '').split(/\s[-–—]\s|:/);
  const said = words.replaceAll(/[*`]|^\s*verdict\s*:|\.\s*$/gi, '');
  if (findWord(said, ['NEEDS_CHANGES'])) return 'NEEDS_FIX';
  const problem = line === '' ? 'the verdict is empty' : `the verdict is "${oneLine(line)}"`;
  return wordIn(said, CODE_VERDICTS, { file, line: section.line + Math.max(index, 0) }, problem);
}

function groupHeading(line: string, where: Where): IssueHeading {
  const level = /^(#{3,4})(?:[ \t]|$)/.exec(line)?.[1]?.length;
  if (level === undefined) return null;
  if (level === 4) return { title: line.replace(/^#+/, '') };
  const severity = findWord(line.replaceAll(/[#*:`]/g, '').replace(/\(\d+\)/, ''), SEVERITIES);
  if (severity !== undefined) return { severity };
  const expected = `### followed by one of ${SEVERITIES.join(', ')}`;
  throw new DocumentError(where, `found "${oneLine(line)}" among the issues`, expected);
}
