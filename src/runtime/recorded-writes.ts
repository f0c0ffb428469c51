/**
 * Writing files exactly once, through crashes.
 *
 * W1. A recorded write names the digest of what it replaces; applying it again is harmless.
 * W2. A file that is neither what was there nor what shall be there was changed by somebody: it is not overwritten.
 * W3. What a file shall hold can always be made from the journal alone: a small change to a long text is recorded as an
 *     edit only where earlier records hold that text.
 * W4. After a power loss, a file that was not synced comes back as one of its earlier versions, or cut short: neither is
 *     anybody's edit.
 */

import { dirname } from 'node:path';
import { isMissing } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import type { JournalRecord, RecordedEdit, RecordedText, RecordedWrite, TextEdit } from '../store/record.ts';
import { applyWrites, documentPlace, FileProblem, listFiles, readDocument, sha256 } from '../workspace/files.ts';
import { resolveInside } from '../workspace/safe-paths.ts';
import type { Write } from '../workflows/workflow.ts';
import { byRoot, type RootOf } from './workspace-files.ts';

export interface Workspace {
  readonly disk: Disk;
  readonly rootOf: RootOf;
}

/** Digests of the texts that records hold, by path; those of short ones are left out. */
export type TextsOnRecord = Map<string, string>;

/** Writes to be made, and their form on record; the last to one path counts, one that changes nothing is left out. */
export function dueWrites(at: Workspace, writes: readonly Write[], onRecord: TextsOnRecord) {
  const byPath = new Map<string, { readonly write: Write; readonly recorded: RecordedWrite }>();
  for (const write of writes) {
    const { path } = write;
    byPath.delete(path);
    if ('moveTo' in write) byPath.set(path, { write, recorded: write });
    else {
      const current = readDocument(at.rootOf(path), path, at.disk);
      if ((current ?? null) === write.content) continue;
      const before = current === undefined ? null : sha256(current);
      const recorded = asEdit(write, current, onRecord) ?? { path, before, content: write.content };
      byPath.set(path, { write, recorded });
    }
  }
  const due = [...byPath.values()];
  return { due: due.map(({ write }) => write), recorded: due.map(({ recorded }) => recorded) };
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
  if (before === undefined || current === undefined || sha256(current) !== before) return null;
  return textEdit({ path, before, content }, current);
}

/** The change to a text that records hold; null where the whole is no longer. */
export function textEdit({ path, before, content }: WholeText, text: string | undefined): RecordedEdit | null {
  if (before === null || text === undefined || content === null) return null;
  const edit = editBetween(text, content);
  const isShorter = edit.inserted.length + editCharsUsual < content.length;
  return isShorter ? { path, before, after: sha256(content), edit } : null;
}

type WholeText = Extract<RecordedText, { content: unknown }>;

/** Everything that a record holds of files: first what was found there, then what it writes. */
export function recordedIn(record: JournalRecord): readonly RecordedWrite[] {
  const texts = 'texts' in record ? (record.texts ?? []) : [];
  return 'writes' in record ? [...texts, ...(record.writes ?? [])] : texts;
}

export function noteRecorded(onRecord: TextsOnRecord, writes: readonly RecordedWrite[]): void {
  for (const write of writes) {
    if ('edit' in write) onRecord.set(write.path, write.after);
    else if ('moveTo' in write) onRecord.clear();
    else if (write.content === null || write.content.length < editCharsUsual) onRecord.delete(write.path);
    else onRecord.set(write.path, sha256(write.content));
  }
}

export function applyDue(at: Workspace, writes: readonly Write[]): void {
  const contents = writes.filter((write) => 'content' in write);
  for (const [root, own] of byRoot(at.rootOf, contents)) applyWrites(root, own, at.disk);
  for (const write of writes) {
    if (!('moveTo' in write) || !at.disk.exists(pathIn(at, write.path))) continue;
    const target = pathIn(at, write.moveTo);
    at.disk.mkdir(dirname(target));
    at.disk.rename(pathIn(at, write.path), target);
  }
}

/** W3. What a recorded write leaves, whatever the file holds now. */
export function wholeWrite(write: RecordedWrite, records: readonly JournalRecord[]): Write {
  if (!('edit' in write)) return write;
  const { path } = write;
  const edits = [write];
  for (const record of records.toReversed()) {
    const earlier = recordedIn(record).find((each) => each.path === path);
    const wanted = edits[0]?.before;
    if (!earlier || 'moveTo' in earlier) continue;
    if ('edit' in earlier) {
      if (earlier.after === wanted) edits.unshift(earlier);
    } else if (earlier.content !== null && sha256(earlier.content) === wanted) {
      return { path, content: edits.reduce((text, { edit }) => applyEdit(text, edit), earlier.content) };
    }
  }
  throw new Error(`the journal does not hold what ${path} was made from`);
}

/**
 * Writes that a crash prevented, and those whose file somebody changed (W2); of several to one path the last.
 * With `records`, a power loss may also have undone some (W4).
 */
export function examineWrites(
  at: Workspace,
  writes: readonly RecordedWrite[],
  records?: readonly JournalRecord[],
): { readonly missing: readonly RecordedWrite[]; readonly contested: readonly RecordedWrite[] } {
  const last = [...new Map(writes.map((write) => [write.path, write])).values()];
  const remaining = last.filter((write) => !isMade(at, write, last));
  const missing = remaining.filter((write) => 'moveTo' in write || mayBeLost(write, bytesAt(at, write.path)));
  return { missing, contested: remaining.filter((write) => !missing.includes(write)) };

  /** The file is as it was before, or W4. */
  function mayBeLost({ path, before }: Exclude<RecordedWrite, { moveTo: string }>, found: Buffer | null): boolean {
    if (digestOf(found) === before) return true;
    const versions = records ? writes.filter((write) => write.path === path) : [];
    return versions.some((version, index) => {
      if (index === 0 && 'before' in version && digestOf(found) === version.before) return true;
      const whole = wholeWrite(version, records ?? []);
      if (!('content' in whole)) return false;
      if (found === null || whole.content === null) return found === whole.content;
      return found.equals(Buffer.from(whole.content).subarray(0, found.length));
    });
  }
}

function isMade(at: Workspace, write: RecordedWrite, all: readonly RecordedWrite[]): boolean {
  const isThere = (path: string): boolean => at.disk.exists(pathIn(at, path));
  if ('moveTo' in write) {
    // A folder that is at both places was moved, and somebody made another one since.
    return listFiles(at.rootOf(write.moveTo), write.moveTo, at.disk).length > 0 || !isThere(write.path);
  }
  // A folder that was moved takes its files along: their writes were made before.
  if (all.some((other) => 'moveTo' in other && write.path.startsWith(`${other.path}/`) && !isThere(other.path)))
    return true;
  return digestOf(bytesAt(at, write.path)) === ('edit' in write ? write.after : digestOf(write.content));
}

function digestOf(content: string | Buffer | null): string | null {
  return content === null ? null : sha256(content);
}

/** Null when there is no file. */
export function bytesAt(at: Workspace, path: string): Buffer | null {
  const file = documentPlace(at.rootOf(path), path, at.disk);
  try {
    return at.disk.readFile(file);
  } catch (error) {
    if (isMissing(error)) return null;
    throw new FileProblem('read', file, error);
  }
}

function pathIn({ rootOf, disk }: Workspace, path: string): string {
  return resolveInside(rootOf(path), path, disk);
}

/** The one stretch in which two texts differ. */
export function editBetween(before: string, after: string): TextEdit {
  const shared = Math.min(before.length, after.length);
  const at = alike(shared, (from, to) => before.slice(from, to) === after.slice(from, to));
  const end = alike(
    shared - at,
    (from, to) =>
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  );
  return { at, removed: before.length - end - at, inserted: after.slice(at, after.length - end) };
}

const blockChars = 4_096;

/** How far two texts are alike; block by block, for comparing strings is much faster than comparing characters. */
function alike(length: number, isAlike: (from: number, to: number) => boolean): number {
  let found = 0;
  for (let step = blockChars; step >= 1; step = Math.floor(step / 2)) {
    while (found + step <= length && isAlike(found, found + step)) found += step;
  }
  return found;
}

export function applyEdit(text: string, { at, removed, inserted }: TextEdit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed);
}
