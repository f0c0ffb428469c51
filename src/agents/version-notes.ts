/**
 * Versions that agents' programs printed, kept between commands: some take a second to tell theirs.
 *
 * V1. A version counts for the very file that printed it, known by inode, size and times, with the same arguments and
 *     variables, and for a day: behind a file that stays the same, another one may have been updated.
 * V2. Variables may be secrets: only digests of them are kept.
 * V3. It is no truth: where it cannot be read or written, the program is asked.
 */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { record, table } from '../schema/compound.ts';
import { check } from '../schema/schema.ts';
import { text, whole } from '../schema/simple.ts';
import { orElse, readText, writeAtomically } from '../workspace/files.ts';

export interface VersionNotes {
  versionOf(path: string, started: unknown): string | undefined;
  keep(path: string, started: unknown, version: string): void;
}

const ageMsMax = 24 * 60 * 60 * 1000;
const notesMax = 50;

const notesSchema = record(table({ version: text(), atMs: whole(0, Number.MAX_SAFE_INTEGER) }), {
  expected: 'versions by program',
});

/** `started`: whatever else the version may depend on. */
export function versionNotes(file: string, now: () => number = Date.now): VersionNotes {
  const read = () => {
    const found = orElse(undefined, (): unknown => JSON.parse(readText(file) ?? '{}'));
    const notes = check(notesSchema, found ?? {});
    const isFresh = ({ atMs }: { readonly atMs: number }): boolean => Math.abs(now() - atMs) < ageMsMax;
    return 'mistakes' in notes ? [] : Object.entries(notes.value).filter(([, note]) => isFresh(note));
  };
  return {
    versionOf: (path, started) => {
      const key = orElse(null, () => keyOf(path, started));
      return read().find(([name]) => name === key)?.[1].version;
    },
    keep: (path, started, version) =>
      orElse(undefined, () => {
        const key = keyOf(path, started);
        const others = read().filter(([name]) => name !== key);
        const notes = [...others.slice(1 - notesMax), [key, { version, atMs: now() }]];
        writeAtomically(file, `${JSON.stringify(Object.fromEntries(notes))}\n`, { mode: 0o600 });
      }),
  };
}

/** V1, V2. */
function keyOf(path: string, started: unknown): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const stamp = [dev, ino, size, mtimeNs, ctimeNs].join('-');
  return createHash('sha256')
    .update(JSON.stringify([path, stamp, started]))
    .digest('hex');
}
