/**
 * Words from outside to the process that works on a run: answers, and requests to pause or cancel.
 *
 * B1. A message appears whole and once (exclusive link); the owner of the run takes it out and journals it.
 */

import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { createExclusively, removeIfThere } from './exclusive-file.ts';
import type { Message } from './run-store.ts';

/** Leaves a message; false when one of its kind is already waiting. */
export function post(runFolder: string, message: Message, disk: Disk = nodeDisk): boolean {
  const folder = inboxOf(runFolder);
  disk.mkdir(folder);
  return createExclusively(disk, folder, fileNameOf(message), JSON.stringify(message));
}

/** Takes the first message of a kind, if there is one. */
export function take<K extends Message['kind']>(
  runFolder: string,
  kind: K,
  disk: Disk = nodeDisk,
): Extract<Message, { kind: K }> | undefined {
  for (const name of names(disk, runFolder)) {
    if (!name.startsWith(kind)) continue;
    const file = join(inboxOf(runFolder), name);
    const message = parseMessage(disk.readFile(file).toString());
    removeIfThere(disk, file);
    if (message && isOfKind(message, kind)) return message;
  }
  return undefined;
}

/** Takes a message back; false when somebody has taken it already. */
export function withdraw(runFolder: string, message: Message, disk: Disk = nodeDisk): boolean {
  try {
    disk.unlink(join(inboxOf(runFolder), fileNameOf(message)));
    return true;
  } catch {
    return false;
  }
}

/** Drops messages of a kind, or all of them. */
export function drop(runFolder: string, kind: Message['kind'] | '' = '', disk: Disk = nodeDisk): void {
  for (const name of names(disk, runFolder))
    if (name.startsWith(kind)) removeIfThere(disk, join(inboxOf(runFolder), name));
}

function isOfKind<K extends Message['kind']>(message: Message, kind: K): message is Extract<Message, { kind: K }> {
  return message.kind === kind;
}

function names(disk: Disk, runFolder: string): string[] {
  try {
    return disk
      .names(inboxOf(runFolder))
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch {
    return [];
  }
}

function fileNameOf(message: Message): string {
  return message.kind === 'answer' ? `answer-${message.decision}.json` : `${message.kind}.json`;
}

function inboxOf(runFolder: string): string {
  return join(runFolder, 'inbox');
}

function parseMessage(text: string): Message | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  if (value.kind === 'pause' || value.kind === 'cancel') return { kind: value.kind };
  if (value.kind !== 'answer' || !('decision' in value) || !('answer' in value)) return undefined;
  const by = 'by' in value && typeof value.by === 'string' ? value.by : 'unknown';
  const { decision, answer } = value;
  if (typeof decision !== 'string' || (typeof answer !== 'string' && answer !== null)) return undefined;
  return { kind: 'answer', decision, answer, by };
}

/** Anybody may put a file there: what is no message is none, and stops nobody. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
