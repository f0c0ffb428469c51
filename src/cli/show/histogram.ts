/** Bars for the terminal: as long as what they stand for, to an eighth of a character where the screen can. */

import type { Style } from './screen.ts';
import { padEnd, padStart, widthOf } from './text.ts';

export interface BarRow {
  readonly label: string;
  readonly count: number;
}

/** One row a bar: label, bar, share of all; the longest bar takes the room there is. */
export function barRows(rows: readonly BarRow[], { style, columns }: { style: Style; columns: number }): string[] {
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const longest = rows.reduce((most, { count }) => Math.max(most, count), 0);
  const labels = Math.max(...rows.map(({ label }) => widthOf(label)));
  const room = Math.max(1, columns - labels - shareColumns - gaps);
  return rows.map(({ label, count }) => {
    const drawn = bar(longest === 0 ? 0 : count / longest, room, style.symbols.bar);
    return `${padStart(label, labels)}  ${style.cyan(padEnd(drawn, room))}  ${padStart(percent(count / total), shareColumns)}`;
  });
}

const shareColumns = '>99.9 %'.length;
const gaps = 4;

/** What is there at all is seen: the smallest part stands for anything above nothing. */
export function bar(share: number, room: number, parts: readonly string[]): string {
  const whole = parts.at(-1) ?? '#';
  const units = Math.round(share * room * parts.length);
  const length = share > 0 ? Math.max(1, units) : 0;
  const rest = length % parts.length;
  return whole.repeat(Math.floor(length / parts.length)) + (rest === 0 ? '' : (parts[rest - 1] ?? ''));
}

/** Never rounded to all or nothing. */
export function percent(share: number): string {
  if (share <= 0) return '0 %';
  if (share >= 1) return '100 %';
  if (share < 0.0005) return '<0.1 %';
  if (share > 0.9995) return '>99.9 %';
  return `${(share * 100).toFixed(1)} %`;
}
