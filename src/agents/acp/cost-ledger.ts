/**
 * What a conversation had cost when it was last heard of: agents count all of it, also what an earlier dispatch has paid.
 * Beside the folders of the dispatches, because it is a later one that goes on with it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** 0 where nobody knows. */
export function paidFor(session: string, folder: string): number {
  try {
    const usd = Number(readFileSync(fileOf(session, folder), 'utf8'));
    return Number.isFinite(usd) ? usd : 0;
  } catch {
    return 0;
  }
}

export function keepPaid(session: string, usd: number, folder: string): void {
  try {
    writeFileSync(fileOf(session, folder), String(usd), { mode: 0o600 });
  } catch {
    // A price that is told twice is no reason to fail.
  }
}

function fileOf(session: string, folder: string): string {
  return join(folder, `acp-${encodeURIComponent(session)}.usd`);
}
