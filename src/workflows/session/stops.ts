/** Why a session stops, in one form: what is in the way, what is known about it, and a way out. */

import type { Blocker, Data } from './run-data.ts';

export function blockedBy(blocker: string, detail: string, wayOut: string): Data {
  return { blocker: { blocker, detail, wayOut } satisfies Blocker };
}

export const unblocked: Data = { blocker: null };

/** Documents that are not as they must be. */
export function blockedByDocuments(problems: readonly string[], run: string): Data {
  return blockedBy(
    'invalid_documents',
    problems.join('\n'),
    `mend the files, or let the step run again: pawl session resume ${run}`,
  );
}
