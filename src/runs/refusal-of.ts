/** Errors that name themselves with a code are states of affairs, not defects: they become refusals. */

import type { Refusal } from './refusal.ts';
import { refusal } from './refusal.ts';
import { FileProblem } from '../workspace/files.ts';

/** What `work` gives, or why it was not done. Defects are thrown on. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    const refused = refusalOf(error);
    if (refused) return refused;
    throw error;
  }
}

/** Undefined for a defect. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof FileProblem) return fileRefusal(error);
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined;
  // Node's own codes mean that Pawl called something wrongly.
  if (error.code.startsWith('ERR_')) return undefined;
  if (isSystemError(error)) return systemRefusal(error);
  return refusal(error.code, error.message, {
    outcome: outcomes[error.code] ?? 'failed',
    ...('file' in error && typeof error.file === 'string' && { target: error.file }),
    ...('fix' in error && typeof error.fix === 'string' && { fix: error.fix }),
  });
}

const outcomes: Readonly<Record<string, Refusal['outcome']>> = {
  RunLocked: 'locked',
  AgentUnavailable: 'unavailable',
  InvalidDocument: 'usage',
  NotARepository: 'usage',
  BareRepository: 'usage',
  UnsafePath: 'usage',
  WorkflowNotFound: 'usage',
  UnknownState: 'not_ready',
  LeaseLost: 'temporary',
};

/** What stands in a file's place and cannot be read as one is wrong input; everything else is the machine's refusal. */
function fileRefusal({ doing, code, path, message }: FileProblem): Refusal {
  const isInput = doing === 'read' && !machineRefusals.has(code);
  return refusal(isInput ? 'UnreadableFile' : code, message, { outcome: isInput ? 'usage' : 'failed', target: path });
}

const machineRefusals = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);

type SystemError = Error & { readonly code: string; readonly syscall: string; readonly path?: string };

function isSystemError(error: Error): error is SystemError {
  return 'syscall' in error && 'code' in error && typeof error.code === 'string';
}

/** The operating system refused something that no better error was made of. */
function systemRefusal(error: SystemError): Refusal {
  if (error.syscall === 'uv_cwd') {
    const fix = "change to the project's folder";
    return refusal('NotARepository', 'the current folder does not exist any more', { fix });
  }
  const { code, path = null } = error;
  const { message } = new FileProblem('use', path ?? 'a file', error);
  return refusal(code, message, { outcome: 'failed', target: path });
}
