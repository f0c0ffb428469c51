/**
 * Cuts a proposal document into its blocks. Opening tags count at the start of a line, closing tags anywhere:
 * what Pawl writes contains neither in its content.
 *
 * B1. The cut is by tags alone, blind to code fences: an unclosed fence must not hide a review.
 * B2. Appending a review block changes no other block.
 */

import { splitFrontMatter } from './front-matter.ts';

export interface Block {
  readonly text: string;
  /** Line of the document on which the block starts. */
  readonly line: number;
  readonly closed: boolean;
}

export interface ProposalBlocks {
  readonly front: string | null;
  readonly frontLine: number;
  /** What stands between the `<proposal>` tags; null when there are none. */
  readonly proposal: Block | null;
  /** Whole review blocks, their tags included. */
  readonly reviews: readonly Block[];
  /** The text before, between and after the blocks. */
  readonly rest: readonly string[];
}

export function proposalBlocks(text: string): ProposalBlocks {
  const { front, frontLine, start } = findFront(text);
  const rest: string[] = [];
  const reviews: Block[] = [];
  let proposal: Block | null = null;
  let at = start;
  for (let tag = nextTag(text, at, proposal !== null); tag; tag = nextTag(text, at, proposal !== null)) {
    rest.push(text.slice(at, tag.start));
    const close = findClose(text, tag);
    at = close.end;
    const line = lineAt(text, tag.isReview ? tag.start : tag.end);
    if (tag.isReview) reviews.push({ text: text.slice(tag.start, close.end), line, closed: close.closed });
    else proposal = { text: text.slice(tag.end, close.start), line, closed: close.closed };
  }
  rest.push(text.slice(at));
  return { front, frontLine, proposal, reviews, rest };
}

/** B2: front matter closes before the first review or not at all; a `---` inside a review does not close it. */
function findFront(text: string): { front: string | null; frontLine: number; start: number } {
  const review = nextTag(text, 0, true);
  const head = review ? text.slice(0, review.start) : text;
  const { front, frontLine, body } = splitFrontMatter(head);
  return { front, frontLine, start: head.length - body.length };
}

interface Tag {
  readonly isReview: boolean;
  readonly start: number;
  readonly end: number;
}

/** Opening tags are few, so each `<` is looked at, instead of every line. */
function nextTag(text: string, from: number, reviewsOnly: boolean): Tag | undefined {
  for (let at = text.indexOf('<', from); at !== -1; at = text.indexOf('<', at + 1)) {
    TAG.lastIndex = at;
    const name = TAG.exec(text)?.[1];
    if (name === undefined || (reviewsOnly && name.length !== 'review'.length)) continue;
    const end = TAG.lastIndex;
    const start = blanksBefore(text, from, at);
    if (start > 0 && text.charAt(start - 1) !== '\n') continue;
    return { isReview: name.length === 'review'.length, start, end };
  }
  return undefined;
}

const TAG = /<(review|proposal)(?=[\s>])[^>\n]*>/iy;

function blanksBefore(text: string, from: number, at: number): number {
  let start = at;
  while (start > from && (text.charAt(start - 1) === ' ' || text.charAt(start - 1) === '\t')) start--;
  return start;
}

/** A block that is never closed ends where the next review starts. */
function findClose(text: string, tag: Tag): { start: number; end: number; closed: boolean } {
  const next = nextTag(text, tag.end, true)?.start ?? text.length;
  const pattern = tag.isReview ? /<\/review>/gi : /<\/proposal>/gi;
  pattern.lastIndex = tag.end;
  const match = pattern.exec(text);
  if (match && (!tag.isReview || match.index < next))
    return { start: match.index, end: pattern.lastIndex, closed: true };
  return { start: next, end: next, closed: false };
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++;
  return line;
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
  return [
    '---',
    stable.join('\n').trim(),
    '---',
    '<proposal>',
    proposal?.text.trim() ?? '',
    '</proposal>',
    ...notes,
    '',
  ].join('\n');
}
