/**
 * Shows the progress of a run. On a terminal, rows below the lines that stay are redrawn while work is going on.
 *
 * L1. The cursor waits at the start of the rows, so that redrawing them never touches a line above,
 *     whatever a resize did to them.
 * L2. A line that stays is written in place of the rows, which are drawn again below it.
 * L3. While a person is asked, and after `close`, nothing is drawn.
 */

import { unknownUsage, type Usage } from '../../engine/usage.ts';
import type { DispatchStarted, RunEvent } from '../../runtime/host.ts';
import { Columns, figuresOf } from './columns.ts';
import { countdown, duration } from './figures.ts';
import { leftOf, Narrator, rowOf, waitWords, words } from './lines.ts';
import { screenOf, type Screen, type Style } from './screen.ts';
import { cut, padEnd, plainLine, screenSafe, widthOf } from './text.ts';

export interface Presenter {
  /** Colours and symbols that suit where this presenter writes. */
  readonly style: Style;
  observe(event: RunEvent): void;
  say(line: string): void;
  /** What is redrawn steps aside while a person is asked. */
  suspend(): void;
  resume(): void;
  close(): void;
}

/** With `--json` standard output belongs to the document, so people read on standard error. */
export function presenterFor({ json = false, verbose = false }: { json?: boolean; verbose?: boolean } = {}): Presenter {
  const screen = screenOf(json ? process.stderr : process.stdout);
  if (!screen.live) return linePresenter(screen, { verbose });
  const live = new LivePresenter(screen, realClock, { verbose });
  // Even a sudden exit leaves the terminal tidy.
  process.once('exit', () => live.close());
  return live;
}

/** One line for each thing that happens; for logs, pipes and dumb terminals. */
export function linePresenter(screen: Screen, { verbose = false } = {}): Presenter {
  const narrator = new Narrator(new Columns(screen.style, () => screen.columns()), { beginnings: true, verbose });
  const write = (lines: readonly string[]): void => {
    if (lines.length > 0) screen.write(`${lines.join('\n')}\n`);
  };
  return {
    style: screen.style,
    observe: (event) => write(narrator.tell(event)),
    say: (line) => write([...narrator.flush(), line]),
    suspend: () => write(narrator.flush()),
    resume: () => {},
    close: () => write(narrator.flush()),
  };
}

/** The timer keeps nothing alive: when the run is over, so is the program. */
const realClock: Clock = {
  now: () => Date.now(),
  every: (ms, tick) => {
    const timer = setInterval(tick, ms).unref();
    return () => clearInterval(timer);
  },
};

export interface Clock {
  now(): number;
  /** Calls `tick` again and again until the returned function is called. */
  every(ms: number, tick: () => void): () => void;
}

/** What is going on; times are in milliseconds of the clock. */
type Activity =
  | {
      readonly kind: 'dispatch';
      readonly started: DispatchStarted;
      readonly sinceMs: number;
      readonly usage: Usage;
      readonly output: string;
    }
  | { readonly kind: 'check' | 'preparing'; readonly what: string; readonly sinceMs: number }
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly attempt: number | null };

const beginnings = new Set<RunEvent['type']>(['dispatch.started', 'check.started', 'preparing']);
const frameMs = 100;
const outputCharsMax = 1_000;
const outputColumnsMin = 20;
const tableColumnsMax = 100;
const bell = '\u0007';
const clearToEnd = '\u001B[J';
const clearLine = '\u001B[K';

export class LivePresenter {
  readonly style: Style;
  readonly #screen: Screen;
  readonly #clock: Clock;
  readonly #columns: Columns;
  readonly #narrator: Narrator;
  #doing: Activity | null = null;
  #drawn = false;
  #asking = false;
  #frame = 0;
  #stopTicking: (() => void) | null = null;

  constructor(screen: Screen, clock: Clock, { verbose = false } = {}) {
    this.style = screen.style;
    this.#screen = screen;
    this.#clock = clock;
    this.#columns = new Columns(screen.style, () => screen.columns());
    this.#narrator = new Narrator(this.#columns, { beginnings: false, verbose });
  }

  observe(event: RunEvent): void {
    if (event.type === 'attention') return this.#screen.draw(bell);
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

  #doingAfter(event: RunEvent): Activity | null {
    const doing = this.#doing;
    switch (event.type) {
      case 'dispatch.started':
        return { kind: 'dispatch', started: event, sinceMs: this.#sinceMs(event), usage: unknownUsage, output: '' };
      case 'check.started':
        return { kind: 'check', what: words(event.check), sinceMs: this.#clock.now() };
      case 'preparing':
        return { kind: 'preparing', what: plainLine(event.what), sinceMs: this.#clock.now() };
      case 'waiting':
        return { kind: 'waiting', untilMs: this.#clock.now() + event.ms, attempt: event.attempt };
      case 'dispatch.output':
        return doing?.kind === 'dispatch' ? { ...doing, output: lastLine(event.text) || doing.output } : doing;
      case 'dispatch.usage':
        // The figures are those of the role whose report counts.
        return doing?.kind === 'dispatch' && doing.started.id === event.id ? { ...doing, usage: event.usage } : doing;
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

  /** Another process may have begun it a while ago. */
  #sinceMs({ at }: DispatchStarted): number {
    return at === undefined ? this.#clock.now() : Date.parse(at);
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
    const above = lines.map((line) => `${screenSafe(line)}${this.#drawn ? clearLine : ''}\n`).join('');
    const below = rows.map((row) => `${screenSafe(row)}${clearLine}`).join('\n');
    const up = rows.length > 1 ? `\u001B[${rows.length - 1}A` : '';
    const clear = this.#drawn || rows.length > 0 ? clearToEnd : '';
    this.#screen.draw(`${this.#drawn ? '\r' : ''}${above}${below}${clear}${up}${rows.length > 0 ? '\r' : ''}`);
    this.#drawn = rows.length > 0;
  }

  #clear(): void {
    if (this.#drawn) this.#screen.draw(`\r${clearToEnd}`);
    this.#drawn = false;
  }

  /** No row is as wide as the terminal, so that none wraps. */
  #rows(doing: Activity): string[] {
    const { spinner, ellipsis } = this.style.symbols;
    const mark = this.style.cyan(spinner[this.#frame % spinner.length] ?? '');
    const room = this.#columns.total() - 1;
    return rowsOf(doing, this.#columns, { nowMs: this.#clock.now(), mark }).map((row) => cut(row, room, ellipsis));
  }
}

/** An agent's output may be long; only what can be seen of its last line is looked at. */
function lastLine(text: string): string {
  const end = text.trimEnd();
  const start = Math.max(end.lastIndexOf('\n'), end.lastIndexOf('\r')) + 1;
  return plainLine(end.slice(start, start + outputCharsMax));
}

function rowsOf(doing: Activity, columns: Columns, { nowMs, mark }: { nowMs: number; mark: string }): string[] {
  switch (doing.kind) {
    case 'dispatch': {
      const { started, sinceMs, usage } = doing;
      const figures = figuresOf(nowMs - sinceMs, usage, { ended: false });
      return [columns.row({ mark, ...rowOf(started), figures }), outputRow(doing, columns)];
    }
    case 'check':
    case 'preparing': {
      const time = duration(nowMs - doing.sinceMs);
      return [columns.row({ mark, who: doing.kind, what: doing.what, figures: { time } })];
    }
    case 'waiting': {
      const left = countdown(Math.max(0, doing.untilMs - nowMs));
      return [columns.row({ mark, who: 'waiting', what: waitWords(doing, left) })];
    }
  }
}

/** The agent's last words on the left, the budget left on the right; the budget gives way on a narrow terminal. */
function outputRow({ started, usage, output }: Extract<Activity, { kind: 'dispatch' }>, columns: Columns): string {
  const { dim, symbols } = columns.style;
  const room = Math.min(columns.total() - 1, tableColumnsMax);
  // The running dispatch counts as used.
  const { dispatches = 0, costUsd = 0 } = started.remaining ?? {};
  const left = { dispatches: dispatches - 1, costUsd: costUsd - (usage.costUsd ?? 0) };
  const budget = started.remaining ? leftOf(left) : '';
  const head = `${symbols.output} `;
  const textRoom = room - widthOf(head) - widthOf(budget) - 2;
  if (textRoom < outputColumnsMin) return dim(head + output);
  return dim(`${head}${padEnd(cut(output, textRoom, symbols.ellipsis), textRoom)}  ${budget}`);
}
