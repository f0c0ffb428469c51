/**
 * Journal format 1, frozen: one JSON line per record, chained by checksum.
 *
 * R1. `sum` covers the record and the sum before it: a changed, missing or reordered record is noticed.
 * R2. `seq` counts from 1 without gaps; `at` strictly rises, so a time names one record.
 * R3. Only an unterminated or unreadable last line counts as torn; everything else broken is corruption.
 */

import { hash } from 'node:crypto';
import { orElse } from '../disk/disk-error.ts';
import type { Delta, Json, Snapshot, WorkItem } from '../engine/snapshot.ts';
import type { Usage } from '../engine/usage.ts';

export interface Authority {
  readonly who: string;
  readonly how: 'terminal' | 'answer' | 'answers' | 'command' | 'edit' | 'flag' | 'engine';
  /** Of an answer: whether every agent of the run was confined, so that none could have given it. */
  readonly assurance?: 'sandboxed' | 'same-user';
}

/** A file as a transition leaves it, with the digest of what it replaced, so that it is written exactly once. */
export type RecordedWrite =
  | Readonly<{ path: string; before: string | null; content: string | null }>
  | RecordedEdit
  | Readonly<{ path: string; moveTo: string }>;

/** A small change to a long text that earlier records hold. */
export type RecordedEdit = Readonly<{ path: string; before: string; after: string; edit: TextEdit }>;

/** A document as it was found when it was approved: `before` is the text that the journal had of it. */
export type RecordedText = Exclude<RecordedWrite, { moveTo: string }>;

/** Counted in UTF-16 units, as strings are. */
export type TextEdit = Readonly<{ at: number; removed: number; inserted: string }>;

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
  /** Files that git ignores and that changed meanwhile: how many, and some of them, the most telling first. */
  readonly ignored?: { readonly count: number; readonly paths: readonly string[] };
  /** For faults: what happened, as shown to the person. */
  readonly problem?: string;
  readonly beside?: AdvisorEnd;
}

/** How the advisor of a dispatch ended. */
export interface AdvisorEnd {
  readonly role: string;
  /** Null where no agent could begin. */
  readonly call: {
    readonly id: string;
    readonly agent: string;
    readonly model: string | null;
    readonly ms: number;
    readonly usage: Usage;
  } | null;
  /** Why there is no advice. */
  readonly problem: string | null;
}

/** A file of an agent's program, links followed. `digest`: of its content, or of size, times and place where it is large. */
export interface ProgramFile {
  readonly path: string;
  readonly digest: string;
}

/** What a person chose with a command. Absent: as before; null: the usual. */
export interface Choice {
  readonly agent?: string | null;
  readonly model?: string | null;
  readonly script?: string | null;
  /** Run budgets, each as it was raised to. */
  readonly raised?: Readonly<Record<string, number>>;
  /** Proofs that failed, of a workflow that runs all the same. */
  readonly unproven?: readonly string[];
  /** The branch that was checked out when the command was given. */
  readonly branch?: string | null;
  /** Whether the run may work beside another that writes in the same tree. */
  readonly shareTree?: boolean;
  /** A person's words for the next attempt. */
  readonly hint?: string;
}

type JsonMap = Readonly<Record<string, Json>>;

interface Entries {
  created: {
    format: 1;
    workflow: string;
    run: string;
    workspace: string;
    input: JsonMap;
    snapshot: Snapshot;
    texts?: readonly RecordedText[];
  };
  moved: {
    from: string;
    signal: string;
    change: Delta;
    by?: Authority;
    dispatch?: DispatchEnd;
    writes?: readonly RecordedWrite[];
    /** Approved documents that no earlier record holds as they were then; it writes none of them. */
    texts?: readonly RecordedText[];
    /** Digest of what a person was shown when they answered. */
    about?: string;
    choice?: Choice;
    /** Of a command: digest of the configuration and definition it works with. */
    config?: string;
  };
  'dispatch.started': {
    id: string;
    role: string;
    step: string;
    agent: string;
    model: string | null;
    prompt: string;
    tree: string;
    digest: string;
    item?: WorkItem;
    hint?: string;
    /** The advisor, where one begins as well: it has an id, and so a folder and processes, of its own. */
    beside?: {
      id: string;
      role: string;
      agent: string;
      model: string | null;
      prompt: string;
      program?: readonly ProgramFile[];
    };
    /** The agent's program; absent for agents of Pawl's own, and in records of earlier versions. */
    program?: readonly ProgramFile[];
    /** Globs of what the role may write, where its workflow decides that for each dispatch. */
    mayWrite?: readonly string[];
    /** The level of the sandbox the agent runs in; absent in records of earlier versions. */
    sandbox?: SandboxLevel;
    /** Without a sandbox: the files that steer git, as a git tree. */
    git?: string;
  };
  /** Of an advisor it names the id of its own. */
  'report.filed': { dispatch: string; tool: string; args: JsonMap };
  /** `patch`: the file in the run's folder that holds what it had written, if anything. */
  'dispatch.abandoned': {
    id: string;
    why: string;
    patch: string | null;
    /** The work tree afterwards, where files of it were not put back. */
    tree?: string;
    /** What it consumed until then; absent in records of earlier versions. */
    usage?: Usage;
    ms?: number;
    /** The same of its advisor. */
    beside?: { usage: Usage; ms: number };
    /** Whether nobody asked for its end. */
    crashed?: true;
  };
  /** What a person chose for an interrupted command when they let it go on. */
  chosen: { choice: Choice; by: Authority };
  /** A person's version of files was kept where Pawl wanted to write its own. */
  'edits.kept': { paths: readonly string[]; by: Authority };
  /** A hand edit of the state file was taken over. */
  'state.edited': { phase: string; change: Delta; by: Authority; texts?: readonly RecordedText[] };
  /** A person accepted that the run goes on at a lower level of the sandbox. */
  'sandbox.lowered': { from: SandboxLevel; to: SandboxLevel; by: Authority };
  /** A person brought the work of a run that is over home, or let go of it. */
  landed: Landed & { by: Authority };
}

/** What became of a run's work. `branch`: where it is now. */
export interface Landed {
  readonly how: 'committed' | 'merged' | 'pull_request' | 'kept' | 'discarded';
  readonly branch: string | null;
  readonly commit: string | null;
  readonly url: string | null;
}

type SandboxLevel = 'none' | 'files' | 'files+network';

export type Entry = { [T in keyof Entries]: Readonly<{ type: T } & Entries[T]> }[keyof Entries];

export type JournalRecord = Entry & {
  readonly seq: number;
  readonly epoch: number;
  readonly at: string;
  /** Everything that the records before this one brought about is durable. */
  readonly settled?: true;
};

const sumLength = 32;
const suffixLength = `,"sum":"${'0'.repeat(sumLength)}"}`.length;
const types: Readonly<Record<Entry['type'], true>> = {
  created: true,
  moved: true,
  'dispatch.started': true,
  'report.filed': true,
  'dispatch.abandoned': true,
  chosen: true,
  'edits.kept': true,
  'state.edited': true,
  'sandbox.lowered': true,
  landed: true,
};

export class JournalCorrupt extends Error {
  readonly code = 'JournalCorrupt';
  readonly fix = 'restore the file from a backup, or move its folder away to start again from the state file';
}

export function encodeRecord(record: JournalRecord, previousSum: string): { line: string; sum: string } {
  const body = JSON.stringify(record);
  const sum = sumOf(previousSum, body);
  return { line: `${body.slice(0, -1)},"sum":"${sum}"}\n`, sum };
}

/** Where the records of a journal end. */
export interface JournalEnd {
  readonly bytes: number;
  readonly records: number;
  readonly lastSum: string;
  readonly lastAt: number;
  readonly lastEpoch: number;
}

export const emptyJournal: JournalEnd = { bytes: 0, records: 0, lastSum: '', lastAt: 0, lastEpoch: 0 };

/** The intact records behind an end that is known, and where those end; what follows is a torn tail. */
export function decodeJournal(
  bytes: Buffer,
  file: string,
  from = emptyJournal,
): { readonly records: readonly JournalRecord[]; readonly end: JournalEnd } {
  const records: JournalRecord[] = [];
  let { lastSum } = from;
  let start = 0;
  for (let end = 0; (end = bytes.indexOf('\n', start)) !== -1; start = end + 1) {
    const seq = from.records + records.length + 1;
    const line = bytes.subarray(start, end);
    const parsed = parseLine(line, lastSum);
    if (!parsed && end === bytes.length - 1 && isTorn(line)) break;
    if (!parsed || parsed.record.seq !== seq) {
      throw new JournalCorrupt(
        `${file}: record ${seq} is damaged or was changed; the run does not continue from such a journal`,
      );
    }
    records.push(parsed.record);
    lastSum = parsed.sum;
  }
  const last = records.at(-1);
  const { lastAt, lastEpoch } = last ? { lastAt: Date.parse(last.at), lastEpoch: last.epoch } : from;
  return {
    records,
    end: { bytes: from.bytes + start, records: from.records + records.length, lastSum, lastAt, lastEpoch },
  };
}

function parseLine(line: Buffer, previousSum: string): { record: JournalRecord; sum: string } | undefined {
  const suffix = line.length - suffixLength;
  if (suffix < 0) return undefined;
  const body = `${line.toString('utf8', 0, suffix)}}`;
  const sum = sumOf(previousSum, body);
  if (line.toString('latin1', suffix) !== `,"sum":"${sum}"}`) return undefined;
  // The sum shows that `encodeRecord` wrote this line, so its shape is known.
  const record = JSON.parse(body) as JournalRecord;
  return Object.hasOwn(types, record.type) ? { record, sum } : undefined;
}

/** Whether a last line is what is left of a record that was not written whole. */
export function isTorn(line: Buffer): boolean {
  return orElse(undefined, (): unknown => JSON.parse(line.toString())) === undefined;
}

function sumOf(previousSum: string, body: string): string {
  return hash('sha256', previousSum + body).slice(0, sumLength);
}
