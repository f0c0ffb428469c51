/** Code in Markdown documents: fenced and indented blocks, and whether code has bodies or only signatures. */

import { readFences, type Fence } from './markdown.ts';

export interface CodeBlock {
  /** Index of its first line: that of the marks, where it has some. */
  readonly start: number;
  readonly code: readonly string[];
}

/** From line index `from` on. */
export function codeBlocks(lines: readonly string[], from = 0, fences = readFences(lines, from)): CodeBlock[] {
  const fenced = fences.map(({ start, end }) => ({ start, code: lines.slice(start + 1, end) }));
  return [...fenced, ...indentedBlocks(lines, from, fences)].toSorted((a, b) => a.start - b.start);
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?=\S)/;
const codeIndent = 4;

/** Behind a blank line, four columns deeper than the text above; in a list, than the text of its item. */
function indentedBlocks(lines: readonly string[], from: number, fences: readonly Fence[]): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let depth = 0;
  for (let index = from; index < lines.length; index++) {
    const fence = fences.find(({ start, end }) => start <= index && index <= end);
    const line = lines[index] ?? '';
    if (fence) index = fence.end;
    if (fence || isBlank(line)) continue;
    const isCode =
      indentOf(line) >= depth + codeIndent && (index === from || /^(?:\s*| {0,3}#.*)$/.test(lines[index - 1] ?? ''));
    if (!isCode) {
      depth = ITEM.exec(line)?.[0].length ?? (indentOf(line) === 0 ? 0 : depth);
      continue;
    }
    let end = index + 1;
    while (end < lines.length && (isBlank(lines[end] ?? '') || indentOf(lines[end] ?? '') >= depth + codeIndent)) end++;
    blocks.push({ start: index, code: lines.slice(index, end) });
    index = end - 1;
  }
  return blocks;
}

function isBlank(line: string): boolean {
  return line.trim() === '';
}

function indentOf(line: string): number {
  return line.replaceAll('\t', ' '.repeat(codeIndent)).search(/\S|$/);
}

/** The head of a function or block: parentheses, perhaps a type, and a brace. */
const HEAD = /\)\s*(?:(?:->|where\b)[^{};]*|:\s*[^\s{}=;][^{}=;\n]*|=>|[\w*.[\]]+)?\s*\{/g;
const TYPE = /^\s*(?:export\s+)?(?:declare\s+)?(?:type|interface)\b/;
const DEF = /^(\s*)(?:async\s+)?def\s.*:\s*(?:#.*)?$/;
const SHORT_DEF = /^\s*(?:async\s+)?def\s.*\)(?:\s*->[^:]*)?:\s*([^\s#].*)$/;
const COMMENTS = /"""[^]*?"""|'''[^]*?'''|\/\*[^]*?\*\/|(?:\/\/|#)[^\n]*/g;
/** Stubs and omissions. */
const NO_CODE =
  /^(?:\.\.\.|…|pass|(?:todo|unimplemented)!\([^)]*\)|throw new Error\(['"`]Not ?Implemented[^)]*\)|raise NotImplementedError(?:\([^)]*\))?)?[\s;)}]*$/i;

/** Whether there is a function or block with more than a stub in it. */
export function hasBody(code: readonly string[]): boolean {
  const bodies = [...braceBodies(code.join('\n')), ...indentedBodies(code)];
  const isCode = (body: string) => body.split('\n').some((line) => !NO_CODE.test(line.trim()));
  return bodies.some((body) => isCode(body.replaceAll(COMMENTS, '')));
}

function braceBodies(code: string): string[] {
  return [...code.matchAll(HEAD)].flatMap(({ 0: head, index }) => {
    if (TYPE.test(code.slice(code.lastIndexOf('\n', index) + 1, index))) return [];
    const start = index + head.length;
    let end = start;
    for (let open = 1; end < code.length; end++) {
      if (code[end] === '{') open++;
      else if (code[end] === '}' && --open === 0) break;
    }
    return [code.slice(start, end)];
  });
}

function indentedBodies(lines: readonly string[]): string[] {
  return lines.flatMap((line, index) => {
    const short = SHORT_DEF.exec(line)?.[1];
    const [, pad] = DEF.exec(line) ?? [];
    if (short !== undefined || pad === undefined) return short ?? [];
    const after = lines.slice(index + 1);
    const length = after.findIndex((each) => each.trim() !== '' && each.search(/\S/) <= pad.length);
    return after.slice(0, length === -1 ? after.length : length).join('\n');
  });
}
