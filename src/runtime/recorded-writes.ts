/**
 * Writing files exactly once, through crashes.
 *
 * W1. A recorded write names the digest of what it replaces; applying it again is harmless.
 * W2. A file that is neither what was there nor what shall be there was changed by somebody: it is not overwritten.
 * W3. What a file shall hold can always be made from the journal alone: a small change to a long text is recorded as an
 *     edit only where earlier records hold that text.
 */

import { dirname } from 'node:path';
import { isMissing } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import type { JournalRecord, RecordedEdit, RecordedWrite } from '../store/record.ts';
import { applyWrites, FileProblem, listFiles, readText, sha256 } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { Write } from '../workflows/workflow.ts';
import { applyEdit, editBetween } from './text-edit.ts';

/** Where files are written. */
export interface Workspace {
  readonly disk: Disk;
  readonly root: string;
}

/** A write that is to be made, and the form in which it goes on record. */
export interface DueWrite {
  readonly write: Write;
  readonly recorded: RecordedWrite;
}

/** Digests of the texts that records hold, by path; those of short ones are left out. */
export type TextsOnRecord = ReadonlyMap<string, string>;

/** The last of several writes to one path counts; a write that changes nothing is left out. */
export function dueWrites({ disk, root }: Workspace, writes: readonly Write[], onRecord: TextsOnRecord): DueWrite[] {
  const byPath = new Map<string, DueWrite>();
  for (const write of writes) {
    byPath.delete(write.path);
    if ('moveTo' in write) {
      byPath.set(write.path, { write, recorded: write });
      continue;
    }
    const { path, content } = write;
    const current = readText(resolveInside(root, path, disk), disk);
    if ((current ?? null) === content) continue;
    const before = current === undefined ? null : sha256(current);
    const recorded = asEdit(write, current, onRecord) ?? { path, before, content };
    byPath.set(path, { write, recorded });
  }
  return [...byPath.values()];
}

/** An edit with its digests is about this long: shorter texts are recorded as a whole. */
const editCharsUsual = 500;

/** W3. */
function asEdit(
  { path, content }: Extract<Write, { content: unknown }>,
  current: string | undefined,
  onRecord: TextsOnRecord,
): RecordedEdit | null {
  const before = onRecord.get(path);
  if (before === undefined || current === undefined || content === null || sha256(current) !== before) return null;
  const edit = editBetween(current, content);
  const isShorter = edit.inserted.length + editCharsUsual < content.length;
  return isShorter ? { path, before, after: sha256(content), edit } : null;
}

/** To be called when the writes are on record. */
export function noteRecorded(onRecord: Map<string, string>, writes: readonly RecordedWrite[]): void {
  for (const write of writes) {
    if ('edit' in write) onRecord.set(write.path, write.after);
    else if ('moveTo' in write) onRecord.clear();
    else if (write.content === null || write.content.length < editCharsUsual) onRecord.delete(write.path);
    else onRecord.set(write.path, sha256(write.content));
  }
}

export function applyDue(workspace: Workspace, writes: readonly Write[]): void {
  const contents = writes.filter((write) => 'content' in write);
  if (contents.length > 0) applyWrites(workspace.root, contents, workspace.disk);
  for (const write of writes) if ('moveTo' in write) move(workspace, write.path, write.moveTo);
}

/** W3. What a recorded write leaves, whatever the file holds now. */
export function wholeWrite(write: RecordedWrite, records: readonly JournalRecord[]): Write {
  if (!('edit' in write)) return write;
  const { path } = write;
  const edits = [write];
  for (let index = records.length - 1; index >= 0; index -= 1) {
    const earlier = writesIn(records[index]).find((each) => each.path === path);
    const wanted = edits[0]?.before;
    if (!earlier || 'moveTo' in earlier) continue;
    if ('edit' in earlier) {
      if (earlier.after === wanted) edits.unshift(earlier);
    } else if (earlier.content !== null && sha256(earlier.content) === wanted) {
      return {
        path,
        content: edits.reduce((text, { edit }) => applyEdit(text, edit), earlier.content),
      };
    }
  }
  throw new Error(`the journal does not hold what ${path} was made from`);
}

function writesIn(record: JournalRecord | undefined): readonly RecordedWrite[] {
  return record?.type === 'moved' ? (record.writes ?? []) : [];
}

export interface Unfinished {
  /** Still to be made: the file is what it was before. */
  readonly missing: readonly RecordedWrite[];
  /** W2. */
  readonly contested: readonly RecordedWrite[];
}

/** Which of a transition's writes a crash prevented. */
export function examineWrites({ disk, root }: Workspace, writes: readonly RecordedWrite[]): Unfinished {
  const missing: RecordedWrite[] = [];
  const contested: RecordedWrite[] = [];
  for (const write of writes) {
    if ('moveTo' in write) {
      // A folder that is at both places was moved, and somebody made another one since.
      const moved = listFiles(root, write.moveTo, disk).length > 0;
      if (!moved && disk.exists(resolveInside(root, write.path, disk))) missing.push(write);
      continue;
    }
    // A folder that was moved takes its files along: their writes were made before.
    if (
      writes.some(
        (other) =>
          'moveTo' in other && isInside(write.path, other.path) && !disk.exists(resolveInside(root, other.path, disk)),
      )
    )
      continue;
    const found = bytesAt(disk, resolveInside(root, write.path, disk));
    const digest = found === null ? null : sha256(found);
    const wanted = 'edit' in write ? write.after : write.content === null ? null : sha256(write.content);
    if (digest === wanted) continue;
    (digest === write.before ? missing : contested).push(write);
  }
  return { missing, contested };
}

/** Null when there is no file. */
export function bytesAt(disk: Disk, path: string): Buffer | null {
  try {
    return disk.readFile(path);
  } catch (error) {
    if (isMissing(error)) return null;
    throw new FileProblem('read', path, error);
  }
}

function move({ disk, root }: Workspace, from: string, to: string): void {
  const source = resolveInside(root, from, disk);
  const target = resolveInside(root, to, disk);
  if (!disk.exists(source)) return;
  disk.mkdir(dirname(target));
  disk.rename(source, target);
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}
