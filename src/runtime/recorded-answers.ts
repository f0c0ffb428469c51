/** Answers as the journal has them. */

import { isRecord } from '../schema/values.ts';
import type { JournalRecord } from '../store/record.ts';

export interface RecordedAnswer {
  readonly decision: string;
  /** Null: it was passed over. */
  readonly answer: string | null;
  /** For one that was written down beforehand: which of them it was, counted from 1. */
  readonly asking?: number;
}

export function answerIn(record: JournalRecord): RecordedAnswer | null {
  const answered = record.type === 'moved' ? record.change.data?.['answered'] : undefined;
  if (!isRecord(answered)) return null;
  const { decision, answer, asking } = answered;
  if (typeof decision !== 'string' || (typeof answer !== 'string' && answer !== null)) return null;
  return { decision, answer, ...(typeof asking === 'number' && { asking }) };
}

/** How many askings of a decision are over: a prepared answer that came to nothing counts as one, and is not used again. */
export function timesAsked(records: readonly JournalRecord[], decision: string): number {
  let times = 0;
  for (const record of records) {
    const answered = answerIn(record);
    if (answered?.decision === decision) times = answered.asking ?? times + 1;
  }
  return times;
}
