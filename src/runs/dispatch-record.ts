/** One agent call as it is on record: who, what it was told, what it said, its reports and its end. */

import { join } from 'node:path';
import { nodeDisk } from '../disk/node-disk.ts';
import { fileBytesMax } from '../disk/regular-file.ts';
import { eventsFile, loggedText } from '../runtime/agent-turn.ts';
import { dispatchFolderIn } from '../runtime/run-place.ts';
import type { DispatchEnd, JournalRecord } from '../store/record.ts';
import { readText } from '../workspace/files.ts';
import { recordsOf, type FoundRun } from './find.ts';
import { refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

export interface DispatchRecord {
  readonly id: string;
  readonly role: string;
  readonly step: string;
  readonly agent: string;
  readonly model: string | null;
  readonly item: string | null;
  readonly hint: string | null;
  readonly startedAt: string;
  /** Null while it is open. */
  readonly end:
    | (Pick<DispatchEnd, 'ms' | 'usage'> & {
        readonly signal: string;
        readonly at: string;
        readonly problem: string | null;
      })
    | null;
  /** Null where the file is not there any more: an exported journal has only the records. */
  readonly prompt: string | null;
  readonly transcript: readonly string[] | null;
  readonly reports: readonly { readonly tool: string; readonly args: unknown }[];
  /** Where its files are. */
  readonly folder: string;
}

/** By its number within the run; an advisor has a number of its own. */
export function dispatchRecord(repository: RunRepository, found: FoundRun, number: number): DispatchRecord | Refusal {
  const records = recordsOf(repository, found);
  const isNumber = (id: string): boolean => id.slice(id.lastIndexOf('#') + 1) === String(number);
  const started = records.flatMap((each) => (each.type === 'dispatch.started' ? callsIn(each) : []));
  const call = started.findLast(({ id }) => isNumber(id));
  if (!call) {
    const known = started.length === 0 ? 'it has made none' : `there are 1 to ${started.length}`;
    const message = `${found.run} has no agent call ${number}; ${known}`;
    return refusal('DispatchNotFound', message, { fix: `pawl log ${found.run}` });
  }
  const folder = dispatchFolderIn(repository.store.folder(found), call.id);
  const read = (name: string): string | null => readText(join(folder, name), nodeDisk, fileBytesMax) ?? null;
  const events = read(eventsFile);
  return {
    ...call,
    end: records.map((record) => endIn(record, call.id)).findLast((end) => end !== null) ?? null,
    prompt: read('prompt.md'),
    transcript: events === null ? null : loggedText(events),
    reports: records.flatMap((record) =>
      record.type === 'report.filed' && record.dispatch === call.id ? [{ tool: record.tool, args: record.args }] : [],
    ),
    folder,
  };
}

type Call = Omit<DispatchRecord, 'end' | 'prompt' | 'transcript' | 'reports' | 'folder'>;

function callsIn(record: Extract<JournalRecord, { type: 'dispatch.started' }>): Call[] {
  const { id, role, step, agent, model, item, hint = null, at: startedAt, beside } = record;
  const shown = { step, item: item?.id ?? null, startedAt };
  const advisor = beside && { id: beside.id, role: beside.role, agent: beside.agent, model: beside.model, hint: null };
  return [{ id, role, agent, model, hint, ...shown }, ...(advisor ? [{ ...advisor, ...shown }] : [])];
}

const unknown = { inputTokens: null, outputTokens: null, costUsd: null };

function endIn(record: JournalRecord, id: string): DispatchRecord['end'] {
  const { at } = record;
  if (record.type === 'dispatch.abandoned' && record.id === id) {
    const { why: problem, usage = unknown, ms = 0 } = record;
    return { signal: 'interrupted', at, ms, usage, problem };
  }
  if (record.type !== 'moved' || !record.dispatch) return null;
  const { dispatch, signal } = record;
  const { ms, usage, problem = null, beside } = dispatch;
  if (dispatch.id === id) return { signal, at, ms, usage, problem };
  if (beside?.call?.id !== id) return null;
  return { signal: 'advised', at, ms: beside.call.ms, usage: beside.call.usage, problem: beside.problem };
}
