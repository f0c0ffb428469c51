/** A mistake of the caller or a state of affairs that ends a command: what is wrong, where, and what to do. */

import { isRefusal, refusal, refusalOf, type Refusal } from '../runs/refusal.ts';
import { exitCodes } from '../runtime/exit-codes.ts';
import { spelled } from './program-name.ts';
import { styleOf } from './show/screen.ts';
import { plainText } from './show/text.ts';

export { exitCodes };

export interface Diagnostic extends Omit<Refusal, 'outcome' | 'fix'> {
  readonly severity: 'error' | 'warning';
  readonly fix: string | null;
}

export class Problem extends Error {
  readonly diagnostic: Diagnostic;
  readonly exitCode: ExitCode;

  constructor({ code, message: said, fix: way, target, outcome }: Refusal, cause?: unknown) {
    const message = said.trimEnd();
    const fix = spelled(way);
    super(message, { cause });
    this.diagnostic = { severity: 'error', code, message, target, fix };
    this.exitCode = exitCodes[outcome];
  }
}

export function usageError(message: string, fix: string, target: string | null = null): Problem {
  return new Problem(refusal('UsageError', message, { fix, target }));
}

/** Unwraps a result; a refusal ends the command. */
export function accepted<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw new Problem(value);
  return value;
}

const reportFix = 'report this, with the lines below, where you got Pawl from';

/** A defect becomes an internal error. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const message = `internal error: ${error instanceof Error ? error.message : String(error)}`;
  return new Problem(
    refusalOf(error) ?? refusal('InternalError', message, { outcome: 'failed', fix: reportFix }),
    error,
  );
}

/** For people: what is wrong, where, and what to do about it. A defect brings its stack. */
export function problemText(problem: Problem, style = styleOf(process.stderr)): string {
  const { code, message, target, fix } = problem.diagnostic;
  const where = target === null || message.includes(target) ? [] : [`  in: ${target}`];
  // What was to be done is done already: that is no error.
  const label = problem.exitCode === exitCodes.done ? '' : 'error: ';
  const what = [`${label}${message}`, ...where, ...(fix === null ? [] : [`  fix: ${fix}`])];
  const stack = code === 'InternalError' ? stackOf(problem.cause).split('\n') : [];
  const text = [...what.map((line) => plainText(line).replaceAll('\n', '\n  ')), ...stack].join('\n');
  return `${text.replace(/^error:/, style.red('error:')).replace(/^ {2}fix:/m, `  ${style.bold('fix:')}`)}\n`;
}

function stackOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return plainText(stack).replaceAll(/^/gm, '  ');
}

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
