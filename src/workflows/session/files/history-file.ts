/** `approve-design-history.jsonl`: every request for changes at APPROVE_DESIGN, oldest first. */

import { isRecord } from '../../../documents/fields.ts';

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
  if (!isRecord(value) || typeof value['answer'] !== 'string') return undefined;
  const text = (key: string, otherwise: string): string => {
    const found = value[key];
    return typeof found === 'string' ? found : otherwise;
  };
  return {
    at: text('at', ''),
    decision_id: text('decision_id', 'UD-APPROVE-DESIGN'),
    answer: value['answer'],
    state_context: text('state_context', 'APPROVE_DESIGN'),
  };
}
