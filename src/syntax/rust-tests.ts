/** Bounds of a role that may write tests into a Rust source, but no production code. */

import { errorLine, lineOf, parse, type Node } from './parse.ts';

export interface OutsideTests {
  /** In the new text, from 1; in the old one for code that was removed at its end. */
  readonly line: number;
  readonly what: string;
}

/**
 * The first difference outside of `#[cfg(test)] mod name { … }`; null when there is none.
 * A text with syntax errors is refused, because the ends of its modules are guesses.
 */
export async function outsideTests(before: string, after: string): Promise<OutsideTests | null> {
  const [old, current] = [await read(before), await read(after)];
  for (const { error } of [current, old]) if (error !== null) return { line: error, what: 'cannot parse this source' };
  const index = old.pieces.findIndex((piece, place) => piece.text !== current.pieces[place]?.text);
  const place = index === -1 ? old.pieces.length : index;
  const [removed, added] = [old.pieces[place], current.pieces[place]];
  if (!removed && !added) return null;
  const { line, text } = added ?? removed ?? { line: 1, text: '' };
  const verb = added && removed ? 'differs' : added ? 'was added' : 'was removed';
  return { line, what: `code outside of #[cfg(test)] modules ${verb}: ${firstLine(text)}` };
}

interface Piece {
  readonly line: number;
  readonly text: string;
}

function read(text: string): Promise<{ readonly error: number | null; readonly pieces: readonly Piece[] }> {
  return parse('rust', text, (root) => ({ error: errorLine(root), pieces: production(root) }));
}

/** The items of a file or module, byte for byte, without modules of tests. Whitespace between items is not compared. */
function production(list: Node): Piece[] {
  const pieces: Piece[] = [];
  /** Attributes and comments in front of the next item. */
  let front: Node[] = [];
  for (const node of list.children) {
    if (isFront(node)) {
      front.push(node);
      continue;
    }
    const isTests = node.type === 'mod_item' && bodyOf(node) && front.some(isCfgTest);
    const foreign = isTests ? front.slice(0, startOfBlock(front)) : front;
    pieces.push(...foreign.map(pieceOf), ...(isTests ? [] : itemPieces(node)));
    front = [];
  }
  return [...pieces, ...front.map(pieceOf)];
}

const isFront = (node: Node): boolean => node.type === 'attribute_item' || isComment(node);
const isComment = (node: Node): boolean => node.type === 'line_comment' || node.type === 'block_comment';
const bodyOf = (node: Node): Node | null => node.childForFieldName('body');
const pieceOf = (node: Node): Piece => ({ line: lineOf(node), text: node.text });

/** `cfg(any(test, …))` or `cfg(not(test))` would be compiled into the product. */
function isCfgTest(node: Node): boolean {
  return node.type === 'attribute_item' && /^#\s*\[\s*cfg\s*\(\s*test\s*,?\s*\)\s*\]$/.test(node.text);
}

/** Where the module begins: with its attributes and the comments right above them. */
function startOfBlock(front: readonly Node[]): number {
  let start = front.findIndex((node) => !isComment(node));
  while (isHeading(front[start - 1], front[start])) start -= 1;
  return start;
}

/** A comment on its own lines; `//!` is about the file. */
function isHeading(comment: Node | undefined, next: Node | undefined): boolean {
  if (!comment || comment.childForFieldName('inner')) return false;
  const { previousSibling } = comment;
  const isAlone = !previousSibling || lastRow(previousSibling) < comment.startPosition.row;
  return isAlone && lastRow(comment) + 1 === next?.startPosition.row;
}

/** A documentation comment includes its line break. */
const lastRow = ({ endPosition }: Node): number => endPosition.row - (endPosition.column === 0 ? 1 : 0);

/** A module is looked into, so that it may have tests of its own. */
function itemPieces(node: Node): Piece[] {
  const body = node.type === 'mod_item' ? bodyOf(node) : null;
  if (!body) return [pieceOf(node)];
  const head = node.text.slice(0, body.startIndex - node.startIndex);
  return [{ line: lineOf(node), text: head }, ...production(body)];
}

const shownCharactersMax = 80;

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim().slice(0, shownCharactersMax);
}
