/** The columns all progress lines share: mark, who, agent, what happened, figures. */

import type { Usage } from '../../engine/usage.ts';
import { costOf, duration, tokensOf } from './figures.ts';
import type { Style } from './screen.ts';
import { cut, padEnd, padStart, widthOf, wrapped } from './text.ts';

export interface Row {
  readonly mark: string;
  readonly who: string;
  readonly agent?: string;
  readonly model?: string | null;
  readonly what: string;
  /** Where it leads; left out where the line would wrap. */
  readonly to?: string;
  readonly figures?: Figures;
}

/** What stands at the right. Tokens are shown where there is room; spaces before the time give way first. */
export interface Figures {
  readonly time: string;
  readonly tokens?: string;
  readonly rest?: string;
}

const whoColumns = 11;
const agentColumnsMin = 8;
const agentColumnsMax = 28;
const whatColumnsMin = 8;
const whatColumnsMax = 44;
const timeColumns = 6;
const tokensColumns = 9;
/** Narrower terminals have no room for model, tokens and deep indentation; still narrower ones for columns. */
const spaciousFrom = 100;
const alignedFrom = 80;

export class Columns {
  readonly style: Style;
  readonly total: () => number;
  /** Grows with the longest agent and model seen, so that what follows stays in line. */
  #agentColumns = agentColumnsMin;

  constructor(style: Style, total: () => number) {
    this.style = style;
    this.total = total;
  }

  /** What stays: rather on two lines than cut. */
  lines(row: Row): string[] {
    const { left, figures, room } = this.#parts(row);
    const { dim, symbols } = this.style;
    const full = row.to === undefined ? row.what : `${row.what} ${dim(`${symbols.arrow} ${row.to}`)}`;
    const what = widthOf(full) <= room ? full : row.what;
    if (widthOf(what) <= room) return [`${left}${inColumn(what, figures, room, dim)}`];
    return [`${left}${what}`, ...(figures === '' ? [] : this.below(figures.trimStart()).map(dim))];
  }

  /** A row that is redrawn: cut where the least is lost, so that its figures stay visible. */
  row(row: Row): string {
    const { ellipsis } = this.style.symbols;
    const { left, figures, room } = this.#parts(row);
    const what = cut(row.what, Math.max(whatColumnsMin, room), ellipsis);
    return cut(`${left}${inColumn(what, figures, room)}`, this.total() - 1, ellipsis);
  }

  #parts(row: Row): { left: string; figures: string; room: number } {
    const { mark, who, agent = '', model = null, figures: given } = row;
    const named = model === null || this.total() < spaciousFrom ? agent : `${agent} ${model}`;
    const shown = cut(named, agentColumnsMax, this.style.symbols.ellipsis);
    this.#agentColumns = Math.max(this.#agentColumns, widthOf(shown));
    const narrow = this.total() < alignedFrom;
    const cells = narrow ? [who, shown] : [padEnd(who, whoColumns), padEnd(shown, this.#agentColumns)];
    const left = `${mark} ${cells.filter((cell) => cell !== '').join('  ')}  `;
    const figures = given === undefined ? '' : this.#figures(given);
    const figuresMin = figures === '' ? 0 : 2 + widthOf(figures.trimStart());
    return { left, figures, room: Math.max(0, this.total() - 1 - widthOf(left) - figuresMin) };
  }

  #figures({ time, tokens, rest }: Figures): string {
    const shown = tokens === undefined || this.total() < spaciousFrom ? [] : [padStart(tokens, tokensColumns)];
    return [padStart(time, timeColumns), ...shown, ...(rest === undefined ? [] : [rest])].join('  ').trimEnd();
  }

  /** A message in the `what` column, wrapped; what does not fit there goes below. */
  message(row: Omit<Row, 'to' | 'figures'>): string[] {
    const [first = '', ...more] = row.what.split('\n');
    const [head = '', ...rest] = wrapped(first, Math.max(whatColumnsMin, this.#parts(row).room));
    const below = [...(rest.length > 0 ? [rest.join(' ')] : []), ...more];
    return [...this.lines({ ...row, what: head }), ...below.flatMap((text) => this.below(text))];
  }

  /** What belongs to the line above, under its `what` column as far as there is room. */
  below(text: string): string[] {
    const indent = ' '.repeat(this.total() >= spaciousFrom ? 2 + whoColumns + 2 + this.#agentColumns + 2 : 4);
    return wrapped(text, Math.max(whatColumnsMin, this.total() - 1 - indent.length)).map((line) => indent + line);
  }
}

/** `room` is what there is when the spaces before the figures are gone. */
function inColumn(what: string, figures: string, room: number, paint = (text: string) => text): string {
  if (figures === '') return what;
  const spaces = widthOf(figures) - widthOf(figures.trimStart());
  const column = Math.min(whatColumnsMax, room - spaces);
  const over = Math.max(0, widthOf(what) - column);
  return `${padEnd(what, column)}  ${paint(figures.slice(Math.min(over, spaces)))}`;
}

/** Time and tokens, and the cost once there is something to say about it. */
export function figuresOf(ms: number, usage: Usage, { ended }: { ended: boolean }): Figures {
  const tokens = ended || usage.inputTokens !== null || usage.outputTokens !== null ? tokensOf(usage) : '';
  return { time: duration(ms), tokens, ...((ended || usage.costUsd !== null) && { rest: costOf(usage) }) };
}
