/**
 * What of a run's journal may leave this computer.
 *
 * V1. It names neither the user nor a folder of this computer: those that Pawl knows stand under names of their own, a
 *     script by its name alone. The user's name is replaced where it is known to be one, for it may be a word as well.
 * V2. It is a journal like any other, with checksums of its own.
 */

import { realpathSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, sep } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import { isRecord } from '../schema/values.ts';
import { decodeJournal, encodeRecord } from '../store/record.ts';

export type Anonymize = <T>(value: T) => T;

interface Owner {
  readonly workspace: string;
  readonly commonDir: string;
  readonly home?: string;
  readonly user?: string;
}

/** V2. */
export function exportedJournal(journal: string, owner: Owner): string {
  const anonymize = anonymizer(owner);
  let sum = '';
  return decodeJournal(Buffer.from(journal), 'the journal')
    .records.map((record) => {
      const encoded = encodeRecord(anonymize(record), sum);
      ({ sum } = encoded);
      return encoded.line;
    })
    .join('');
}

/** V1. */
export function anonymizer({ workspace, commonDir, home = homedir(), user = userName() }: Owner): Anonymize {
  const folders: readonly (readonly [folder: string, name: string])[] = [
    [tmpdir(), '<tmp>'],
    [home, '~'],
    [dirname(commonDir), '<repository>'],
    [workspace, '<workspace>'],
  ];
  const places = new Map(folders.flatMap(([folder, name]) => spellings(folder).map((each) => [each, name] as const)));
  const longestFirst = [...places.keys()].toSorted((left, right) => right.length - left.length);
  const known = new RegExp(`(?<![\\w.-])(?:${longestFirst.map(escaped).join('|')})(?![\\w-]|\\.\\w)`, 'g');
  const address = new RegExp(`(?<![\\w.-])${escaped(user)}(?=@)`, 'g');
  const clean = (text: string): string =>
    text.replaceAll(known, (folder) => places.get(folder) ?? '').replaceAll(address, '<user>');
  const cleaned = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (value === user && (key === 'who' || key === 'by')) return '<user>';
      const text = clean(value);
      return key === 'script' && isAbsolute(text) ? basename(text) : text;
    }
    if (Array.isArray(value)) return value.map((each) => cleaned(each, key));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), cleaned(each, name)]));
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same shape, with other texts in it
  return <T>(value: T) => cleaned(value, '') as T;
}

/** As it is named, and as it is found; the root itself would be everywhere. */
function spellings(folder: string): readonly string[] {
  return [folder, orElse(folder, () => realpathSync(folder))].filter((each) => each.length > sep.length);
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);

const userName = (): string => orElse('unknown', () => userInfo().username);
