/** How a person who saw the demo calls this very Pawl from a shell. */

import { realpathSync, statSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';

/** The line that makes `pawl` work in a shell; null when it already does. */
export function aliasOfPawl(program: string, searchPath = process.env['PATH'] ?? ''): string | null {
  const script = realpathSync(program);
  if (findProgram('pawl', searchPath) === script) return null;
  const node = findProgram('node', searchPath) === realpathSync(process.execPath) ? 'node' : process.execPath;
  return `alias pawl=${shellWord(`${shellWord(node)} ${shellWord(script)}`)}`;
}

/** The real file behind a command. Folders that npm and npx add for the time of one command do not count. */
function findProgram(name: string, searchPath: string): string | undefined {
  const passing = join('node_modules', '.bin');
  for (const folder of searchPath.split(delimiter)) {
    if (folder === '' || folder.endsWith(`${sep}${passing}`)) continue;
    const file = join(folder, name);
    if (statSync(file, { throwIfNoEntry: false })?.isFile()) return realpathSync(file);
  }
  return undefined;
}

/** A text as a shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
