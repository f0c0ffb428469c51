/** Reading many folders and small files, as cheaply as Node can. */

import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs';
import { isMissing } from '../workspace/entry.ts';
import { FileProblem } from '../workspace/files.ts';

/** Names in a folder, sorted; none when there is no such folder. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch (error) {
    if (isMissing(error)) return [];
    throw new FileProblem('list', folder, error);
  }
}

const bytesMax = 64 * 1024;
const buffer = Buffer.allocUnsafeSlow(bytesMax);
/** A pipe in a file's place must not make anybody wait. */
const flags = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * The beginning of a file, one character a byte.
 * `whole` tells whether it is all of it; undefined when there is no file.
 */
export function quickText(path: string): { readonly text: string; readonly whole: boolean } | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, flags);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const bytes = readSync(descriptor, buffer, 0, bytesMax, 0);
    return { text: buffer.toString('latin1', 0, bytes), whole: bytes < bytesMax };
  } finally {
    closeSync(descriptor);
  }
}

/** The same text on its own: a slice of a file's text keeps all of it in memory, ten thousand of them slow everything down. */
export function detached(text: string): string {
  return buffer.toString('latin1', 0, buffer.write(text, 'latin1'));
}
