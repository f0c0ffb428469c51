/** What a run has consumed. */

import type { Json } from '../engine/snapshot.ts';
import type { Usage } from '../engine/usage.ts';
import { isRecord } from '../schema/values.ts';

/** Run budgets count over a run's whole life: they survive crashes and are never renewed by a command. */
const nothingSpent = {
  dispatches: 0,
  /** Dispatches whose tokens, or cost, nobody told. */
  unknownTokens: 0,
  unknownCost: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  wallMs: 0,
  /** Dispatches that a crash or an interruption cut off, and those of them that nobody wanted to end. */
  reruns: 0,
  crashes: 0,
};

export type Spent = Readonly<typeof nothingSpent>;

/** A run that was taken over from its state file has consumed before what that file says. */
export function spentBefore({ spentBefore: before }: Readonly<Record<string, Json>>): Spent {
  const told = isRecord(before) ? Object.entries(before).filter(([, amount]) => typeof amount === 'number') : [];
  return { ...nothingSpent, ...Object.fromEntries(told) };
}

type Call = { readonly usage: Usage | undefined; readonly ms: number };

export function addCalls(spent: Spent, kind: 'dispatches' | 'reruns', calls: readonly Call[]): Spent {
  return calls.reduce((sum, { usage, ms }) => {
    const consumed = usage ? addUsage(sum, usage, ms) : sum;
    return { ...consumed, [kind]: sum[kind] + 1 };
  }, spent);
}

function addUsage(spent: Spent, { inputTokens, outputTokens, costUsd }: Usage, ms: number): Spent {
  return {
    ...spent,
    unknownTokens: spent.unknownTokens + (inputTokens === null || outputTokens === null ? 1 : 0),
    unknownCost: spent.unknownCost + (costUsd === null ? 1 : 0),
    inputTokens: spent.inputTokens + (inputTokens ?? 0),
    outputTokens: spent.outputTokens + (outputTokens ?? 0),
    costUsd: spent.costUsd + (costUsd ?? 0),
    wallMs: spent.wallMs + ms,
  };
}
