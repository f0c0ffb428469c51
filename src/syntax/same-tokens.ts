/** Whether two versions of a file differ only in whitespace, comments and documentation. */

import { languageOf, parse, type Node } from './parse.ts';

/** The syntax trees are compared, since a line break can end a statement. `unknown`: no grammar, or syntax errors. */
export async function sameTokens(path: string, before: string, after: string): Promise<boolean | 'unknown'> {
  if (before === after) return true;
  if (isProse(path)) return true;
  const language = languageOf(path);
  if (language === null) return 'unknown';
  const read = (text: string) => parse(language, text, (root) => (root.hasError ? null : tokensOf(root, text)));
  const [old, current] = [await read(before), await read(after)];
  if (old === null || current === null) return 'unknown';
  return old.length === current.length && old.every((token, index) => token === current[index]);
}

/** Some tools read files of this ending. */
function isProse(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return /\.(?:md|markdown|txt|rst|adoc)$/i.test(name) && !/requirements|constraints|^CMakeLists\.txt$/i.test(name);
}

/** Nodes in the order of the text, without recursion: a text may be nested deeper than the stack. */
function tokensOf(root: Node, text: string): string[] {
  const tokens: string[] = [];
  const open: (Node | string)[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') tokens.push(next);
    else if (next.childCount === 0 || literals.test(next.type)) tokens.push(`${next.type} ${next.text}`);
    else open.push(...partsOf(next, text).toReversed());
  }
  return tokens;
}

/** Whitespace counts in them. */
const literals = /^(?:string|string_literal|raw_string_literal|char_literal|template_string|regex|jsx_text)$/;

/** Also text that belongs to no child: grammars may hide tokens. */
function partsOf(node: Node, text: string): (Node | string)[] {
  const parts: (Node | string)[] = [`${node.type} {`];
  let end = node.startIndex;
  const cover = (start: number) => {
    const hidden = text.slice(end, start).trim().replaceAll(/\s+/g, ' ');
    if (hidden !== '') parts.push(`hidden ${hidden}`);
  };
  const children = node.children;
  for (const child of children) {
    cover(child.startIndex);
    if (!isComment(child, node) && !isDocstring(child, node, children)) parts.push(child);
    end = Math.max(end, child.endIndex);
  }
  cover(node.endIndex);
  return [...parts, '}'];
}

function isComment(node: Node, parent: Node): boolean {
  if (node.type === 'line_continuation') return true;
  if (!/^(?:line_|block_)?comment$/.test(node.type)) return false;
  // A macro gets a documentation comment as an attribute.
  if (node.childForFieldName('doc') && parent.type.startsWith('token_')) return false;
  return !directives.test(node.text);
}

/** Comments that compilers, interpreters, linters and other tools obey. */
const directives =
  /^#!|^#.*\bcoding[:=]|^(?:\/\/+|\/\*+|#)[\s!*]*(?:[#@]\s*source|@(?:ts-|jsx|flow|__)|<reference|<amd|#__|(?:es|ox|ts)lint|biome-|prettier-|(?:istanbul|c8|v8|node:coverage) |webpack|@vite|@vitest|@jest|global |globals |type:|noqa|pragma|pylint|mypy|pyright|ruff|flake8|isort|fmt:|yapf|doctest)/i;

const owners = new Set(['class_definition', 'function_definition']);

/** Python: the string that begins a module, class or function. */
function isDocstring(node: Node, parent: Node, siblings: readonly Node[]): boolean {
  if (node.type !== 'expression_statement' || node.childCount !== 1) return false;
  const isBody = parent.type === 'block' && owners.has(parent.parent?.type ?? '');
  if (parent.type !== 'module' && !isBody) return false;
  const string = node.child(0);
  if (string?.type !== 'string' || !/^[ru]?["']/i.test(string.text)) return false;
  return siblings.find((each) => each.type !== 'comment')?.id === node.id;
}
