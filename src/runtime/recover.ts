/**
 * Brings a run that was left in any state back to one it can go on from.
 *
 * C1. Journalled writes that were not made, or that a power loss undid, are made, unless somebody changed the file meanwhile.
 * C2. A dispatch that was started and not ended is never silently repeated (see cut-off.ts).
 * C3. What somebody changed after the agent last could is never overwritten without being asked for.
 * C4. A hand-edited state file is adopted only while no dispatch is open, and past a gate only when confirmed.
 * C5. After an end in good order nothing is left to finish: files changed since are simply people's work.
 */

import { endOrphans } from './dispatch-marker.ts';
import {
  decideFiles,
  filesNeedPerson,
  quarantine,
  ready,
  examineStateFile,
  type EditsChoice,
  type Recovery,
} from './edits.ts';
import { applyDue, bytesAt, examineWrites, wholeWrite } from './recorded-writes.ts';
import type { Run } from './run.ts';

export async function recover(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  if (!run.inOrder) {
    await endOrphans(run, '#check');
    const written = await finishWrites(run, edits);
    if (written.kind !== 'ready') return written;
  }
  const { open } = run.state;
  if (open) {
    const { closeDispatch } = await import('./cut-off.ts');
    const closed = await closeDispatch(run, open, edits);
    if (closed.kind !== 'ready') return closed;
  }
  return examineStateFile(run, edits, open !== null);
}

/** C1. */
async function finishWrites(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  const { missing, contested } = run.held.powerLost
    ? examineWrites(run, run.state.unsynced, run.records)
    : examineWrites(run, run.state.unconfirmed);
  const paths = contested.map(({ path }) => path);
  const decided = await decideFiles(run, edits, paths, 'were changed before Pawl could write them');
  if (decided === undefined) return filesNeedPerson(paths);
  const theirs = new Set(decided?.choice === 'keep' ? paths : []);
  for (const path of paths) if (!theirs.has(path)) keepCopy(run, path);
  const ours = [...missing, ...contested].filter(({ path }) => !theirs.has(path));
  const writes = ours.map((write) => wholeWrite(write, run.records));
  applyDue(run, writes);
  if (missing.length > 0) {
    run.observe({ type: 'recovered', message: `finished writing ${missing.map(({ path }) => path).join(', ')}` });
  }
  // Last, because it ends the memory of what was to be written.
  if (decided && theirs.size > 0) run.append({ type: 'edits.kept', paths: [...theirs], by: decided.by });
  run.inOrder = true;
  return ready;
}

function keepCopy(run: Run, path: string): void {
  const bytes = bytesAt(run, path);
  if (bytes === null) return;
  const copy = quarantine(run, path, bytes);
  run.observe({ type: 'recovered', message: `${path} is taken back; what it held is kept in ${copy}` });
}
