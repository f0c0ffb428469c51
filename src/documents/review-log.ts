/** A log of reviews in Markdown: an entry for every iteration; nothing in it is ever changed. */

import { oneLine } from './review-text.ts';
import { issueText, type Issue } from './review-issues.ts';

export interface Iteration {
  readonly phase: string;
  readonly number: number;
  readonly at: string;
  readonly summary: string;
  readonly issues: readonly Issue[];
  /** Issues that count for nothing: outside of spec and expectations. */
  readonly dropped: readonly Issue[];
  /** What the report claimed otherwise than its issues say. */
  readonly corrected: string | null;
  readonly changes: string;
}

/** The text with the entry behind it. */
export function withIteration(before: string | undefined, iteration: Iteration): string {
  const text = before ?? '';
  const heading = `## Phase: ${iteration.phase}`;
  const isSamePhase =
    text
      .match(/^## Phase: .*$/gm)
      ?.at(-1)
      ?.trim() === heading;
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${isSamePhase ? '' : `${heading}\n\n`}${entryText(iteration)}\n`;
}

function entryText({ number, at, summary, issues, dropped, corrected, changes }: Iteration): string {
  const lines = [
    ...issues.map((issue) => `- ${issueText(issue)}`),
    ...dropped.map((issue) => `- [out of scope] ${issueText(issue)}`),
  ];
  return [
    `### Iteration ${number} - ${at}`,
    `**Reviewer Feedback:**\n${oneLine(summary) || 'none'}`,
    ...(corrected === null ? [] : [`**Corrected:** ${corrected}`]),
    `**Issues:**\n${lines.join('\n') || '- none'}`,
    `**Changes Made:**\n${changes}`,
    '---',
  ].join('\n\n');
}
