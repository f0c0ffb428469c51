/** The columns all progress lines share: mark, who, agent, what happened, figures. */

import type { Usage } from '../../engine/usage.ts';
import { costOf, duration, tokensOf } from './figures.ts';
import type { Style } from './screen.ts';
import { cut, padEnd, padStart, widthOf } from './text.ts';

export interface Row {
  readonly mark: string;
  readonly who: string;
  readonly agent: string;
  readonly what: string;
  /** Where it leads; left out where the line would wrap, because the next line says it too. */
  readonly to?: string;
  readonly figures?: string;
}

const whoColumns = 11;
const agentColumnsMin = 8;
const agentColumnsMax = 28;
const whatColumnsMin = 20;
const whatColumnsMax = 44;

export class Columns {
  readonly style: Style;
  readonly total: () => number;
  /** Grows with the longest agent and model seen, so that what follows stays in line. */
  #agentColumns = agentColumnsMin;

  constructor(style: Style, total: () => number) {
    this.style = style;
    this.total = total;
  }

  line(row: Row): string {
    const { symbols } = this.style;
    const agent = cut(row.agent, agentColumnsMax, symbols.ellipsis);
    this.#agentColumns = Math.max(this.#agentColumns, widthOf(agent));
    const left = `${row.mark} ${padEnd(row.who, whoColumns)}  ${padEnd(agent, this.#agentColumns)}  `;
    const figures = row.figures === undefined ? '' : `  ${row.figures}`;
    const room = this.total() - 1 - widthOf(left) - widthOf(figures);
    const full = row.to === undefined ? row.what : `${row.what} ${this.style.dim(`${symbols.arrow} ${row.to}`)}`;
    const what = widthOf(full) <= room ? full : row.what;
    const whatColumns = figures === '' ? 0 : Math.max(whatColumnsMin, Math.min(whatColumnsMax, room));
    return `${left}${padEnd(what, whatColumns)}${figures}`.trimEnd();
  }

  /** What belongs to the line above, under its `what` column as far as there is room. */
  below(text: string): string {
    const indent = this.total() < 60 ? 2 : 2 + whoColumns + 2 + this.#agentColumns + 2;
    return ' '.repeat(indent) + text;
  }
}

export function agentWithModel({ agent, model }: { readonly agent: string; readonly model: string | null }): string {
  return model === null ? agent : `${agent} ${model}`;
}

/** Time and tokens, and the cost once there is something to say about it. */
export function figuresOf(ms: number, usage: Usage, { ended }: { ended: boolean }): string {
  const cost = ended || usage.costUsd !== null ? `  ${costOf(usage)}` : '';
  const tokens = ended || usage.inputTokens !== null || usage.outputTokens !== null ? tokensOf(usage) : '';
  return `${padStart(duration(ms), 6)}  ${padStart(tokens, 9)}${cost}`.trimEnd();
}
