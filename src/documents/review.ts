import { DocumentError, type Where } from './document-error.ts';
import { findWord } from '../schema/values.ts';
import {
  escapeAttribute,
  escapeTags,
  readIssues,
  readSections,
  renderIssue,
  renderSection,
  sectionText,
  unescapeAttribute,
  unescapeTags,
  type Issue,
  type IssueHeading,
} from './review-text.ts';

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
export function readPlanReview(
  block: string,
  where: { readonly file: string; readonly line: number },
  otherwise = 1,
): PlanReview {
  const tag = REVIEW_TAG.exec(block);
  if (!tag)
    throw new DocumentError(where, 'found no review block', '<review iteration="…" reviewer="…" status="…" of="…">');
  const attributes = readAttributes(tag[1] ?? '');
  const [content = ''] = block.slice(tag[0].length).split(/<\/review>/i, 1);
  const sections = readSections(unescapeTags(content), where.line);
  return {
    iteration: readIteration(attributes.get('iteration'), otherwise, where),
    reviewer: attributes.get('reviewer') ?? '',
    status: readStatus(attributes.get('status'), where),
    of: attributes.get('of') ?? 'plan',
    summary: sectionText(sections, 'summary'),
    issues: readIssues(sections, where.file, issueHeading),
    nextSteps: sectionText(sections, 'next steps'),
  };
}

function readAttributes(source: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', double, single] of source.matchAll(/([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    attributes.set(name.toLowerCase(), unescapeAttribute(double ?? single ?? ''));
  }
  return attributes;
}

function readIteration(value: string | undefined, otherwise: number, where: Where): number {
  if (value === undefined) return otherwise;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value);
  throw new DocumentError(where, `iteration is "${value}"`, 'a whole number');
}

function readStatus(value: string | undefined, where: Where): PlanStatus {
  const status = findWord(value, PLAN_STATUSES);
  if (status !== undefined) return status;
  const problem = value === undefined ? 'the review has no status attribute' : `status is "${value}"`;
  throw new DocumentError(where, problem, `one of ${PLAN_STATUSES.join(', ')}`);
}

const ISSUE = /^###[ \t]+issue(?:[ \t]+\d+)?[ \t]*[:-](.*)$/is;

function issueHeading(line: string): IssueHeading {
  const [, title] = ISSUE.exec(line) ?? [];
  return title === undefined ? null : { title };
}
