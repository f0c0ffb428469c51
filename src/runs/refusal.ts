/**
 * Why something was not done, as a value: every edge shows it in its own way.
 *
 * Errors that name themselves with a code are states of affairs, not defects: they become refusals.
 */

import type { Outcome } from '../engine/machine.ts';
import type { UsageProblem } from '../workflows/workflow.ts';
import { FileProblem } from '../workspace/files.ts';

export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** One command to paste, or one imperative sentence; a command in a sentence is its end. */
  readonly fix: string;
  /** The file, folder or branch it is about. */
  readonly target: string | null;
  /** What the caller makes of it: `usage` is their mistake, `locked` another process's work. */
  readonly outcome: Outcome | 'usage' | 'locked';
}

export function refusal(
  code: string,
  message: string,
  { fix, target = null, outcome = 'usage' }: Pick<Refusal, 'fix'> & Partial<Pick<Refusal, 'target' | 'outcome'>>,
): Refusal {
  return { code, message, fix, target, outcome };
}

export function notReady(code: string, message: string, fix: string): Refusal {
  return refusal(code, message, { outcome: 'not_ready', fix });
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'fix' in value && 'outcome' in value;
}

export function usageRefusal({ code, message, fix }: UsageProblem): Refusal {
  return refusal(code, message, { fix });
}

/** The result of `work`, or why it was refused. Defects are thrown on. */
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
  const code = error instanceof Error ? textIn(error, 'code') : null;
  // Node's own codes mean that Pawl called something wrongly.
  if (!(error instanceof Error) || code === null || code.startsWith('ERR_')) return undefined;
  const syscall = textIn(error, 'syscall');
  if (syscall === 'uv_cwd')
    return refusal('NotARepository', 'the current folder no longer exists', { fix: "change to the project's folder" });
  if (syscall !== null) {
    const target = textIn(error, 'path');
    const { message, fix } = new FileProblem('use', target ?? 'a file', error);
    return refusal(code, message, { outcome: 'failed', target, fix });
  }
  const fix = textIn(error, 'fix') ?? 'remove the cause, then run the same command again';
  return refusal(code, error.message, { outcome: outcomes[code] ?? 'failed', target: textIn(error, 'file'), fix });
}

function textIn(error: Error, key: string): string | null {
  const value: unknown = Reflect.get(error, key);
  return typeof value === 'string' ? value : null;
}

const outcomes: Readonly<Record<string, Refusal['outcome']>> = {
  RunLocked: 'locked',
  AgentUnavailable: 'unavailable',
  SandboxMissing: 'unavailable',
  InvalidDocument: 'usage',
  NotARepository: 'usage',
  BareRepository: 'usage',
  UnsafePath: 'usage',
  WorkflowNotFound: 'usage',
  UnknownState: 'not_ready',
  RunOnOtherBranch: 'not_ready',
  LeaseLost: 'temporary',
};

/** Something in a file's place that cannot be read as one is wrong input; everything else is the machine's refusal. */
function fileRefusal({ doing, code, path: target, message, fix }: FileProblem): Refusal {
  const isInput = doing === 'read' && !machineRefusals.has(code);
  return refusal(isInput ? 'UnreadableFile' : code, message, { outcome: isInput ? 'usage' : 'failed', target, fix });
}

const machineRefusals = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE', 'ENOMEM']);
