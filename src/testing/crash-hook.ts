/**
 * Kills the process that loads it, for real, at a chosen instant of its life.
 *
 * Loaded with `node --import`. It counts the instants at which durable things happen, as seen from outside:
 * a journal record (write and sync), a rename, a process spawn, each right before and right after.
 * PAWL_CRASH_AT=<n> sends SIGKILL at the nth; PAWL_CRASH_LOG=<file> lists them instead.
 */

import childProcess from 'node:child_process';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const target = Number(process.env['PAWL_CRASH_AT'] ?? 0);
const log = process.env['PAWL_CRASH_LOG'];
let instants = 0;
// Children are not to be killed: the variables end here.
delete process.env['PAWL_CRASH_AT'];
delete process.env['PAWL_CRASH_LOG'];
delete process.env['NODE_OPTIONS'];

const { appendFileSync } = fs;

function instant(kind: string, detail: string): void {
  instants += 1;
  if (log !== undefined) appendFileSync(log, `${instants} ${kind} ${detail}\n`);
  if (instants === target) process.kill(process.pid, 'SIGKILL');
}

function around<F extends (...args: never[]) => unknown>(
  kind: string,
  original: F,
  detailOf: (...args: Parameters<F>) => string,
): F {
  const wrapped = (...args: Parameters<F>): unknown => {
    const detail = detailOf(...args);
    instant(`before-${kind}`, detail);
    const result = original(...args);
    instant(`after-${kind}`, detail);
    return result;
  };
  return wrapped as F;
}

/** A record is one write and one sync: before the first, torn in the middle, after the second. */
const { writeSync, fdatasyncSync } = fs;
fs.writeSync = ((descriptor: number, data: string, ...rest: []) => {
  const type = /^\{"seq":.*?"type":"([^"]*)"/.exec(data)?.[1];
  if (type !== undefined) {
    instant('before-record', type);
    if (instants + 1 === target) writeSync(descriptor, data.slice(0, data.length / 2));
    instant('torn-record', type);
  }
  return writeSync(descriptor, data, ...rest);
}) as typeof fs.writeSync;
fs.fdatasyncSync = (descriptor: number) => {
  fdatasyncSync(descriptor);
  instant('after-record', '');
};
fs.renameSync = around('rename', fs.renameSync, (_from, to) => String(to).split('/').slice(-2).join('/'));
type Start = (command: string) => unknown;
const nameOf = (command: string): string => command.split('/').at(-1) ?? '';
childProcess.spawn = around('spawn', childProcess.spawn as Start, nameOf) as typeof childProcess.spawn;
childProcess.execFile = around('spawn', childProcess.execFile as Start, nameOf) as typeof childProcess.execFile;
syncBuiltinESMExports();
