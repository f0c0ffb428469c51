/**
 * Writing the state file so that it is known to be written.
 *
 * K1. What was written is read back and compared; a few tries, then it is said that it could not be done.
 * K2. Half of a state file, as a power loss may leave it, would be taken for an edit: it is synced before it is renamed.
 * K3. A run that comes to rest has come to rest, whether the file can show it or not.
 */

import { join } from 'node:path';
import { attempt, DocumentError } from '../documents/document-error.ts';
import { abandoned } from '../engine/transition.ts';
import { FileProblem, readDocument, readText, writeAtomically } from '../workspace/files.ts';
import { resolveInside } from '../workspace/safe-paths.ts';
import { exportedJournal } from './journal-export.ts';
import { quarantine } from './recover.ts';
import type { Run } from './run.ts';

const triesMax = 3;

/** The state file cannot show where the run is: a person clears the way; the journal has everything. */
export class StateNotWritten extends Error {
  readonly code = 'StateNotWritten';
  readonly file: string;
  readonly fix: string;

  constructor(run: string, path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the state file ${path} could not be written (tried ${triesMax} times; the journal has everything): ${why}`, {
      cause,
    });
    this.file = path;
    this.fix = `${cause instanceof FileProblem ? cause.remedy : `make ${path} writable`}, then run pawl resume ${run}`;
  }
}

/** What the state file showed when it was last written or examined. */
export interface LastProjection {
  phase: string | null;
  text: string | undefined;
}

/** K1, K2. Brings the file up to date; its path when it was written anew, else null. */
export function writeStateFile(run: Run): string | null {
  const view = run.view();
  const { phase, disk, stateFile, shown } = run;
  const path = stateFile.path(view);
  if (phase === null || isAbandoned(run) || isRemoved(run, path)) return null;
  const root = run.rootOf(path);
  const file = join(root, path);
  const before = persistently(run, path, () => readDocument(root, path, disk));
  // One that a crash emptied says nothing.
  const text = stateFile.render(before?.trim() === '' ? undefined : before, view);
  if (before !== undefined && before !== shown.text) keepEdit(run, path, before, shown.phase);
  if (text !== before) {
    persistently(run, path, () => {
      writeAtomically(file, text, { whole: true }, disk);
      if (!disk.readFile(file).equals(Buffer.from(text))) {
        throw new Error('what is there is not what was written; something else writes to it');
      }
    });
  }
  Object.assign(shown, { phase, text } satisfies LastProjection);
  return text === before ? null : path;
}

/** The workspace is not made again for them. */
function isRemoved({ root, workspace, workflow }: Run, path: string): boolean {
  return root !== workspace && !workflow.inMain?.(path);
}

function isAbandoned({ state }: Run): boolean {
  return state.snapshot.state === abandoned;
}

function persistently<T>(run: Run, path: string, attempt: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return attempt();
    } catch (error) {
      if (tries >= triesMax) throw new StateNotWritten(run.id, path, error);
    }
  }
}

/** U3. */
function keepEdit(run: Run, path: string, text: string, shownPhase: string | null): void {
  if (shownPhase === null || text.trim() === '') return;
  const read = attempt(() => run.stateFile.identify(text));
  const what = read instanceof DocumentError ? 'broken' : `set to phase ${read.phase}`;
  if (!(read instanceof DocumentError) && read.phase === shownPhase) return;
  const copy = quarantine(run, path, text);
  const message = `${path} was ${what} while the run was working; the edit is not adopted (a copy is kept in ${copy})`;
  run.tell('recovered', message);
}

/** K3. */
export function projectOrWarn(run: Run): void {
  try {
    run.project();
  } catch (error) {
    if (!(error instanceof StateNotWritten)) throw error;
    run.tell('warning', `${error.message}; ${error.fix}`);
  }
}

/** K3, and the journal of a finished run copied to where its workflow keeps it for good. */
export function projectAtRest(run: Run): void {
  projectOrWarn(run);
  if (isAbandoned(run)) return;
  const target = run.workflow.exportTo(run.view());
  if (target === null || isRemoved(run, target)) return;
  const file = resolveInside(run.rootOf(target), target, run.disk);
  const journal = exportedJournal(run.held.text(), run);
  if (readText(file, run.disk) === journal) return;
  writeAtomically(file, journal, {}, run.disk);
  run.wrote(target);
}
