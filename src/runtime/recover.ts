/**
 * Brings a run that was left in any state back to one it can go on from.
 *
 * C1. Journalled writes that were not made are made, unless somebody changed the file meanwhile.
 * C2. A dispatch that was started and not ended is never silently repeated: its processes are ended, and it is
 *     either taken as complete (provably) or abandoned, with what it wrote kept as a patch and the tree put back.
 * C3. What somebody changed after the agent last could is never overwritten without being asked for.
 * C4. A hand-edited state file is adopted only while no dispatch is open, and past a gate only when confirmed.
 */

import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Authority } from '../journal/record.ts';
import { endProcesses, findByMarker } from '../workspace/processes.ts';
import { lastChangedAt } from '../workspace/tree.ts';
import { contextOf, dispatchFolder, dispatchMarker, markerOf, nothingHeard, settle } from './dispatch.ts';
import { applyRecorded, examineWrites } from './recorded-writes.ts';
import { Reports } from './reports.ts';
import { RunFold, type OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';

/** What to do with files that somebody changed where Pawl wants to write: theirs, or Pawl's. */
export type EditsChoice = 'keep' | 'discard';

export type Recovery =
  | { readonly kind: 'ready' }
  | { readonly kind: 'person_needed'; readonly message: string; readonly fix: string };

const ready: Recovery = { kind: 'ready' };
/** An agent's last write and the last sign of its life may be this far apart. */
const attributionGraceMs = 2_000;
const endGraceMs = 2_000;

export async function recover(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  const written = await finishWrites(run, edits);
  if (written.kind !== 'ready') return written;
  const { open } = run.state;
  if (open) {
    const closed = await closeDispatch(run, open, edits);
    if (closed.kind !== 'ready') return closed;
  }
  return examineStateFile(run, edits, open !== null);
}

/** C1. */
async function finishWrites(run: Run, edits: EditsChoice | undefined): Promise<Recovery> {
  const { workspace } = run;
  const { unconfirmed } = run.state;
  const { missing, contested } = examineWrites(workspace, unconfirmed);
  if (contested.length > 0) {
    const paths = contested.map(({ path }) => path);
    const choice = edits ?? (await askAboutEdits(run, paths, 'were changed before Pawl could write them'));
    if (choice === undefined) return editsNeeded(paths);
    if (choice === 'keep') run.append({ type: 'edits.kept', paths, by: byPerson(run) });
    else applyRecorded(workspace, contested);
  }
  if (missing.length > 0) {
    applyRecorded(workspace, missing);
    run.observe({ type: 'recovered', message: `finished writing ${missing.map(({ path }) => path).join(', ')}` });
  }
  return ready;
}

/** C2. */
export async function closeDispatch(run: Run, open: OpenDispatch, edits: EditsChoice | undefined): Promise<Recovery> {
  const { started } = open;
  const agentLastMs = await endAgent(run, started.id, Date.parse(started.at));
  const tree = await run.tree.snapshot();
  if (tree === started.tree && (await takeComplete(run, open, tree))) return ready;
  const changed = await run.tree.changed(started.tree, tree);
  const { workspace } = run;
  const edited = changed.filter(({ path }) => lastChangedAt(workspace, path) > agentLastMs + attributionGraceMs);
  const paths = edited.map(({ path }) => path);
  let choice: EditsChoice | undefined = 'discard';
  if (paths.length > 0) {
    choice = edits ?? (await askAboutEdits(run, paths, `were changed after the ${started.role} was cut off`));
    if (choice === undefined) return editsNeeded(paths);
  }
  const kept = choice === 'keep' ? new Set(paths) : new Set<string>();
  const takenBack = changed.map(({ path }) => path).filter((path) => !kept.has(path));
  const patch = takenBack.length > 0 ? await keepPatch(run, started.id, started.tree, tree) : null;
  await run.tree.restore(tree, started.tree, { paths: takenBack });
  if (kept.size > 0) run.append({ type: 'edits.kept', paths: [...kept], by: byPerson(run) });
  run.append({ type: 'dispatch.abandoned', id: started.id, why: 'cut off before it ended', patch });
  const what = patch === null ? '' : `; what it had written is kept in ${join(run.folder, patch)}`;
  run.observe({
    type: 'recovered',
    message: `${started.step} was cut off; it starts anew when the run goes on${what}`,
  });
  return ready;
}

/** Ends what is left of a dispatch's processes; returns the last moment at which they could have written. */
async function endAgent(run: Run, dispatch: string, startedMs: number): Promise<number> {
  const alive = findByMarker(dispatchMarker, markerOf(run.folder, dispatch));
  if (alive.length > 0) {
    await endProcesses(alive, { graceMs: endGraceMs });
    return run.surroundings.now();
  }
  const folder = dispatchFolder(run, dispatch);
  const signs = ['stdout.log', 'stderr.log'].map((name) => modifiedMs(join(folder, name)));
  return Math.max(startedMs, ...signs);
}

/** A read-only role's dispatch whose one report is filed has nothing left to do: its result counts. */
async function takeComplete(run: Run, { started, reports: filed }: OpenDispatch, tree: string): Promise<boolean> {
  if (run.workflow.roles[started.role]?.writesTree ?? true) return false;
  const effect = {
    type: 'dispatch',
    role: started.role,
    step: started.step,
    ...(started.item && { item: started.item }),
  } as const;
  const context = { ...contextOf(run, effect, started.agent, started.hint), dispatch: started.id, at: started.at };
  const brief = run.workflow.brief(context);
  if ('signal' in brief || !filed.some(({ tool }) => tool === brief.closedBy)) return false;
  const reports = Reports.restage(run.workflow, context, filed);
  if ('insufficient' in run.workflow.conclude(reports.context, reports.filed)) return false;
  const ms = Math.max(0, modifiedMs(join(dispatchFolder(run, started.id), 'stdout.log')) - Date.parse(started.at));
  run.observe({
    type: 'recovered',
    message: `${started.step} had filed its report before the interruption; it counts`,
  });
  await settle(run, {
    ended: { ms },
    heard: nothingHeard,
    fault: null,
    reports,
    treeBefore: started.tree,
    treeAfter: tree,
    digestBefore: started.digest,
  });
  return true;
}

async function keepPatch(run: Run, dispatch: string, from: string, to: string): Promise<string> {
  const folder = dispatchFolder(run, dispatch);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'abandoned.patch');
  // A recovery that is itself cut off must not replace the whole patch by the rest of it.
  if (!existsSync(file)) writeFileSync(file, await run.tree.patch(from, to));
  return relative(run.folder, file);
}

/** C4. */
async function examineStateFile(run: Run, edits: EditsChoice | undefined, dispatchWasOpen: boolean): Promise<Recovery> {
  const view = run.view();
  const path = run.stateFile.path(view);
  const text = view.files.read(path);
  const phase = run.stateFile.phaseOf(run.state.snapshot);
  if (phase === null || text === undefined || text.trim() === '') return ready;
  const found = run.stateFile.identify(text);
  if (found.phase === phase || isEarlierProjection(run, found)) return ready;
  const digest = await run.tree.digest(await run.tree.snapshot(), [run.workflow.controlFolder]);
  const adoption = run.stateFile.adopt(found.phase, view, digest);
  const ask = adoption.gate !== null || dispatchWasOpen;
  const choice = edits ?? (ask ? await askAboutPhase(run, found.phase, adoption.gate) : 'keep');
  if (choice === undefined) {
    return {
      kind: 'person_needed',
      message: `${path} says phase ${found.phase}, Pawl says ${phase}${adoption.gate === null ? '' : `; that passes the gate "${adoption.gate}"`}`,
      fix: 'confirm the edit with --edits keep, or take it back with --edits discard',
    };
  }
  if (choice === 'discard') {
    quarantine(run, text);
    return ready;
  }
  run.append({
    type: 'state.edited',
    phase: found.phase,
    change: { state: adoption.state, outcome: null, data: adoption.data },
    by: { who: run.surroundings.user, how: 'edit' },
  });
  run.observe({ type: 'recovered', message: `took over phase ${found.phase} from ${path}, edited by hand` });
  return ready;
}

/** A projection carries the time of the record it shows, so an old one (checked out, restored) is recognised. */
function isEarlierProjection(run: Run, found: { phase: string; updatedAt: string }): boolean {
  const [first, ...rest] = run.records;
  if (first?.type !== 'created') return false;
  const fold = new RunFold(first);
  for (const record of rest) {
    fold.apply(record);
    if (fold.state.changedAt === found.updatedAt) return run.stateFile.phaseOf(fold.state.snapshot) === found.phase;
  }
  return false;
}

function quarantine(run: Run, text: string): void {
  const folder = join(run.folder, 'quarantine');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `state-file-${run.records.length}`);
  writeFileSync(file, text);
  run.observe({ type: 'recovered', message: `the edited state file was put aside as ${file}` });
}

async function askAboutEdits(run: Run, paths: readonly string[], what: string): Promise<EditsChoice | undefined> {
  const answer = await run.surroundings.person?.ask({
    title: `Files ${what}`,
    detail: 'Pawl does not overwrite what somebody else wrote without asking.',
    answers: { keep: 'keep the files as they are now', discard: 'take them back (a copy is kept as a patch)' },
    paths,
  });
  return answer === 'keep' || answer === 'discard' ? answer : undefined;
}

async function askAboutPhase(run: Run, phase: string, gate: string | null): Promise<EditsChoice | undefined> {
  const answer = await run.surroundings.person?.ask({
    title: `The state file was edited: phase ${phase}`,
    detail:
      gate === null
        ? 'It was edited while an agent was at work.'
        : `Confirming it means that you pass the gate "${gate}" for what is there now.`,
    answers: { keep: 'take the edit over', discard: 'put the recorded phase back' },
    paths: [run.stateFile.path(run.view())],
  });
  return answer === 'keep' || answer === 'discard' ? answer : undefined;
}

function editsNeeded(paths: readonly string[]): Recovery {
  return {
    kind: 'person_needed',
    message: `somebody changed ${paths.join(', ')} after the interruption; Pawl does not overwrite it`,
    fix: 'run the command again with --edits keep (leave the files as they are) or --edits discard (take them back; a patch is kept)',
  };
}

function byPerson(run: Run): Authority {
  return { who: run.surroundings.user, how: 'terminal' };
}

function modifiedMs(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
