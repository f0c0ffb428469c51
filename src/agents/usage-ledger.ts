/**
 * What a conversation had used when it was last heard of: agents count all of it, also what an earlier dispatch has used.
 * Beside the folders of the dispatches, because it is a later one that goes on with it.
 */

import { join } from 'node:path';
import { orElse, writeAtomically } from '../workspace/files.ts';
import { count, readSettingsFile } from './json-line.ts';

type Totals = Readonly<Partial<Record<'inputTokens' | 'outputTokens' | 'costUsd', number | null>>>;

/** Empty where nobody knows. */
export function usedBefore(conversation: string, folder: string): Totals {
  const { inputTokens, outputTokens, costUsd } = readSettingsFile(fileOf(conversation, folder));
  return { inputTokens: count(inputTokens), outputTokens: count(outputTokens), costUsd: count(costUsd) };
}

export function keepUsed(conversation: string, totals: Totals, folder: string): void {
  // What is counted twice is no reason to fail.
  orElse(undefined, () => writeAtomically(fileOf(conversation, folder), JSON.stringify(totals), { mode: 0o600 }));
}

/** What is new in a total; an agent whose total is less than before counts anew with every process. */
export function since(before: number | null | undefined, total: number | null): number | null {
  return total === null || total < (before ?? 0) ? total : total - (before ?? 0);
}

function fileOf(conversation: string, folder: string): string {
  return join(folder, `usage-${encodeURIComponent(conversation)}.json`);
}
