/** A mistake of the caller or a state of affairs that ends a command: what is wrong, where, and what to do. */

import { isRefusal, type Refusal } from '../runs/refusal.ts';
import { refusalOf } from '../runs/refusal-of.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { styleOf } from './show/screen.ts';
import { plainText } from './show/text.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly target: string | null;
  readonly fix: string | null;
}

export class Problem extends Error {
  readonly diagnostic: Diagnostic;
  readonly exitCode: ExitCode;

  constructor(
    code: string,
    message: string,
    options: { fix?: string | null; target?: string | null; exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.diagnostic = { severity: 'error', code, message, target: options.target ?? null, fix: options.fix ?? null };
    this.exitCode = options.exitCode ?? exitCodes.usage;
  }
}

export function refused({ code, message, fix, target, outcome }: Refusal, cause?: unknown): Problem {
  return new Problem(code, message, { exitCode: exitCodes[outcome], fix, target, cause });
}

/** What was asked for; a refusal ends the command. */
export function accepted<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw refused(value);
  return value;
}

/** A defect is shown as one. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const refusal = refusalOf(error);
  if (refusal) return refused(refusal, error);
  const message = error instanceof Error ? error.message : String(error);
  return new Problem('InternalError', `internal error: ${message}`, {
    exitCode: exitCodes.failed,
    cause: error,
  });
}

/** As a person reads it: what is wrong, where, and what to do about it. A defect brings its stack. */
export function problemText(problem: Problem, style = styleOf(process.stderr)): string {
  const { code, message, target, fix } = problem.diagnostic;
  const where = target === null || message.includes(target) ? [] : [`  in: ${target}`];
  const what = [`error: ${message}`, ...where, ...(fix === null ? [] : [`  fix: ${fix}`])];
  const stack = code === 'InternalError' ? ['  please report this:', ...stackOf(problem.cause).split('\n')] : [];
  const text = [...what.map((line) => plainText(line).replaceAll('\n', '\n  ')), ...stack].join('\n');
  return `${text.replace(/^error:/, style.red('error:')).replace(/^ {2}fix:/m, `  ${style.bold('fix:')}`)}\n`;
}

function stackOf(cause: unknown): string {
  const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return plainText(stack).replaceAll(/^/gm, '  ');
}
