/** A mistake of the caller or a state of affairs that ends a command: what is wrong, where, and what to do. */

import { isRefusal, type Refusal } from '../runs/refusal.ts';
import { FileProblem } from '../workspace/files.ts';
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

export function refused({ code, message, fix, target, outcome }: Refusal): Problem {
  return new Problem(code, message, {
    exitCode: exitCodes[outcome],
    ...(fix !== null && { fix }),
    ...(target !== null && { target }),
  });
}

/** What was asked for; a refusal ends the command. */
export function accepted<T>(value: T | Refusal): T {
  if (isRefusal(value)) throw refused(value);
  return value;
}

/** Errors that name themselves with a code become problems; anything else is a defect and is shown as one. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof FileProblem) return fileProblem(error);
  if (isSystemError(error)) return systemProblem(error);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') {
    const exitCode = exitCodeOf(error.code);
    const target = 'file' in error && typeof error.file === 'string' ? { target: error.file } : {};
    const fix = 'fix' in error && typeof error.fix === 'string' ? { fix: error.fix } : {};
    return new Problem(error.code, error.message, { exitCode, ...target, ...fix, cause: error });
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Problem('internal', `this should not happen: ${message}`, { exitCode: exitCodes.failed, cause: error });
}

/** What stands in a file's place and cannot be read as one is wrong input; everything else is the machine's refusal. */
function fileProblem(error: FileProblem): Problem {
  const isInput = error.doing === 'read' && !machineRefusals.has(error.code);
  const exitCode = isInput ? exitCodes.usage : exitCodes.failed;
  return new Problem(isInput ? 'unreadable' : error.code, error.message, {
    exitCode,
    target: error.path,
    cause: error,
  });
}

const machineRefusals = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);

type SystemError = Error & { readonly code: string; readonly syscall: string; readonly path?: string };

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** The operating system refused something that no better error was made of. */
function systemProblem(error: SystemError): Problem {
  if (error.syscall === 'uv_cwd') {
    return new Problem('not_a_repository', 'the current folder does not exist any more', {
      fix: "change to the project's folder",
      cause: error,
    });
  }
  const { path } = error;
  const { message } = new FileProblem('use', path ?? 'a file', error);
  const target = path === undefined ? {} : { target: path };
  return new Problem(error.code, message, { exitCode: exitCodes.failed, ...target, cause: error });
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
    case 'unknown_state':
      return exitCodes.not_ready;
    case 'lease_lost':
      return exitCodes.temporary;
    default:
      return exitCodes.failed;
  }
}
