/** A vendor's program: where it is, which version it has, and what to do when it is missing or too old. */

import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { orElse } from '../workspace/files.ts';
import { AgentUnavailable } from './agent.ts';
import type { VersionNotes } from './version-notes.ts';

export interface ProgramSpec {
  /** The agent's name, for messages. */
  readonly agent: string;
  /** Program and arguments, as configured or by its usual name. */
  readonly command: readonly string[];
  /** The oldest version that was tried. */
  readonly atLeast: string;
  readonly install: string;
  /** The environment it is started with: nothing else is passed on. */
  readonly env: Readonly<Record<string, string>>;
  /** Versions that it printed in earlier commands; without them it is asked. */
  readonly versions?: VersionNotes;
}

const probeMsMax = 20_000;

interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

/** Programs found by this process: asking one for its version takes longer than all else around an agent call. */
const found = new Map<string, Program>();

/** Throws AgentUnavailable, with the command that helps. */
export async function findProgram(spec: ProgramSpec): Promise<Program> {
  const key = JSON.stringify([spec.command, spec.atLeast, spec.env]);
  const program = found.get(key) ?? (await probe(spec));
  found.set(key, program);
  return program;
}

async function probe(spec: ProgramSpec): Promise<Program> {
  const { agent, command, atLeast, install, env, versions } = spec;
  const [program = '', ...args] = command;
  const path = programPath(program, env['PATH']);
  const noted = path === null ? undefined : versions?.versionOf(path, [args, env]);
  const version = noted ?? (await printedVersion(spec));
  if (version.localeCompare(atLeast, 'en', { numeric: true }) < 0)
    throw new AgentUnavailable(`${agent} ${version} is too old, ${atLeast} or newer is needed; run ${install}`);
  if (noted === undefined && path !== null) versions?.keep(path, [args, env], version);
  return { command: program, args, version };
}

async function printedVersion({ agent, command, install, env }: ProgramSpec): Promise<string> {
  const [program = '', ...args] = command;
  const name = program === agent ? agent : `${agent}: ${program}`;
  const probing = promisify(execFile)(program, [...args, '--version'], { env, timeout: probeMsMax, encoding: 'utf8' });
  probing.child.stdin?.end();
  const { stdout, stderr } = await probing.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = code === 'ENOENT' ? 'is not installed' : `cannot be started (${code || String(error)})`;
    throw new AgentUnavailable(`${name} ${why}; run ${install}`);
  });
  const output = `${stdout}\n${stderr}`.trim();
  const version = /\d+\.\d+\.\d+/.exec(output)?.[0];
  if (version === undefined)
    throw new AgentUnavailable(
      `${agent}: "${program} --version" prints no version: ${output.slice(0, 80)}; run ${install}`,
    );
  return version;
}

/** The file a program is, links followed; null where there is none. */
export function programPath(program: string, path = ''): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const paths = program.includes('/') ? [program] : folders.map((folder) => join(folder, program));
  const found = paths.map((each) => orElse(null, () => realpathSync(each)));
  return found.find((each) => each !== null) ?? null;
}
