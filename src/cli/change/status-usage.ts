/** What a run has consumed, and what it may. */

import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../documents/fields.ts';
import type { RunState, Spent } from '../../runtime/run-state.ts';
import { remaining, type Remaining } from '../../runtime/spending.ts';
import { configPath } from '../../workflows/change/paths.ts';
import type { FileView, SpendingLimits } from '../../workflows/workflow.ts';

/** What is not known for any dispatch is null; what is not known for some is counted beside the sum. */
export type ShownUsage = Omit<Spent, 'inputTokens' | 'outputTokens' | 'costUsd'> & {
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly costUsd: number | null;
};

export function usageOf(spent: Spent): ShownUsage {
  const { dispatches, unknownTokens, unknownCost } = spent;
  const noTokens = dispatches > 0 && unknownTokens === dispatches && spent.inputTokens + spent.outputTokens === 0;
  const noCost = dispatches > 0 && unknownCost === dispatches;
  return {
    ...spent,
    inputTokens: noTokens ? null : spent.inputTokens,
    outputTokens: noTokens ? null : spent.outputTokens,
    costUsd: noCost ? null : spent.costUsd,
  };
}

export interface ShownBudget {
  readonly limits: Remaining;
  readonly remaining: Remaining;
}

/** Null when the configuration cannot be read: the next command says what is wrong with it. */
export async function budgetOf({ spent, snapshot }: RunState, files: FileView): Promise<ShownBudget | null> {
  const { readConfig } = await import('../../workflows/change/config.ts');
  try {
    const { budget } = readConfig(files.read(configPath), configPath).config;
    const { raised } = snapshot.data;
    const configured: SpendingLimits = { ...budget, wallMs: budget.hours * 3_600_000 };
    const limits = isRecord(raised) ? raise(configured, raised) : configured;
    const { dispatches, tokens, costUsd, wallMs } = limits;
    return { limits: { dispatches, tokens, costUsd, wallMs }, remaining: remaining(spent, limits) };
  } catch (error) {
    if (error instanceof DocumentError) return null;
    throw error;
  }
}

function raise(limits: SpendingLimits, raised: Readonly<Record<string, unknown>>): SpendingLimits {
  const known = Object.entries(raised).filter(([, value]) => typeof value === 'number');
  return { ...limits, ...Object.fromEntries(known) };
}
