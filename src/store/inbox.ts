/**
 * Words from outside to the process that works on a run: answers, and requests to pause or cancel.
 *
 * B1. A message appears whole and once (exclusive link); the owner of the run takes it out and journals it.
 */

import { join } from 'node:path';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { table, withDefault } from '../schema/compound.ts';
import { check, leaf } from '../schema/schema.ts';
import { oneOf, verbatim } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import { createExclusively, removeIfThere } from './lease.ts';
import type { Message, MessageOf } from './run-store.ts';

export function post(runFolder: string, message: Message, disk: Disk): boolean {
  disk.mkdir(inboxOf(runFolder));
  return createExclusively(disk, fileOf(runFolder, message), JSON.stringify(message));
}

export function take<K extends Message['kind']>(runFolder: string, kind: K, disk: Disk): MessageOf<K> | undefined {
  const isWanted = (message: Message | undefined): message is MessageOf<K> => message?.kind === kind;
  for (const file of filesOf(disk, runFolder, kind)) {
    const message = parseMessage(disk.readFile(file).toString());
    removeIfThere(disk, file);
    if (isWanted(message)) return message;
  }
  return undefined;
}

export function withdraw(runFolder: string, message: Message, disk: Disk): boolean {
  return orElse(false, () => {
    disk.unlink(fileOf(runFolder, message));
    return true;
  });
}

export function drop(runFolder: string, kind: Message['kind'] | undefined, disk: Disk): void {
  for (const file of filesOf(disk, runFolder, kind)) removeIfThere(disk, file);
}

function filesOf(disk: Disk, runFolder: string, kind = ''): string[] {
  const folder = inboxOf(runFolder);
  const names = orElse([], () => disk.names(folder)).filter((name) => name.startsWith(kind) && name.endsWith('.json'));
  return names.toSorted().map((name) => join(folder, name));
}

function fileOf(runFolder: string, message: Message): string {
  const name = message.kind === 'answer' ? `answer-${message.decision}` : message.kind;
  return join(inboxOf(runFolder), `${name}.json`);
}

function inboxOf(runFolder: string): string {
  return join(runFolder, 'inbox');
}

/** Anybody may put a file there: what is no message is none, and stops nobody. */
function parseMessage(text: string): Message | undefined {
  const value = orElse(null, (): unknown => JSON.parse(text));
  const read = check<Message>(isRecord(value) && value['kind'] === 'answer' ? answer : request, value);
  return 'value' in read ? read.value : undefined;
}

const request = table({ kind: oneOf(['pause', 'cancel']) }, { unknownKeys: 'ignored' });
const textOrNull = leaf('a text or null', (value) => (typeof value === 'string' || value === null ? value : undefined));
const answer = table(
  { kind: oneOf(['answer']), decision: verbatim(), answer: textOrNull, by: withDefault(verbatim(), 'unknown') },
  { unknownKeys: 'ignored' },
);
