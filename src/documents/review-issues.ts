/**
 * What reviewers of a chain of documents hold against one, and what they compare code with.
 *
 * I1. An issue counts only with a valid citation: an expectation of the phase, an id that spec or artifacts have, or
 *     words of an earlier document. Without one it asks for something outside of the scope.
 * I2. Approved means that no issue that counts is a blocker, whatever a report claims.
 */

import { oneLine } from './review-text.ts';
import { map, maybe } from '../schema/lenient.ts';
import type { Infer } from '../schema/schema.ts';
import { text, word } from '../schema/simple.ts';
import { described } from '../schema/compound.ts';

export const severities = ['blocker', 'warning', 'note'] as const;

export const issueSchema = map({
  severity: word(severities),
  description: text('what is wrong, and what would be right'),
  location: maybe(text('a line, section or file')),
  cites: described(
    maybe(text('what it violates')),
    'the expectation (E1, …), the id of a requirement or criterion, or words quoted from an earlier document (12 characters or more); without one it does not count',
  ),
});
export type Issue = Infer<typeof issueSchema>;

export function issueText({ severity, description, location, cites }: Issue): string {
  const place = location === undefined ? '' : ` (${oneLine(location)})`;
  const cited = cites === undefined ? '' : ` [${oneLine(cites)}]`;
  return `[${severity}] ${oneLine(description)}${place}${cited}`;
}

export interface Sorted {
  readonly counting: readonly Issue[];
  readonly dropped: readonly Issue[];
  readonly approved: boolean;
}

/** I1, I2. */
export function sortIssues(issues: readonly Issue[], isValid: (citation: string) => boolean): Sorted {
  const counting = issues.filter(({ cites }) => cites !== undefined && isValid(cites));
  const dropped = issues.filter((issue) => !counting.includes(issue));
  return { counting, dropped, approved: !counting.some(({ severity }) => severity === 'blocker') };
}

const ID = /\b[A-Z][A-Z0-9]{0,9}-?\d{1,4}(?:\.\d{1,4})*\b/g;

export function idsIn(words: string): readonly string[] {
  return words.match(ID) ?? [];
}
const quotedCharsMin = 12;

/** I1. `known` may name ids, `quotable` may be quoted, too. */
export function citations(
  expectations: readonly string[],
  { known, quotable }: { readonly known: readonly string[]; readonly quotable: readonly string[] },
): (citation: string) => boolean {
  const ids = new Set([...known, ...quotable].flatMap(idsIn));
  const named = new Set(expectations.map((_, index) => `E${index + 1}`));
  const quoted = quotable.map(plain);
  return (citation) => {
    if (idsIn(citation.toUpperCase()).some((id) => named.has(id) || ids.has(id))) return true;
    const words = plain(citation.replaceAll(/^["'“”]+|["'“”]+$/g, ''));
    return words.length >= quotedCharsMin && quoted.some((each) => each.includes(words));
  };
}

function plain(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[\s*_`]+/g, ' ')
    .trim();
}

export const findingCategories = ['missing', 'extra', 'misunderstood'] as const;

/** Of the final reviewer. */
export const finalFinding = map({
  category: word(findingCategories),
  requirement: text('the id of the requirement, or its words'),
  place: maybe(text('file:line')),
  description: text('what is missing, extra or misunderstood'),
});
export type FinalFinding = Infer<typeof finalFinding>;

export const evidence = map({
  requirement: text('the id of the requirement, or its words'),
  place: text('file:line'),
});

export function findingLine({ category, requirement, place, description }: FinalFinding): string {
  return `[${category}] ${oneLine(requirement)}${place === undefined ? '' : `, ${oneLine(place)}`}: ${oneLine(description)}`;
}

const REQUIREMENT =
  /^\s*(?:[-*+]\s+|#{1,6}\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?[*_]{0,2}((?:R|REQ|FR|NFR)-?\d{1,4}(?:\.\d{1,4})*)\b/;

/** Ids at the beginning of a line, item or heading of a spec, in their order: none where it has no ids. */
export function requirementIds(spec: string): readonly string[] {
  return [...new Set(spec.split('\n').flatMap((line) => REQUIREMENT.exec(line)?.[1] ?? []))];
}

/** Whether `file:line` is there; `read` gives the text of a file. */
export function isPlace(place: string, read: (path: string) => string | undefined): boolean {
  const [, path = '', line = ''] = /^(?:\.\/)?(.+?):(\d{1,7})(?:[-:,].*)?$/.exec(place.trim()) ?? [];
  const found = path === '' ? undefined : read(path);
  return found !== undefined && Number(line) >= 1 && Number(line) <= found.split('\n').length;
}
