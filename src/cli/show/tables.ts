/** Markdown tables and headings as a terminal shows them best: columns that fit, cells wrapped at words. */

import type { Style } from './screen.ts';
import { alignedWithin, padEnd, widthOf, wrapped } from './text.ts';

const gap = '  ';
const cellColumnsMin = 10;

/** `here`: the state whose rows are marked. */
export function forTerminal(
  markdown: string,
  { columns, style, here }: { columns: number; style: Style; here: string | null },
): string {
  const shown: string[] = [];
  let table: string[][] = [];
  const endTable = (): void => {
    if (table.length > 0) shown.push(...tableLines(table, columns - 1, style, here));
    table = [];
  };
  for (const line of markdown.split('\n')) {
    if (line.startsWith('|')) {
      if (!/^[|-]+$/.test(line)) table.push(cellsOf(line));
      continue;
    }
    endTable();
    const heading = /^#+ (.*)/.exec(line)?.[1];
    shown.push(...(heading === undefined ? wrapped(line, columns - 1) : [style.bold(heading)]));
  }
  endTable();
  return shown.join('\n');
}

function cellsOf(line: string): string[] {
  const cells = line.slice(1, -1).split(/(?<!\\)\|/);
  return cells.map((cell) =>
    cell
      .trim()
      .replaceAll(String.raw`\|`, '|')
      .replaceAll('`', ''),
  );
}

function tableLines(rows: readonly string[][], columns: number, style: Style, here: string | null): string[] {
  const mark = here !== null && rows.some(([first]) => first === here) ? `${style.symbols.started} ` : '';
  const widths = widthsWithin(rows, columns - widthOf(mark));
  if (!widths) return listLines(rows, columns, style);
  return rows.flatMap((row, index) => {
    const cells = row.map((cell, at) => wrapped(cell, widths[at] ?? cellColumnsMin));
    const height = Math.max(...cells.map(({ length }) => length));
    const isHere = index > 0 && row[0] === here;
    const paint = index === 0 ? style.dim : isHere ? style.bold : (text: string) => text;
    return Array.from({ length: height }, (_, line) => {
      const text = cells.map((lines, at) => padEnd(lines[line] ?? '', widths[at] ?? 0)).join(gap);
      const before = isHere && line === 0 ? mark : ' '.repeat(widthOf(mark));
      return paint(`${before}${text}`.trimEnd());
    });
  });
}

/** One row below the other, each cell with its title. */
function listLines([head = [], ...rows]: readonly string[][], columns: number, style: Style): string[] {
  return rows.flatMap(([first = '', ...cells]) => [
    first,
    ...alignedWithin(
      cells.flatMap((cell, at) => (cell === '' ? [] : [[style.dim(head[at + 1] ?? ''), cell]])),
      columns,
      gap,
    ),
  ]);
}

/** As wide as their cells; else the widest column gives way first, down to its longest word. Null where that is too wide. */
function widthsWithin(rows: readonly string[][], columns: number): number[] | null {
  const ofColumn = (measure: (cell: string) => number): number[] =>
    (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => measure(row[at] ?? ''))));
  const widths = ofColumn(widthOf);
  const least = ofColumn((cell) => Math.max(...cell.split(' ').map(widthOf)));
  let over = widths.reduce((sum, width) => sum + width + gap.length, -gap.length) - columns;
  while (over > 0) {
    const room = widths.map((width, at) => (width > (least[at] ?? 0) ? width : 0));
    const widest = room.indexOf(Math.max(...room));
    if ((room[widest] ?? 0) === 0) return null;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over -= 1;
  }
  return widths;
}
