/** Shows people what a run does while it does it. */

import type { RunEvent } from '../../runtime/host.ts';
import { Narrator } from './lines.ts';
import { LivePresenter, type Clock } from './live.ts';
import { screenOf, type Screen, type Style } from './screen.ts';
import { Columns } from './columns.ts';

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
export function presenterFor({ json }: { json: boolean }): Presenter {
  const screen = screenOf(json ? process.stderr : process.stdout);
  if (!screen.live) return linePresenter(screen);
  const live = new LivePresenter(screen, realClock);
  // Even a sudden exit leaves the terminal tidy.
  process.once('exit', () => live.close());
  return live;
}

/** One line for each thing that happens; for logs, pipes and dumb terminals. */
export function linePresenter(screen: Screen): Presenter {
  const narrator = new Narrator(new Columns(screen.style, () => screen.columns()), { beginnings: true });
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
