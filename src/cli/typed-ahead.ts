/**
 * Input that waits at the terminal: typed while an agent worked, or for a question that was answered elsewhere.
 *
 * T1. None of it answers a question that was not shown yet, and none of it is left to the shell.
 */

import { closeSync, constants, openSync, readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { plainLine } from './show/text.ts';

/** Takes everything typed so far, half a line included, and returns it as one line. */
export function discardTyped(input: Readable & { readonly isTTY?: boolean }): string {
  let text = '';
  for (;;) {
    const chunk: unknown = input.read();
    if (typeof chunk !== 'string' && !Buffer.isBuffer(chunk)) break;
    text += chunk.toString();
  }
  if (input === process.stdin && process.stdin.isTTY) text += waitingAtTerminal();
  // An Enter alone is input too.
  return text === '' ? '' : plainLine(text) || 'Enter';
}

/** Without line mode for the moment, because in it the kernel keeps a line back until Enter. */
function waitingAtTerminal(): string {
  const { stdin } = process;
  let file: number | null = null;
  try {
    file = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK);
    stdin.setRawMode(true);
    return readAll(file);
  } catch {
    return '';
  } finally {
    stdin.setRawMode(false);
    if (file !== null) closeSync(file);
  }
}

function readAll(file: number): string {
  const buffer = Buffer.alloc(4096);
  let text = '';
  try {
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer))
      text += buffer.toString('utf8', 0, length);
  } catch {
    // EAGAIN: nothing more is there.
  }
  return text;
}
