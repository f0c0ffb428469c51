/** A mistake of the caller or a state of affairs that ends a command: what is wrong, where, and what to do. */

import { exitCodes, type ExitCode } from './exit-codes.ts';

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
    options: { fix?: string; target?: string; exitCode?: ExitCode; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.diagnostic = { severity: 'error', code, message, target: options.target ?? null, fix: options.fix ?? null };
    this.exitCode = options.exitCode ?? exitCodes.usage;
  }
}

/** Errors that name themselves with a code become problems; anything else is a defect and is shown as one. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const exitCode = exitCodeOf(error.code);
    const target = 'file' in error && typeof error.file === 'string' ? { target: error.file } : {};
    return new Problem(error.code, error.message, { exitCode, ...target, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Problem('internal', `this should not happen: ${message}`, { exitCode: exitCodes.failed, cause: error });
}

function exitCodeOf(code: string): ExitCode {
  switch (code) {
    case 'locked':
      return exitCodes.locked;
    case 'agent_unavailable':
      return exitCodes.unavailable;
    case 'document':
    case 'not_a_repository':
    case 'bare_repository':
    case 'unsafe_path':
      return exitCodes.usage;
    case 'lease_lost':
      return exitCodes.temporary;
    default:
      return exitCodes.failed;
  }
}
