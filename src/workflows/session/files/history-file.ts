/** `approve-design-history.jsonl`: every request for changes at APPROVE_DESIGN, oldest first. */

import { table, withDefault } from '../../../schema/compound.ts';
import { ifFits } from '../../../schema/lenient.ts';
import { check } from '../../../schema/schema.ts';
import { verbatim } from '../../../schema/simple.ts';

export interface HistoryEntry {
  readonly at: string;
  readonly decision_id: string;
  readonly answer: string;
  readonly state_context: string;
}

/** One line, without its line break. */
export function historyLine({ at, decision_id, answer, state_context }: HistoryEntry): string {
  return JSON.stringify({ at, decision_id, answer, state_context });
}

/** Appending the line that is already the last changes nothing, so that a step may be made again. */
export function appendHistory(before: string | undefined, line: string): string {
  const text = before ?? '';
  const whole = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return whole.endsWith(`\n${line}\n`) || whole === `${line}\n` ? whole : `${whole}${line}\n`;
}

/** A line that cannot be read is left out and counted: the history informs, nothing is decided by it. */
export function readHistory(text: string): { readonly entries: readonly HistoryEntry[]; readonly unreadable: number } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const entries = lines.map(readEntry).filter((entry) => entry !== undefined);
  return { entries, unreadable: lines.length - entries.length };
}

function readEntry(line: string): HistoryEntry | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  const read = check(historyEntry, value, { unknownKeys: 'ignored' });
  return 'mistakes' in read ? undefined : read.value;
}

const historyEntry = table({
  at: withDefault(ifFits(verbatim()), ''),
  decision_id: withDefault(ifFits(verbatim()), 'UD-APPROVE-DESIGN'),
  answer: verbatim(),
  state_context: withDefault(ifFits(verbatim()), 'APPROVE_DESIGN'),
});
