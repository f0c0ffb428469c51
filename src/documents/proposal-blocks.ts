/**
 * Cuts a proposal document into its blocks. Opening tags count at the start of a line, closing tags anywhere:
 * what Pawl writes contains neither in its content.
 *
 * B1. The cut is by tags alone, blind to code fences: an unclosed fence must not hide a review.
 * B2. Appending a review block changes no other block.
 */

import { lineAt } from './document-error.ts';
import { splitFrontMatter, type FrontMatter } from './front-matter.ts';

export interface Block {
  readonly text: string;
  /** Line of the document on which the block starts. */
  readonly line: number;
  readonly closed: boolean;
}

export interface ProposalBlocks extends Pick<FrontMatter, 'front' | 'frontLine'> {
  /** What stands between the `<proposal>` tags; null when there are none. */
  readonly proposal: Block | null;
  /** Whole review blocks, their tags included. */
  readonly reviews: readonly Block[];
  /** The text before, between and after the blocks. */
  readonly rest: readonly string[];
}

export function proposalBlocks(text: string): ProposalBlocks {
  const tags = findTags(text);
  // B2: front matter closes before the first review or not at all; a `---` inside a review does not close it.
  const head = text.slice(0, tags.find(({ isReview }) => isReview)?.start);
  const { front, frontLine, body } = splitFrontMatter(head);
  const rest: string[] = [];
  const reviews: Block[] = [];
  let proposal: Block | null = null;
  let at = head.length - body.length;
  for (const [index, tag] of tags.entries()) {
    if (tag.mark < at || (proposal && !tag.isReview)) continue;
    rest.push(text.slice(at, tag.start));
    const next = tags.find((later, place) => place > index && later.isReview)?.start ?? text.length;
    const { contentEnd, end, closed } = findClose(text, tag, next);
    if (tag.isReview) reviews.push({ text: text.slice(tag.start, end), line: lineAt(text, tag.start), closed });
    else proposal = { text: text.slice(tag.end, contentEnd), line: lineAt(text, tag.end), closed };
    at = end;
  }
  rest.push(text.slice(at));
  return { front, frontLine, proposal, reviews, rest };
}

interface Tag {
  readonly isReview: boolean;
  /** Where its line starts. */
  readonly start: number;
  /** Where its `<` stands. */
  readonly mark: number;
  readonly end: number;
}

/** At the start of a line, behind blanks; the `<` is looked for first, because it is rarer than a line. */
const TAG = /<(?<=(?<![^\n])([ \t]*)<)(review|proposal)(?=[\s>])[^>\n]*>/gi;

/** All opening tags: the text is searched once. */
function findTags(text: string): Tag[] {
  return Array.from(text.matchAll(TAG), ({ index: mark, 0: whole, 1: blanks = '', 2: name = '' }) => ({
    isReview: name.length === 'review'.length,
    start: mark - blanks.length,
    mark,
    end: mark + whole.length,
  }));
}

const REVIEW_END = /<\/review>/gi;
const PROPOSAL_END = /<\/proposal>/gi;

/** A block that is never closed ends where the next review starts. */
function findClose(text: string, tag: Tag, next: number): { contentEnd: number; end: number; closed: boolean } {
  const pattern = tag.isReview ? REVIEW_END : PROPOSAL_END;
  pattern.lastIndex = tag.end;
  const close = pattern.exec(text)?.index ?? Infinity;
  if (close < (tag.isReview ? next : Infinity)) return { contentEnd: close, end: pattern.lastIndex, closed: true };
  return { contentEnd: next, end: next, closed: false };
}

const VOLATILE_KEY = /^(?:updated_at|status|iteration)[ \t]*:/;

/** The text a judgement is bound to: without reviews and without what changes when one is made. */
export function proposalWithoutReviews(text: string): string {
  const { front, proposal, rest } = proposalBlocks(text.replaceAll('\r\n', '\n'));
  const stable: string[] = [];
  let dropping = false;
  for (const line of (front ?? '').split('\n')) {
    dropping = VOLATILE_KEY.test(line) || (dropping && /^[ \t]/.test(line));
    if (!dropping) stable.push(line.trimEnd());
  }
  const notes = rest.map((part) => part.trim()).filter((part) => part !== '');
  const body = proposal?.text.trim() ?? '';
  return ['---', stable.join('\n').trim(), '---', '<proposal>', body, '</proposal>', ...notes, ''].join('\n');
}
