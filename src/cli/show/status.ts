/** The rows that show what is going on right now, for one instant. */

import type { Usage } from '../../engine/usage.ts';
import type { DispatchStarted } from '../../runtime/host.ts';
import { dispatches, duration, money } from './figures.ts';
import { stepWords, words } from './lines.ts';
import { figuresOf, type Columns } from './columns.ts';
import { cut, padEnd, plainLine, widthOf } from './text.ts';

/** What is going on; times are in milliseconds of the presenter's clock. */
export type Doing =
  | {
      readonly kind: 'dispatch';
      readonly started: DispatchStarted;
      readonly sinceMs: number;
      readonly usage: Usage;
      readonly output: string;
    }
  | { readonly kind: 'check'; readonly check: string; readonly sinceMs: number }
  | { readonly kind: 'preparing'; readonly what: string; readonly sinceMs: number }
  | { readonly kind: 'waiting'; readonly untilMs: number; readonly attempt: number; readonly why: string };

const tableColumnsMax = 100;
const outputColumnsMin = 20;

/** No row is as wide as the terminal, so that none wraps. */
export function statusRows(
  doing: Doing,
  columns: Columns,
  { nowMs, frame }: { nowMs: number; frame: number },
): string[] {
  const { style } = columns;
  const { spinner, ellipsis } = style.symbols;
  const mark = style.cyan(spinner[frame % spinner.length] ?? '');
  const room = columns.total() - 1;
  return rowsOf(doing, columns, { nowMs, mark }).map((row) => cut(row, room, ellipsis));
}

function rowsOf(doing: Doing, columns: Columns, { nowMs, mark }: { nowMs: number; mark: string }): string[] {
  switch (doing.kind) {
    case 'dispatch': {
      const { started, sinceMs, usage } = doing;
      const line = columns.row({
        mark,
        who: started.role,
        agent: started.agent,
        model: started.model,
        what: stepWords(started),
        figures: figuresOf(nowMs - sinceMs, usage, { ended: false }),
      });
      return [line, outputRow(doing, columns)];
    }
    case 'check':
    case 'preparing': {
      const figures = duration(nowMs - doing.sinceMs).padStart(6);
      const what = doing.kind === 'check' ? words(doing.check) : plainLine(doing.what);
      return [columns.row({ mark, who: doing.kind, what, figures })];
    }
    case 'waiting': {
      const left = Math.ceil(Math.max(0, doing.untilMs - nowMs) / 1_000);
      const what = `retry ${doing.attempt} in ${left}s: ${plainLine(doing.why)}`;
      return [columns.row({ mark, who: 'waiting', what })];
    }
  }
}

/** The agent's last words on the left, the budget left on the right; the budget gives way on a narrow terminal. */
function outputRow({ started, usage, output }: Extract<Doing, { kind: 'dispatch' }>, columns: Columns): string {
  const { dim, symbols } = columns.style;
  const room = Math.min(columns.total() - 1, tableColumnsMax);
  const budget = budgetWords(started, usage);
  const head = `${symbols.output} `;
  const textRoom = room - widthOf(head) - widthOf(budget) - 2;
  if (textRoom < outputColumnsMin) return dim(head + output);
  return dim(`${head}${padEnd(cut(output, textRoom, symbols.ellipsis), textRoom)}  ${budget}`);
}

/** The running dispatch counts as used. */
function budgetWords({ remaining }: DispatchStarted, usage: Usage): string {
  const left = Math.max(0, remaining.dispatches - 1);
  return `${dispatches(left)}, ${money(Math.max(0, remaining.costUsd - (usage.costUsd ?? 0)))} left`;
}
