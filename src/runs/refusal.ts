/** Why something was not done, as a value: every edge shows it in its own way. */

import type { Outcome } from '../engine/machine.ts';
import type { UsageProblem } from '../workflows/workflow.ts';

export interface Refusal {
  /** For scripts. */
  readonly code: string;
  readonly message: string;
  readonly fix: string | null;
  /** The file, folder or branch it is about. */
  readonly target: string | null;
  /** What the caller makes of it: `usage` is their mistake, `locked` another process's work. */
  readonly outcome: Outcome | 'usage' | 'locked';
}

export function refusal(
  code: string,
  message: string,
  { fix = null, target = null, outcome = 'usage' }: Partial<Pick<Refusal, 'fix' | 'target' | 'outcome'>> = {},
): Refusal {
  return { code, message, fix, target, outcome };
}

export function isRefusal(value: unknown): value is Refusal {
  return typeof value === 'object' && value !== null && 'code' in value && 'fix' in value && 'outcome' in value;
}

export function usageRefusal({ code, message, fix }: UsageProblem): Refusal {
  return refusal(code, message, { fix });
}
