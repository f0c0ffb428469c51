/** Tables in Markdown, as wide as a terminal shows them best: columns are aligned, the last one is not padded. */

export type Row = readonly string[];

export function table(head: Row, rows: readonly Row[]): string[] {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', String.raw`\|`)));
  const widths = head.map((_, at) => Math.min(cellCharsMax, Math.max(...cells.map((row) => (row[at] ?? '').length))));
  const line = (row: Row): string =>
    `| ${row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0))).join(' | ')} |`;
  const [first = [], ...others] = cells;
  return [line(first), `|${head.map(() => '---').join('|')}|`, ...others.map(line)];
}

/** A longer cell sticks out instead of making all others as long. */
const cellCharsMax = 48;

/** `a`, `a or b`, `a, b or c`. */
export function either(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} or ${last}`;
}

/** Items with the same key together, in the order of the first of each. */
export function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): [T, ...T[]][] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}
