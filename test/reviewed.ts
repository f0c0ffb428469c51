/** Which tests hold the rules and defects of the reviews. */

import { citedIn } from './citations.ts';

/** A rule that is not held on purpose, and why. */
interface Decision {
  readonly decision: string;
}

export interface Reviewed {
  /** By the number of the row. */
  readonly rows: Readonly<Record<number, string | Decision>>;
  /** Their first letters, how many are numbered, and those between the numbers. */
  readonly defects: readonly [prefix: string, count: number, more: readonly string[]];
}

/** Files that number rules of their own in the same way. */
const ownNumbers = /data-slots|simulated-disk|documents\/spec\.test/;

/** All that tests cite, except in files with numbers of their own. */
function allCited(): ReadonlySet<string> {
  const patterns = [
    /\[((?:change|session)\/[\w/-]+)\]/g,
    /\[((?:change|session) row \d+)\]/g,
    /\b(DEF-\d+b?)\b/g,
    // A trial of `issue` has defects of its own, numbered in the same way.
    /(?<!\btrial (?:\d )?)\b(D\d{1,2}[a-z]?)\b/g,
    /\b(trial 2 B\d)\b/g,
  ];
  const cited = patterns.flatMap((pattern) => [...citedIn(pattern)]);
  return new Set(cited.flatMap(([id, files]) => (files.some((file) => !ownNumbers.test(file)) ? [id] : [])));
}

/** Rows and defects that neither a test nor a decision stands for. */
export function openIn({ rows, defects: [prefix, count, more] }: Reviewed, lastRow: number): readonly string[] {
  const cited = allCited();
  const openRows = numbersTo(lastRow).flatMap((row) => {
    const held = rows[row];
    if (held === undefined) return [`row ${row} is not in the table`];
    if (typeof held === 'string') return cited.has(held) ? [] : [`row ${row}: no test cites ${held}`];
    return held.decision.trim() === '' ? [`row ${row}: the decision has no reason`] : [];
  });
  const defects = [...numbersTo(count).map((number) => `${prefix}${number}`), ...more];
  return [...openRows, ...defects.filter((id) => !cited.has(id)).map((id) => `no test cites ${id}`)];
}

/** Rows that the review does not have, in its table or cited by tests. */
export function unknownRows(workflow: string, { rows }: Pick<Reviewed, 'rows'>, lastRow: number): readonly string[] {
  const cited = citedIn(new RegExp(String.raw`\[${workflow} row (\d+)\]`, 'g')).keys();
  return [...new Set([...Object.keys(rows), ...cited])].filter((row) => !numbersTo(lastRow).includes(Number(row)));
}

function numbersTo(last: number): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
