/**
 * Opening files that an agent or a repository may have put there.
 *
 * N1. No open waits: neither for the other end of a FIFO, nor for a device.
 * N2. Only files and folders are opened; the open file is looked at, because a path may mean another one a moment later.
 * N3. Nothing is read beyond a limit: what a file says of its size may be untrue, or no longer true.
 */

import fs, { constants } from 'node:fs';
import { failure } from './disk-error.ts';
import type { OpenFlags } from './disk.ts';

/** Of any file; journals are the longest. */
export const fileBytesMax = 256 * 1024 ** 2;
const pieceBytes = 64 * 1024;

const { O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const openFlags: Readonly<Record<OpenFlags, number>> = {
  r: O_RDONLY,
  a: O_WRONLY | O_APPEND | O_CREAT,
  'a+': O_RDWR | O_APPEND | O_CREAT,
  w: O_WRONLY | O_TRUNC | O_CREAT,
  wx: O_WRONLY | O_TRUNC | O_CREAT | O_EXCL,
};

/** N1, N2. */
export function openRegular(path: string, flags: OpenFlags, mode?: number): number {
  const descriptor = fs.openSync(path, openFlags[flags] | O_NONBLOCK, mode);
  const found = fs.fstatSync(descriptor);
  if (found.isFile() || found.isDirectory()) return descriptor;
  fs.closeSync(descriptor);
  throw failure('EFTYPE', 'open', path);
}

/** N1 to N3. */
export function readRegular(path: string | Buffer, bytesMax = fileBytesMax): Buffer {
  const descriptor = fs.openSync(path, O_RDONLY | O_NONBLOCK);
  try {
    const found = fs.fstatSync(descriptor);
    if (found.isDirectory()) throw failure('EISDIR', 'read', String(path));
    if (!found.isFile()) throw failure('EFTYPE', 'read', String(path));
    if (found.size > bytesMax) throw failure('EFBIG', 'read', String(path));
    return readAll(descriptor, found.size, () => failure('EFBIG', 'read', String(path)), bytesMax);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** One byte more than expected tells whether that was all. */
function readAll(descriptor: number, expected: number, tooLong: () => Error, bytesMax: number): Buffer {
  const first = Buffer.allocUnsafeSlow(expected + 1);
  let got = fs.readSync(descriptor, first);
  if (got < first.length) return first.subarray(0, got);
  const pieces = [first];
  for (let bytes = got; got > 0; bytes += got) {
    if (bytes > bytesMax) throw tooLong();
    const piece = Buffer.allocUnsafeSlow(pieceBytes);
    got = fs.readSync(descriptor, piece);
    pieces.push(piece.subarray(0, got));
  }
  return Buffer.concat(pieces);
}
