/**
 * Journal format 1, frozen: one JSON line per record, chained by checksum.
 *
 * R1. `sum` covers the record and the sum before it: a changed, missing or reordered record is noticed.
 * R2. `seq` counts from 1 without gaps; `at` strictly rises, so a time names one record.
 * R3. Only an unterminated or unreadable last line counts as torn; everything else broken is corruption.
 */

import { hash } from 'node:crypto';
import type { Delta, Json, Snapshot, WorkItem } from '../engine/snapshot.ts';
import type { Usage } from '../engine/usage.ts';

/** Who caused something, and through what. */
export interface Authority {
  readonly who: string;
  readonly how: 'terminal' | 'answer' | 'answers' | 'command' | 'edit' | 'flag' | 'engine';
}

/** A file as a transition leaves it, with the digest of what it replaced, so that it is written exactly once. */
export type RecordedWrite =
  | { readonly path: string; readonly before: string | null; readonly content: string | null }
  | RecordedEdit
  | { readonly path: string; readonly moveTo: string };

/** A small change to a long text that earlier records hold. */
export interface RecordedEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly edit: TextEdit;
}

/** Counted in UTF-16 units, as strings are. */
export interface TextEdit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: string;
}

/** How a dispatch ended; part of the record of the transition it caused. */
export interface DispatchEnd {
  readonly id: string;
  readonly ms: number;
  readonly usage: Usage;
  readonly session: string | null;
  readonly model: string | null;
  /** The work tree afterwards: git tree, and digest outside control folders. */
  readonly tree: string;
  readonly digest: string;
  /** For faults: what happened, as shown to the person. */
  readonly problem?: string;
}

/** What a person chose with a command. Absent: as before; null: the usual. */
export interface Choice {
  readonly agent?: string | null;
  /** Of the scripted agent. */
  readonly script?: string | null;
  /** Run budgets, each as it was raised to. */
  readonly raised?: Readonly<Record<string, number>>;
  /** Proofs that failed, of a workflow that runs all the same. */
  readonly unproven?: readonly string[];
}

export type Entry =
  | {
      readonly type: 'created';
      readonly format: 1;
      readonly workflow: string;
      readonly run: string;
      readonly workspace: string;
      readonly input: Readonly<Record<string, Json>>;
      readonly snapshot: Snapshot;
    }
  | {
      readonly type: 'moved';
      readonly from: string;
      readonly signal: string;
      readonly change: Delta;
      readonly by?: Authority;
      readonly dispatch?: DispatchEnd;
      readonly writes?: readonly RecordedWrite[];
      /** Digest of what a person was shown when they answered. */
      readonly about?: string;
      readonly choice?: Choice;
    }
  | {
      readonly type: 'dispatch.started';
      readonly id: string;
      readonly role: string;
      readonly step: string;
      readonly agent: string;
      readonly model: string | null;
      readonly prompt: string;
      readonly tree: string;
      readonly digest: string;
      readonly item?: WorkItem;
      readonly hint?: string;
    }
  | {
      readonly type: 'report.filed';
      readonly dispatch: string;
      readonly tool: string;
      readonly args: Readonly<Record<string, Json>>;
    }
  | {
      readonly type: 'dispatch.abandoned';
      readonly id: string;
      readonly why: string;
      /** File in the run's folder that holds what it had written, if anything. */
      readonly patch: string | null;
    }
  /** A person's version of files was kept where Pawl wanted to write its own. */
  | { readonly type: 'edits.kept'; readonly paths: readonly string[]; readonly by: Authority }
  /** A hand edit of the state file was taken over. */
  | { readonly type: 'state.edited'; readonly phase: string; readonly change: Delta; readonly by: Authority };

export type JournalRecord = Entry & {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  /** Everything that the records before this one brought about is durable. */
  readonly settled?: true;
};

const sumLength = 32;
const suffixLength = `,"sum":"${'0'.repeat(sumLength)}"}`.length;
const types = new Set<string>([
  'created',
  'moved',
  'dispatch.started',
  'report.filed',
  'dispatch.abandoned',
  'edits.kept',
  'state.edited',
] satisfies Entry['type'][]);

export class JournalCorrupt extends Error {
  readonly code = 'JournalCorrupt';
}

export function encodeRecord(record: JournalRecord, previousSum: string): { line: string; sum: string } {
  const body = JSON.stringify(record);
  const sum = sumOf(previousSum, body);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}\n`, sum };
}

export interface Decoded {
  readonly records: readonly JournalRecord[];
  readonly lastSum: string;
  /** Length in bytes of the intact records; what follows is a torn tail. */
  readonly intactBytes: number;
}

/** Where records that are known already end. */
export interface Known {
  readonly bytes: number;
  readonly records: number;
  readonly lastSum: string;
}

export const nothingKnown: Known = { bytes: 0, records: 0, lastSum: '' };

/** The records behind those that are known; `bytes` are theirs alone. */
export function decodeJournal(bytes: Buffer, file: string, known: Known = nothingKnown): Decoded {
  const records: JournalRecord[] = [];
  let { lastSum } = known;
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(newline, start);
    if (end === -1) break;
    const expectedSeq = known.records + records.length + 1;
    const parsed = parseLine(bytes, start, end, lastSum);
    if (!parsed && end === bytes.length - 1 && !isJson(bytes.toString('utf8', start, end))) break;
    if (!parsed || parsed.record.seq !== expectedSeq) {
      throw new JournalCorrupt(
        `${file}: record ${expectedSeq} is damaged or was changed. ` +
          `The run is not continued from a journal that cannot be trusted; restore the file from a backup, ` +
          `or move the folder away to start afresh from the state file.`,
      );
    }
    records.push(parsed.record);
    lastSum = parsed.sum;
    start = end + 1;
  }
  return { records, lastSum, intactBytes: known.bytes + start };
}

const newline = 10;

function parseLine(
  bytes: Buffer,
  start: number,
  end: number,
  previousSum: string,
): { record: JournalRecord; sum: string } | undefined {
  const suffix = end - suffixLength;
  if (suffix < start) return undefined;
  const body = `${bytes.toString('utf8', start, suffix)}}`;
  const sum = sumOf(previousSum, body);
  if (bytes.toString('latin1', suffix, end) !== `,"sum":"${sum}"}`) return undefined;
  // The sum shows that `encodeRecord` wrote this line, so its shape is known.
  const record = JSON.parse(body) as JournalRecord;
  return types.has(record.type) ? { record, sum } : undefined;
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function sumOf(previousSum: string, body: string): string {
  return hash('sha256', previousSum + body).slice(0, sumLength);
}
