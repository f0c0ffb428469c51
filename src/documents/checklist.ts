/**
 * Sections of Markdown files, and checklists in them whose rows link to other files.
 *
 * L1. An edit changes or inserts whole lines; every other byte stays as it is, line ends too.
 * L2. Front matter and code fences hold neither headings nor checkboxes.
 */

import { lineEndOf, splitFrontMatter } from './front-matter.ts';
import { headingsIn, readFences } from './markdown.ts';
import { oneLine } from './review-text.ts';

/** A `##` section: line indices of its heading, after its last line, and after the last one that is not blank. */
export interface Section {
  readonly heading: string;
  readonly start: number;
  readonly end: number;
  readonly contentEnd: number;
}

export interface Outline {
  readonly lines: readonly string[];
  readonly sections: readonly Section[];
  readonly isCode: (index: number) => boolean;
}

export function outlineOf(text: string): Outline {
  const lines = text.split('\n');
  const from = splitFrontMatter(text).bodyLine - 1;
  const fences = readFences(lines, from);
  const bounds = headingsIn(lines, fences, from).filter(({ level }) => level <= 2);
  const sections = bounds.flatMap(({ level, text: heading, line }, index) => {
    const end = (bounds[index + 1]?.line ?? lines.length + 1) - 1;
    return level === 2 ? [{ heading, start: line - 1, end, contentEnd: contentEnd(lines, line, end) }] : [];
  });
  return { lines, sections, isCode: (index) => fences.some(({ start, end }) => start <= index && index <= end) };
}

function contentEnd(lines: readonly string[], from: number, to: number): number {
  let end = to;
  while (end > from && isBlank(lines[end - 1])) end--;
  return end;
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === '';
}

export function findSection({ sections }: Outline, ...names: readonly string[]): Section | undefined {
  return sections.find((section) => names.some((name) => isNamed(section, name)));
}

function isNamed({ heading }: Section, name: string): boolean {
  return name.toLowerCase() === heading.toLowerCase();
}

/** The text below a heading, without blank lines around it. */
export function sectionBody({ lines }: Outline, { start, contentEnd: end }: Section): string {
  const body = lines.slice(start + 1, end).map((line) => line.replace(/\r$/, ''));
  return body.join('\n').trim();
}

export interface Check {
  readonly text: string;
  readonly done: boolean;
  /** Counts from 1 in the file. */
  readonly line: number;
}

const CHECK = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\](?:\s+(.*))?$/;
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/;

/** Every checkbox of all sections of that name, else of the whole text, nested ones too; indented lines below one belong to its text. */
export function checksIn(text: string, section?: string): Check[] {
  const outline = outlineOf(text);
  const whole = { start: -1, end: outline.lines.length };
  const parts = section === undefined ? [whole] : outline.sections.filter((each) => isNamed(each, section));
  return parts.flatMap((part) => checksWithin(outline, part));
}

function checksWithin(outline: Outline, { start, end }: Pick<Section, 'start' | 'end'>): Check[] {
  const continues = (index: number): boolean => {
    const line = outline.lines[index] ?? '';
    return index < end && /^\s+\S/.test(line) && !ITEM.test(line) && !outline.isCode(index);
  };
  const checks: Check[] = [];
  for (let index = start + 1; index < end; index++) {
    const [match, mark, first = ''] = CHECK.exec(outline.lines[index]?.trimEnd() ?? '') ?? [];
    if (match === undefined || outline.isCode(index)) continue;
    let last = index;
    while (continues(last + 1)) last++;
    const words = [first, ...outline.lines.slice(index + 1, last + 1)].join(' ');
    checks.push({ text: oneLine(words), done: mark !== ' ', line: index + 1 });
  }
  return checks;
}

/** Those that stand below no other one. */
export function outermost(checks: readonly Check[], text: string): readonly Check[] {
  const lines = text.split('\n');
  const depthOf = ({ line }: Check): number => /^\s*/.exec(lines[line - 1] ?? '')?.[0].length ?? 0;
  const least = checks.reduce((min, check) => Math.min(min, depthOf(check)), Infinity);
  return checks.filter((check) => depthOf(check) === least);
}

/** A checkbox with a link to an issue: `- [ ] [ID](ID.md) — text`. */
export interface Row extends Check {
  readonly id: string;
}
export type NewRow = Omit<Row, 'line'>;

const LINK = /^\[([^\]]+)\]\([^)]*\)\s*(?:[—–-]\s*)?(.*)$/;

/** `isName`: whether the text of a link names a row. */
export function rowsIn(source: string, isName: (text: string) => boolean, section?: string): Row[] {
  return checksIn(source, section).flatMap((check) => {
    const [, id = '', text = ''] = LINK.exec(check.text) ?? [];
    return isName(id) ? [{ ...check, id, text }] : [];
  });
}

export function renderRow({ id, done, text }: NewRow, depth = 0): string {
  return `${'  '.repeat(depth)}- [${done ? 'x' : ' '}] [${id}](${id}.md) — ${oneLine(text)}`;
}

/** L1. */
export function setChecks(text: string, checks: readonly Check[], done: boolean): string {
  const lines = text.split('\n');
  for (const check of checks) {
    const line = lines[check.line - 1] ?? '';
    if (check.done !== done) lines[check.line - 1] = line.replace(/\[[ xX]\]/, done ? '[x]' : '[ ]');
  }
  return lines.join('\n');
}

/** L1. Sets the rows of one issue; nothing changes where there is none. */
export function setRow(text: string, id: string, done: boolean, section?: string): string {
  const rows = rowsIn(text, (name) => name === id, section);
  return setChecks(text, rows, done);
}

/** L1. Puts lines in the place of `count` ones. A line that is added at the end of a text ends like the others. */
export function replaceLines(text: string, index: number, count: number, added: readonly string[]): string {
  const eol = lineEndOf(text);
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const before = lines.slice(0, index).join('');
  const gap = before === '' || before.endsWith('\n') ? '' : eol;
  return before + gap + added.map((line) => line + eol).join('') + lines.slice(index + count).join('');
}

/** Adds list items at the end of a section, which is made in front of the first of `before` if it is missing. */
export function appendToSection(text: string, name: string, items: readonly string[], before: readonly string[] = []) {
  const outline = outlineOf(text);
  const { lines } = outline;
  const section = findSection(outline, name);
  if (section) {
    const { start, contentEnd: end } = section;
    const isList = end > start + 1 && /^(?:\s|[-*+]\s|\d{1,9}[.)]\s)/.test(lines[end - 1] ?? '');
    return replaceLines(text, end, 0, [...(isList ? [] : ['']), ...items, ...(isBlank(lines[end]) ? [] : [''])]);
  }
  const next = findSection(outline, ...before);
  const at = next?.start ?? contentEnd(lines, 0, lines.length);
  const gap = isBlank(lines[at - 1]) ? [] : [''];
  return replaceLines(text, at, 0, [...gap, `## ${name}`, '', ...items, ...(next ? [''] : [])]);
}
