/** Programs of ours that run in the place of an agent: what they are handed, and the events they print as lines of JSON. */

import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { readDocument, withoutLines } from '../documents/read-document.ts';
import { check, type Schema } from '../schema/schema.ts';
import { agentEvent, AgentUnavailable, type AgentError, type AgentEvent } from './agent.ts';
import type { DispatchRequest, Launch } from './agent.ts';
import { dispatchFile } from './agent-options.ts';
import { jsonLine } from './json-line.ts';

/** `program` is the path of its JavaScript file; what it is told is in a JSON file of the dispatch, its only argument. */
export function launchOwn(
  request: DispatchRequest,
  program: string,
  handover: object,
  { env, needs = {} }: Pick<Launch, 'env' | 'needs'>,
): Launch {
  const args = [program, dispatchFile(request, 'handover.json', handover)];
  const own = { ...needs, read: [dirname(program), ...(needs.read ?? [])] };
  return { command: process.execPath, args, env, stdin: request.prompt, output: eventLines(), needs: own };
}

/** Throws AgentUnavailable. */
export function requireProgram(program: string, what: string): void {
  if (existsSync(program)) return;
  throw new AgentUnavailable(`${what} is missing: there is no ${program}; install Pawl again`);
}

/** The program's side of `launchOwn`. */
export function readHandover<T>(schema: Schema<T>): T {
  const file = process.argv[2] ?? '';
  return readDocument(schema, JSON.parse(readFileSync(file, 'utf8')), withoutLines(file));
}

const stdout = 1;

export function emit(event: AgentEvent): void {
  writeFileSync(stdout, `${JSON.stringify(event)}\n`);
}

export function finish(error: AgentError | null): void {
  emit({ type: 'finished', error });
  process.exitCode = error === null ? 0 : 1;
}

/** A path inside a folder, links followed as far as it exists; null where it leads outside. */
export function relativeInside(folder: string, path: string): string | null {
  const root = realpathSync(folder);
  const target = resolve(root, path);
  let existing = target;
  while (!existsSync(existing)) existing = dirname(existing);
  const inside = relative(root, resolve(realpathSync(existing), relative(existing, target)));
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? null : inside;
}

export function variable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`the environment variable ${name} is missing`);
  return value;
}

export function eventLines(): Launch['output'] {
  return {
    line: (text) => {
      const read = check(agentEvent, jsonLine(text), { unknownKeys: 'ignored' });
      return 'mistakes' in read ? [] : [read.value];
    },
  };
}
