/** Findings of the role `check`: their classes, their identity, and which of them is handled first. */

import { refine } from '../schema/compound.ts';
import { map, maybe } from '../schema/lenient.ts';
import type { Infer } from '../schema/schema.ts';
import { text, verbatim, whole, word } from '../schema/simple.ts';

/** In the order in which they are handled. */
export const findingClasses = ['plan-level', 'test', 'production', 'cosmetic'] as const;
export type FindingClass = (typeof findingClasses)[number];

export const findingSeverities = ['BLOCK', 'NEEDS WORK'] as const;

const lineMax = 10_000_000;

const suggestedEdit = refine(
  map({ before: verbatim('the exact text in the file'), after: verbatim('the text in its place') }),
  ({ before, after }) => {
    if (before === '') return { at: ['before'], expected: 'text of the file, enough of it to occur once' };
    return before === after ? { at: ['after'], expected: 'a text that differs from "before"' } : undefined;
  },
);
export type SuggestedEdit = Infer<typeof suggestedEdit>;

/** As a tool takes it. */
export const reviewFinding = map({
  class: word(findingClasses),
  severity: word(findingSeverities),
  file: text('a file, relative to the repository'),
  symbol: maybe(text('the function, type or test it is about')),
  line: maybe(whole(1, lineMax)),
  title: text('one short line'),
  detail: text('what is wrong, and what would be right'),
  suggested_edit: maybe(suggestedEdit),
});
export type ReviewFinding = Infer<typeof reviewFinding>;

const nearLinesMax = 3;

/** Two reports of one problem: class, place and title agree. */
export function isSame(a: ReviewFinding, b: ReviewFinding): boolean {
  return a.class === b.class && isSamePlace(a, b) && normalTitle(a.title) === normalTitle(b.title);
}

/** By symbol or by line; two findings without either are about the whole file. */
function isSamePlace(a: ReviewFinding, b: ReviewFinding): boolean {
  if (normalPath(a.file) !== normalPath(b.file)) return false;
  if (a.symbol !== undefined && normalSymbol(a.symbol) === normalSymbol(b.symbol)) return true;
  if (a.line !== undefined && b.line !== undefined) return Math.abs(a.line - b.line) <= nearLinesMax;
  return [a.symbol, b.symbol, a.line, b.line].every((each) => each === undefined);
}

export function normalPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** `foo()` and `foo` are one symbol. */
function normalSymbol(symbol = ''): string {
  return symbol
    .replaceAll('`', '')
    .replace(/\(.*\)$/s, '')
    .trim();
}

/** Letters and digits in lower case: punctuation, quotes and spacing do not tell two titles apart. */
export function normalTitle(title: string): string {
  const plain = title.normalize('NFKC').toLowerCase();
  return (plain.match(/[\p{L}\p{N}]+/gu) ?? [plain.trim()]).join(' ');
}

/** Those that were reported before. */
export function repeatedFindings(before: readonly ReviewFinding[], now: readonly ReviewFinding[]): ReviewFinding[] {
  return now.filter((finding) => before.some((earlier) => isSame(earlier, finding)));
}

/** What was dealt with before, and nothing else, is reported again. */
export function isRepeated(dealtWith: readonly ReviewFinding[], findings: readonly ReviewFinding[]): boolean {
  return repeatedFindings(dealtWith, findings).length === findings.length;
}

/** The class that decides where the run goes; null without a finding. */
export function routeOf(findings: readonly Pick<ReviewFinding, 'class'>[]): FindingClass | null {
  return findingClasses.find((each) => findings.some((finding) => finding.class === each)) ?? null;
}

/** The file after the edit; null unless `before` occurs exactly once. */
export function applyEdit(source: string, { before, after }: SuggestedEdit): string | null {
  const at = before === '' ? -1 : source.indexOf(before);
  if (at === -1 || source.indexOf(before, at + 1) !== -1) return null;
  return source.slice(0, at) + after + source.slice(at + before.length);
}

/** For whoever deals with them. */
export function findingsText(findings: readonly ReviewFinding[]): string {
  return findings
    .map(({ class: kind, severity, file, symbol, line, title, detail }) => {
      const place = [file, symbol, line && `line ${line}`].filter(Boolean).join(', ');
      return `- ${severity}, ${kind}, ${place}: ${title}\n  ${detail.replaceAll('\n', '\n  ')}`;
    })
    .join('\n');
}
