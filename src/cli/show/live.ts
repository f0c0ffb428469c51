/**
 * Progress on a terminal: lines that stay, and below them rows that are redrawn while something is going on.
 *
 * L1. The cursor waits at the start of the rows, so that redrawing them never touches a line above,
 *     whatever a resize did to them.
 * L2. A line that stays is written in place of the rows, which are drawn again below it.
 * L3. While a person is asked, and after `close`, nothing is drawn.
 */

import { unknownUsage } from '../../engine/usage.ts';
import type { RunEvent } from '../../runtime/host.ts';
import { Narrator } from './lines.ts';
import type { Screen, Style } from './screen.ts';
import { statusRows, type Doing } from './status.ts';
import { Columns } from './columns.ts';
import { plainLine } from './text.ts';

export interface Clock {
  now(): number;
  /** Calls `tick` again and again; the answer stops it. */
  every(ms: number, tick: () => void): () => void;
}

const beginnings = new Set<RunEvent['type']>(['dispatch.started', 'check.started', 'preparing']);
const frameMs = 100;
const outputCharsMax = 1_000;
const clearToEnd = '\u001B[J';
const clearLine = '\u001B[K';

export class LivePresenter {
  readonly style: Style;
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #columns: Columns;
  readonly #narrator: Narrator;
  #doing: Doing | null = null;
  #drawn = false;
  #asking = false;
  #frame = 0;
  #stopTicking: (() => void) | null = null;

  constructor(screen: Screen, clock: Clock) {
    this.style = screen.style;
    this.#screen = screen;
    this.#clock = clock;
    this.#columns = new Columns(screen.style, () => screen.columns());
    this.#narrator = new Narrator(this.#columns, { beginnings: false });
  }

  observe(event: RunEvent): void {
    const lines = this.#narrator.tell(event);
    this.#doing = this.#doingAfter(event);
    this.#tickWhileDoing();
    if (lines.length > 0 || this.#doing === null || beginnings.has(event.type)) this.#show(lines);
  }

  say(line: string): void {
    this.#show([...this.#narrator.flush(), line]);
  }

  suspend(): void {
    this.#show(this.#narrator.flush());
    this.#asking = true;
    this.#clear();
  }

  resume(): void {
    this.#asking = false;
    this.#show([]);
  }

  close(): void {
    this.#doing = null;
    this.#tickWhileDoing();
    this.#show(this.#narrator.flush());
  }

  #doingAfter(event: RunEvent): Doing | null {
    const doing = this.#doing;
    switch (event.type) {
      case 'dispatch.started':
        return { kind: 'dispatch', started: event, sinceMs: this.#clock.now(), usage: unknownUsage, output: '' };
      case 'check.started':
        return { kind: 'check', check: event.check, sinceMs: this.#clock.now() };
      case 'preparing':
        return { kind: 'preparing', what: event.what, sinceMs: this.#clock.now() };
      case 'waiting':
        return { kind: 'waiting', untilMs: this.#clock.now() + event.ms, attempt: event.attempt, why: event.why };
      case 'dispatch.output':
        return doing?.kind === 'dispatch' ? { ...doing, output: lastLine(event.text) || doing.output } : doing;
      case 'dispatch.usage':
        return doing?.kind === 'dispatch' ? { ...doing, usage: event.usage } : doing;
      case 'report.filed':
        return doing?.kind === 'dispatch' ? { ...doing, output: `filed ${plainLine(event.tool)}` } : doing;
      case 'dispatch.ended':
      case 'check.ended':
      case 'prepared':
      case 'asked':
      case 'rested':
        return null;
      default:
        return doing;
    }
  }

  #tickWhileDoing(): void {
    if (this.#doing && !this.#stopTicking) {
      this.#stopTicking = this.#clock.every(frameMs, () => {
        this.#frame += 1;
        this.#show([]);
      });
    } else if (!this.#doing) {
      this.#stopTicking?.();
      this.#stopTicking = null;
    }
  }

  /** L1, L2: one write, so that nothing flickers. */
  #show(lines: readonly string[]): void {
    const rows = this.#asking || !this.#doing ? [] : this.#rows(this.#doing);
    if (lines.length === 0 && rows.length === 0) return this.#clear();
    const above = lines.map((line) => `${line}${this.#drawn ? clearLine : ''}\n`).join('');
    const below = rows.map((row) => `${row}${clearLine}`).join('\n');
    const up = rows.length > 1 ? `\u001B[${rows.length - 1}A` : '';
    const clear = this.#drawn || rows.length > 0 ? clearToEnd : '';
    this.#screen.write(`${this.#drawn ? '\r' : ''}${above}${below}${clear}${up}${rows.length > 0 ? '\r' : ''}`);
    this.#drawn = rows.length > 0;
  }

  #clear(): void {
    if (this.#drawn) this.#screen.write(`\r${clearToEnd}`);
    this.#drawn = false;
  }

  #rows(doing: Doing): string[] {
    return statusRows(doing, this.#columns, { nowMs: this.#clock.now(), frame: this.#frame });
  }
}

/** An agent's output may be long; only what can be seen of its last line is looked at. */
function lastLine(text: string): string {
  const end = text.trimEnd();
  const start = Math.max(end.lastIndexOf('\n'), end.lastIndexOf('\r')) + 1;
  return plainLine(end.slice(start, start + outputCharsMax));
}
