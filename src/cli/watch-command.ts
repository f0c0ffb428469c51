/**
 * `watch`: all runs, on the whole screen, until the person has seen enough.
 *
 * W1. A picture is one write over the one before, so that nothing flickers.
 * W2. Whatever ends it, the terminal is as it was before.
 */

import type { Overview } from '../runs/overview.ts';
import { watchRuns } from '../runs/watch-runs.ts';
import type { CommandFunction } from './context.ts';
import { shownLines } from './overview-command.ts';
import { exitCodes, usageError } from './problem.ts';
import { screenOf } from './show/screen.ts';
import { cut, screenSafe } from './show/text.ts';

const tickMs = 1_000;
const clearLine = '\u001B[K';
const open = '\u001B[?1049h\u001B[?25l';
const close = '\u001B[?25h\u001B[?1049l';
/** q, Q, Ctrl-C, Ctrl-D. */
const ends = new Set(['q', 'Q', '\u0003', '\u0004']);

export const watch: CommandFunction = async ({ flags }, context) => {
  const { stdin, stdout } = process;
  const screen = screenOf(stdout);
  if (flags['json']) throw usageError('pawl watch has no document', 'pawl status --json');
  if (!screen.live || !stdin.isTTY) throw usageError('pawl watch needs a terminal', 'pawl status');
  const repository = context.repository();
  const begin = context.workflows.bundled[0]?.begin ?? '';
  const stop = new AbortController();
  let overview: Overview | null = null;
  const draw = (): void => {
    if (!overview) return;
    const columns = screen.columns() - 1;
    const { dim, symbols } = screen.style;
    const head = dim(`pawl watch ${symbols.dot} ${repository.root} ${symbols.dot} q quits`);
    const lines = [head, '', ...shownLines(overview, begin, { style: screen.style, columns })];
    const room = Math.max(1, stdout.rows - 1);
    const more = lines.length - room;
    const shown = more > 0 ? [...lines.slice(0, room - 1), dim(`${more + 1} more lines: pawl status`)] : lines;
    const rows = shown.map((line) => `${screenSafe(cut(line, columns, symbols.ellipsis))}${clearLine}\r\n`);
    screen.draw(`\u001B[H${rows.join('')}\u001B[J`);
  };
  const restore = fullScreen(draw, () => stop.abort());
  try {
    for await (const each of watchRuns(repository, stop.signal)) {
      overview = each;
      draw();
    }
  } finally {
    restore();
  }
  return exitCodes.done;
};

/** Takes the terminal; the returned function gives it back. */
function fullScreen(draw: () => void, end: () => void): () => void {
  const { stdin, stdout } = process;
  const onKeys = (keys: Buffer): void => {
    if (
      keys
        .toString()
        .split('')
        .some((key) => ends.has(key))
    )
      end();
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const ticking = setInterval(draw, tickMs);
  let isOpen = true;
  // W2.
  const restore = (): void => {
    if (!isOpen) return;
    isOpen = false;
    clearInterval(ticking);
    stdin.off('data', onKeys).setRawMode(false).pause();
    stdout.off('resize', draw).write(close);
    for (const signal of signals) process.off(signal, end);
    process.off('exit', restore);
  };
  process.once('exit', restore);
  for (const signal of signals) process.once(signal, end);
  stdout.on('resize', draw).write(open);
  stdin.setRawMode(true).on('data', onKeys).resume();
  return restore;
}
