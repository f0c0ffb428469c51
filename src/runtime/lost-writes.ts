/**
 * Which recorded writes a power loss undid.
 *
 * O1. A file that was not synced comes back as one of its earlier versions, or cut short: neither is anybody's edit.
 * O2. Everything else that is not what the last write left was changed by somebody (see W2).
 */

import type { JournalRecord, RecordedWrite } from '../store/record.ts';
import { sha256 } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import { bytesAt, examineWrites, wholeWrite, type Unfinished, type Workspace } from './recorded-writes.ts';

/** Of several writes to one path, the last is the one that is missing or contested. */
export function examineLost(
  workspace: Workspace,
  unsynced: readonly RecordedWrite[],
  records: readonly JournalRecord[],
): Unfinished {
  const { disk, root } = workspace;
  const last = [...new Map(unsynced.map((write) => [write.path, write])).values()];
  const { missing, contested } = examineWrites(workspace, last);
  const isLost = (write: RecordedWrite): boolean => {
    const found = bytesAt(disk, resolveInside(root, write.path, disk));
    return versionsOf(write.path, unsynced, records).some((version) => mayComeBack(found, version));
  };
  const lost = new Set(contested.filter(isLost));
  return {
    missing: last.filter((write) => missing.includes(write) || lost.has(write)),
    contested: contested.filter((write) => !lost.has(write)),
  };
}

/** The digest of what was there before, or the content of one of the writes. */
type Version = { readonly digest: string } | { readonly content: Buffer | null };

function versionsOf(
  path: string,
  unsynced: readonly RecordedWrite[],
  records: readonly JournalRecord[],
): readonly Version[] {
  const writes = unsynced.filter((write) => write.path === path);
  const [first] = writes;
  const before = first && 'before' in first ? first.before : null;
  return [
    before === null ? { content: null } : { digest: before },
    ...writes.flatMap((write) => {
      const whole = wholeWrite(write, records);
      return 'content' in whole ? [{ content: whole.content === null ? null : Buffer.from(whole.content) }] : [];
    }),
  ];
}

/** O1. */
function mayComeBack(found: Buffer | null, version: Version): boolean {
  if ('digest' in version) return found !== null && sha256(found) === version.digest;
  if (found === null || version.content === null) return found === version.content;
  return found.equals(version.content.subarray(0, found.length));
}
