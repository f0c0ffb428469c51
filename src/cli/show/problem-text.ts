/** A problem as a person reads it: what is wrong, where, and what to do about it. */

import type { Problem } from '../problem.ts';
import { styleOf } from './screen.ts';
import { plainText } from './text.ts';

export function problemText(problem: Problem, style = styleOf(process.stderr)): string {
  const { code, message, target, fix } = problem.diagnostic;
  const where = target === null || message.includes(target) ? [] : [`  in: ${target}`];
  const what = [`error: ${message}`, ...where, ...(fix === null ? [] : [`  fix: ${fix}`])];
  const stack = code === 'internal' ? ['  please report this:', ...stackOf(problem.cause).split('\n')] : [];
  const text = [...what.map((line) => plainText(line).replaceAll('\n', '\n  ')), ...stack].join('\n');
  return `${text.replace(/^error:/, style.red('error:')).replace(/^ {2}fix:/m, `  ${style.bold('fix:')}`)}\n`;
}

function stackOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return plainText(stack).replaceAll(/^/gm, '  ');
}
