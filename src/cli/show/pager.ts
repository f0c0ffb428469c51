/**
 * Long output goes through the user's pager, on a terminal only.
 *
 * P1. The program is started without a shell, from folders of the PATH outside of the repository.
 * P2. It gets the text as the terminal would: nothing in it steers.
 * P3. Where it cannot be started, the text is printed.
 */

import { spawnSync } from 'node:child_process';
import { isAbsolute } from 'node:path';
import { leaveRepositoryPrograms } from '../agents.ts';
import { screenSafe, widthOf } from './text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Shows it in the pager; false where the text fits, or there is no pager or no terminal. */
export function runsPager(text: string): boolean {
  const { isTTY, columns, rows } = process.stdout;
  if (!isTTY || process.env['TERM'] === 'dumb' || fits(text, { columns, rows })) return false;
  const [program, ...args] = pagerIn(process.env);
  if (program === undefined) return false;
  leaveRepositoryPrograms();
  // Of less: colours, no second screen; and no commands, which a shell would run.
  const env = { LESS: 'FRX', LV: '-c', ...process.env, LESSSECURE: '1' };
  // Ctrl-C is the pager's; a signal that came meanwhile is heard after it, so nobody stops listening at once.
  const ignore = (): void => {};
  process.on('SIGINT', ignore);
  const { error } = spawnSync(program, args, {
    input: `${screenSafe(text)}\n`,
    stdio: ['pipe', 'inherit', 'inherit'],
    env,
  });
  setImmediate(() => process.off('SIGINT', ignore));
  return error === undefined || codeOf(error) === 'EPIPE';
}

/** The words of its command; none for no pager. */
export function pagerIn(env: Environment): readonly string[] {
  const command = env['PAWL_PAGER'] ?? env['PAGER'] ?? 'less -FRX';
  const words = command.split(/\s+/).filter((word) => word !== '');
  const [program = ''] = words;
  const isElsewhere = program.includes('/') && !isAbsolute(program);
  return program === 'cat' || isElsewhere ? [] : words;
}

function codeOf(error: Error): unknown {
  return 'code' in error ? error.code : null;
}

function fits(text: string, { columns, rows }: { readonly columns: number; readonly rows: number }): boolean {
  const lines = text.split('\n');
  if (lines.length >= rows) return false;
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(widthOf(line) / columns)), 0) < rows;
}
