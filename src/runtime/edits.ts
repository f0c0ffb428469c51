/** Somebody changed files where Pawl wants to write: a person says whose version counts, or the run waits for one. */

import { join } from 'node:path';
import type { Authority } from '../store/record.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { Run } from './run.ts';
import type { Choice } from './host.ts';

/** Theirs, or Pawl's. */
export type EditsChoice = 'keep' | 'discard';

export type Recovery =
  | { readonly kind: 'ready' }
  | { readonly kind: 'person_needed'; readonly message: string; readonly fix: string };

export const ready: Recovery = { kind: 'ready' };

export interface Decided {
  readonly choice: EditsChoice;
  readonly by: Authority;
}

/** What the command line says, else what the person says; undefined when nobody does. */
export async function decide(run: Run, edits: EditsChoice | undefined, question: Choice): Promise<Decided | undefined> {
  const who = run.host.user;
  if (edits !== undefined) return { choice: edits, by: { who, how: 'flag' } };
  const answer = await run.host.person?.ask({ ...question, root: run.workspace });
  return answer === 'keep' || answer === 'discard' ? { choice: answer, by: { who, how: 'terminal' } } : undefined;
}

export function aboutFiles(paths: readonly string[], what: string): Choice {
  return {
    title: `Files ${what}`,
    detail: 'Pawl does not overwrite what somebody else wrote without asking.',
    answers: { keep: 'keep the files as they are now', discard: 'take them back (a copy is kept)' },
    paths,
  };
}

export function filesNeedPerson(paths: readonly string[]): Recovery {
  return {
    kind: 'person_needed',
    message: `somebody changed ${paths.join(', ')} after the interruption; Pawl does not overwrite it`,
    fix: 'run the command again with --edits keep (leave the files as they are) or --edits discard (take them back; a copy is kept)',
  };
}

/** Keeps a copy of what somebody wrote, in the run's folder, never over an earlier one; returns where. */
export function quarantine(run: Run, path: string, content: string | Buffer): string {
  for (let number = run.held.length; ; number += 1) {
    const file = resolveInside(join(run.folder, 'set-aside', String(number)), path, run.disk);
    if (run.disk.exists(file)) continue;
    run.keepFile(file, content);
    return file;
  }
}
