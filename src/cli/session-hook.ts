/**
 * `hook session-start`: what a coding agent should know of the work in this repository when its session begins.
 *
 * K1. It never fails and says nothing of what is wrong: a session begins whatever the state of the repository.
 * K2. The repository's files are hostile input: it starts no program, follows no link out and reads a limited amount.
 * K3. It does not wait for a caller that leaves its input open.
 */

import { realpathSync } from 'node:fs';
import { nodeDisk } from '../disk/node-disk.ts';
import type { Disk } from '../disk/disk.ts';
import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { isRecord } from '../schema/values.ts';
import type { SessionPlace, WorkflowSurface } from '../workflows/surface.ts';
import type { FileView } from '../workflows/workflow.ts';
import { orElse } from '../workspace/files.ts';
import { findRepository, mainWorkTree } from '../workspace/git.ts';
import { resolveInside } from '../workspace/safe-paths.ts';
import type { CommandFunction } from './context.ts';
import { screenOf } from './show/screen.ts';
import { jsonText, plainText } from './show/text.ts';

const contextCharsMax = 600;
const eventBytesMax = 64 * 1024;
const eventWaitMs = 40;
const fileBytesMax = 256 * 1024;
const readBytesMax = 4 * 1024 ** 2;
const entriesMax = 20_000;

export const sessionStart: CommandFunction = async ({ flags }, { workflows }) => {
  // An agent that Pawl started has its task; what a person would do next is none of its business.
  if (process.env[dispatchMarker] !== undefined) return 0;
  const context = await sessionContext(process.cwd(), workflows.bundled);
  if (context === null) return 0;
  const format = flags['json'] ? 'json' : flags['format'];
  const isJson = format === 'json' || (format !== 'text' && isSessionStart(await eventOn(process.stdin)));
  screenOf(process.stdout).write(`${isJson ? jsonText(hookOutput(context)) : context}\n`);
  return 0;
};

/** Null where there is nothing to say. */
export async function sessionContext(folder: string, surfaces: readonly WorkflowSurface[]): Promise<string | null> {
  const place = orElse(null, () => placeOf(folder));
  if (place === null) return null;
  const texts: string[] = [];
  for (const surface of surfaces) {
    // K1: the files of one workflow do not silence another.
    const said = await surface.sessionContext?.().then(
      (contextOf) => orElse(null, () => contextOf(place)),
      () => null,
    );
    if (said) texts.push(plainText(said));
  }
  const text = texts.filter((each) => each !== '').join('\n');
  return text === '' ? null : shortened(text);
}

function shortened(text: string): string {
  if (text.length <= contextCharsMax) return text;
  // Not between the halves of a character.
  return `${text.slice(0, contextCharsMax - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

function placeOf(folder: string): SessionPlace {
  const main = realpathSync(mainWorkTree(findRepository(folder)));
  const disk = limitedDisk();
  const files = workspaceFiles(main, disk);
  return { files: readableOf(files), main, cwd: realpathSync(folder), modifiedMs: (path) => modifiedMs(main, path) };
}

/** A file that cannot be read is one that says nothing. */
function readableOf(files: FileView): FileView {
  return {
    read: (path) => orElse(undefined, () => files.read(path)),
    exists: (path) => orElse(false, () => files.exists(path)),
    list: (folder, depth) => orElse([], () => files.list(folder, depth)),
  };
}

function modifiedMs(main: string, path: string): number | undefined {
  return orElse(undefined, () => nodeDisk.entry(resolveInside(main, path))?.mtimeMs);
}

/** K2. */
function limitedDisk(): Disk {
  let bytesLeft = readBytesMax;
  let entriesLeft = entriesMax;
  return {
    ...nodeDisk,
    readFile: (path) => {
      const bytes = nodeDisk.readFile(path, Math.min(fileBytesMax, bytesLeft));
      bytesLeft -= bytes.length;
      return bytes;
    },
    list: (folder) => {
      const entries = nodeDisk.list(folder).slice(0, entriesLeft);
      entriesLeft -= entries.length;
      return entries;
    },
  };
}

/** K3. What the caller has written by now: coding agents write the event as soon as they start the hook. */
export function eventOn(
  input: NodeJS.ReadableStream & { destroy(): unknown; readonly isTTY?: boolean },
): Promise<unknown> {
  if (input.isTTY) return Promise.resolve(null);
  return new Promise((resolve) => {
    let text = '';
    const end = (): void => {
      clearTimeout(timer);
      input.destroy();
      resolve(orElse(null, (): unknown => JSON.parse(text)));
    };
    // On a busy machine the time may be over before anything was read: what is there by then still counts.
    const timer = setTimeout(() => setImmediate(end), eventWaitMs);
    input.setEncoding('utf8').on('error', end).on('end', end);
    input.on('data', (piece) => {
      text += String(piece);
      if (text.length > eventBytesMax || isSessionStart(orElse(null, (): unknown => JSON.parse(text)))) end();
    });
  });
}

function isSessionStart(event: unknown): boolean {
  return isRecord(event) && event['hook_event_name'] === 'SessionStart';
}

function hookOutput(additionalContext: string) {
  return { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext } };
}
