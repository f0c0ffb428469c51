/**
 * The files that an agent's program consists of, as far as its command names them, and what is in them.
 *
 * P1. They stay the same for a whole command: a program that was replaced meanwhile is not started.
 * P2. Between commands vendors update their programs: a difference is told, and every dispatch records what it used.
 */

import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AgentUnavailable, type Agent } from '../agents/agent.ts';
import { programPath } from '../agents/program.ts';
import { orElse } from '../disk/disk-error.ts';
import { readRegular } from '../disk/regular-file.ts';
import type { ProgramFile } from '../store/record.ts';
import type { Run } from './run.ts';

/** Throws AgentUnavailable where P1 does not hold. */
export function pinProgram(run: Run, { name, program = [] }: Agent): void {
  const files = filesOf(program, run.workspace);
  const pinned = run.programs.get(name);
  const changed = differenceOf(pinned ?? lastUsed(run, name) ?? files, files);
  if (!pinned) run.programs.set(name, files);
  if (changed === '') return;
  if (!pinned) return run.tell('warning', `the program of ${name} is not the one this run used before: ${changed}`);
  throw new AgentUnavailable(
    `the program of ${name} was replaced while this command runs: ${changed}; if this was an update, run the command again`,
  );
}

/** P2. */
export function programOnRecord({ programs }: Run, agent: string): { readonly program?: readonly ProgramFile[] } {
  const program = programs.get(agent) ?? [];
  return program.length > 0 ? { program } : {};
}

function lastUsed({ records }: Run, agent: string): readonly ProgramFile[] | undefined {
  for (const record of records.toReversed()) {
    if (record.type !== 'dispatch.started') continue;
    const used = [record, record.beside].find((each) => each?.agent === agent && each.program !== undefined);
    if (used) return used.program;
  }
  return undefined;
}

/** Empty where both are the same. */
function differenceOf(before: readonly ProgramFile[], now: readonly ProgramFile[]): string {
  const lines = (files: readonly ProgramFile[]) => files.map(({ path, digest }) => `${path} (${digest.slice(0, 19)}…)`);
  const [was, is] = [lines(before).join(', '), lines(now).join(', ')];
  const isSame = before.length === now.length && before.every(({ digest }, at) => digest === now[at]?.digest);
  return isSame && was === is ? '' : `${was} before, ${is || 'nothing'} now`;
}

/** The program itself, and whatever else of its command is a file: an interpreter's script. */
function filesOf(command: readonly string[], workspace: string): readonly ProgramFile[] {
  const [program = '', ...words] = command;
  const first = programPath(program.includes('/') ? resolve(workspace, program) : program, process.env['PATH']);
  const others = words.filter((word) => word.includes('/')).map((word) => programPath(resolve(workspace, word)));
  return [first, ...others].flatMap((path) => (path === null ? [] : orElse([], () => [fileAt(path)])));
}

/** A larger one is known by its stamp: reading it would delay every command. */
const hashedBytesMax = 32 * 1024 ** 2;

const digests = new Map<string, string>();

/** Hashed once for each state of the file: a write changes its ctime, which nobody but root can set. */
function fileAt(path: string): ProgramFile {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  const stamp = [dev, ino, size, mtimeNs, ctimeNs].join('-');
  const key = `${path}\n${stamp}`;
  const digest =
    digests.get(key) ??
    (size > hashedBytesMax
      ? `stamp:${createHash('sha256').update(stamp).digest('hex')}`
      : `sha256:${createHash('sha256').update(readRegular(path, hashedBytesMax)).digest('hex')}`);
  digests.set(key, digest);
  return { path, digest };
}
