import type { Given } from './options.ts';

/** Whether a person sits at the terminal and may be asked. */
export function isAttended({ flags }: Given): boolean {
  return !flags['json'] && !flags['no-input'] && process.stdin.isTTY && process.stderr.isTTY;
}
