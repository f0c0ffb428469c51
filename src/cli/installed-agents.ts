import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Those that are found by the name of their program. */
const programs = ['claude', 'codex', 'gemini', 'opencode', 'copilot'];

/** Agents whose programs are on the PATH; that they can be used is found out when they are. */
export function installedAgents(
  { PATH = '' }: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const folders = PATH.split(delimiter).filter((folder) => folder !== '');
  return programs.filter((program) => folders.some((folder) => existsSync(join(folder, program))));
}
