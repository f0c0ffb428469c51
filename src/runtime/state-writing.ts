/**
 * Writing the state file so that it is known to be written.
 *
 * K1. What was written is read back and compared; a few tries, then it is said that it could not be done.
 * K2. Half of a state file, as a power loss may leave it, would be taken for an edit: it is synced before it is renamed.
 * K3. A run that comes to rest has come to rest, whether the file can show it or not.
 */

import type { Disk } from '../disk/disk.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import type { Run } from './run.ts';

const triesMax = 3;

/** The state file cannot show where the run is: a person clears the way; the journal has everything. */
export class StateNotWritten extends Error {
  readonly code = 'StateNotWritten';
  readonly file: string;
  readonly fix: string;

  constructor(run: string, path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`the state file ${path} could not be written, tried ${triesMax} times: ${why}`, { cause });
    this.file = path;
    this.fix = `clear the way for ${path}, then run pawl resume ${run}; nothing is lost`;
  }
}

/** A state file by its place on disk and the name people know it by. */
export interface StatePlace {
  readonly run: string;
  readonly disk: Disk;
  readonly file: string;
  readonly path: string;
}

export function readState(place: StatePlace): string | undefined {
  return persistently(place, () => readText(place.file, place.disk));
}

/** K1, K2. */
export function writeState(place: StatePlace, text: string): void {
  persistently(place, () => {
    writeAtomically(place.file, text, { whole: true }, place.disk);
    if (!place.disk.readFile(place.file).equals(Buffer.from(text))) {
      throw new Error('what is there is not what was written; something else writes to it');
    }
  });
}

function persistently<T>({ run, path }: StatePlace, attempt: () => T): T {
  for (let tries = 1; ; tries += 1) {
    try {
      return attempt();
    } catch (error) {
      if (tries >= triesMax) throw new StateNotWritten(run, path, error);
    }
  }
}

/** K3. */
export function projectOrWarn(run: Run): void {
  try {
    run.project();
  } catch (error) {
    if (!(error instanceof StateNotWritten)) throw error;
    run.observe({
      type: 'warning',
      message: `${error.message}. What happened is on record all the same: ${error.fix}`,
    });
  }
}
