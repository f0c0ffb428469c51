/** A vendor's program: where it is, which version it has, and what to do when it is missing or too old. */

import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { AgentUnavailable } from './agent.ts';

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
}

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly version: string;
}

const probeMsMax = 20_000;

/** Throws AgentUnavailable, with the command that helps. */
export async function findProgram({ agent, command, atLeast, install, env }: ProgramSpec): Promise<Program> {
  const [program = '', ...args] = command;
  const said = await versionOf(program, [...args, '--version'], env).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const why = code === 'ENOENT' ? 'is not installed' : `cannot be started (${code || String(error)})`;
    throw new AgentUnavailable(`${agent}: ${program} ${why}. Install it: ${install}`);
  });
  const version = /\d+\.\d+\.\d+/.exec(said)?.[0];
  if (version === undefined)
    throw new AgentUnavailable(
      `${agent}: "${program} --version" does not say a version: ${said.slice(0, 80)}. Install it: ${install}`,
    );
  if (isOlder(version, atLeast))
    throw new AgentUnavailable(`${agent} ${version} is too old: ${atLeast} or newer is needed. Update it: ${install}`);
  return { command: program, args, version };
}

/** The file a program is, links followed; null where there is none. */
export function programPath(program: string, path = ''): string | null {
  const folders = path.split(delimiter).filter((folder) => folder !== '');
  const places = program.includes('/') ? [program] : folders.map((folder) => join(folder, program));
  return places.map(realPath).find((place) => place !== null) ?? null;
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

async function versionOf(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const probing = promisify(execFile)(program, args, { env, timeout: probeMsMax, encoding: 'utf8' });
  probing.child.stdin?.end();
  const { stdout, stderr } = await probing;
  return `${stdout}\n${stderr}`.trim();
}

export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((each) => each.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const [one, other] = [left?.[index] ?? 0, right?.[index] ?? 0];
    if (one !== other) return one < other;
  }
  return false;
}
