/**
 * What a command would find, found out by looking only.
 *
 * Y1. Nothing is written: no lease is taken, no shadow is kept, no output is remembered.
 * Y2. What stops the real command before it begins stops this one with the same words and exit code.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { evolve, initialSnapshot, type Snapshot } from '../../engine/snapshot.ts';
import { hasBegun, readJournal } from '../../store/journal.ts';
import { currentOwner, RunLocked } from '../../store/lease.ts';
import type { JournalRecord } from '../../store/record.ts';
import { seenOutput } from '../../runtime/own-output.ts';
import { replay, type RunState } from '../../runtime/run-state.ts';
import { limitsOf } from '../../runtime/spending.ts';
import { adopting, editNeedsPerson, isEdit, shownState } from '../../runtime/state-edits.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { change } from '../../workflows/change/change.ts';
import type { RunView } from '../../workflows/workflow.ts';
import type { Repository } from '../../workspace/git.ts';
import { WorkTree } from '../../workspace/tree.ts';
import { leaseOptions } from '../compose.ts';
import type { Given } from '../options.ts';
import { runFolder } from '../run-folders.ts';
import { isRefusal } from '../../runs/refusal.ts';
import type { RunRepository } from '../../runs/run-repository.ts';
import { changeSurface } from '../../workflows/change/surface.ts';
import type { Run } from '../../runtime/run.ts';
import { refused } from '../problem.ts';
import { editsChoice, personNeeded, stateWithoutJournal } from '../stops.ts';
import { notAdmitted, tracesOf } from '../../runs/run-command.ts';
import type { CommandIntent } from '../../workflows/surface.ts';

export interface ForeseenRun extends Pick<Run, 'id' | 'state' | 'settings' | 'spendingLimits' | 'view'> {
  readonly workflow: typeof change;
  treeDigest(): Promise<string>;
}

export async function foresee(repository: RunRepository, intent: CommandIntent, given: Given): Promise<ForeseenRun> {
  const { run } = intent;
  const admission = intent.admit?.(tracesOf(repository, { workflow: 'change', run })) ?? null;
  const stop = notAdmitted({ repository, surface: changeSurface, run }, admission);
  if (isRefusal(stop)) throw refused(stop);
  const workspace = repository.root;
  const folder = runFolder(repository.commonDir, change.name, run);
  const begun = hasBegun(folder);
  const owner = begun && !given.flags['force'] ? currentOwner(folder, leaseOptions(false)) : undefined;
  if (owner) throw new RunLocked(owner);
  const records = begun
    ? (readJournal(folder) ?? [])
    : await asTakenOver(run, { repository, workspace, folder, given });
  const state = replay(records);
  if (!state) throw new Error(`${folder}: the journal does not begin with a run`);
  const place = { workspace: resolve(repository.commonDir, state.workspace), folder, ...repository };
  const found = foreseen(run, state, place);
  return begun ? withEdit(found, records, { place, given }) : found;
}

interface Place extends Repository {
  readonly workspace: string;
  readonly folder: string;
}

function foreseen(id: string, state: RunState, place: Place): ForeseenRun {
  const files = workspaceFiles(place.workspace);
  const settings = change.settings(files);
  const { snapshot, history, changedAt } = state;
  return {
    id,
    state,
    workflow: change,
    settings,
    spendingLimits: limitsOf(settings.spending, state.choice),
    view: () => ({ run: id, snapshot, files, at: changedAt, history }),
    treeDigest: () => treeDigest(place),
  };
}

/** The same run a transition later. */
export function after(run: ForeseenRun, snapshot: Snapshot): ForeseenRun {
  const view = run.view();
  return { ...run, state: { ...run.state, snapshot }, view: () => ({ ...view, snapshot }) };
}

/** Y1: in a shadow of its own, which is gone afterwards. */
async function treeDigest(place: Place): Promise<string> {
  const shadowDir = mkdtempSync(join(tmpdir(), 'pawl-dry-'));
  try {
    const tree = new WorkTree({ root: place.workspace, shadowDir, commonDir: place.commonDir });
    return await tree.digest(await tree.snapshot(), [change.controlFolder, ...seenOutput(place)]);
  } finally {
    rmSync(shadowDir, { recursive: true, force: true });
  }
}

interface Circumstances {
  readonly repository: Repository;
  readonly workspace: string;
  readonly folder: string;
  readonly given: Given;
}

/** The journal that taking over a state file without one would begin. */
async function asTakenOver(
  run: string,
  { repository, workspace, folder, given }: Circumstances,
): Promise<readonly JournalRecord[]> {
  const at = new Date().toISOString();
  const begin = (snapshot: Snapshot): JournalRecord => ({
    seq: 1,
    epoch: 1,
    at,
    type: 'created',
    format: 1,
    workflow: change.name,
    run,
    workspace: relative(repository.commonDir, workspace),
    input: {},
    snapshot,
  });
  const files = workspaceFiles(workspace);
  const snapshot = initialSnapshot(change.machine);
  const view: RunView = { run, snapshot, files, at, history: [] };
  const stateFile = change.stateFile(run);
  const path = stateFile.path(view);
  const text = files.read(path);
  if (text === undefined) return [begin(snapshot)];
  const { phase } = stateFile.identify(text);
  if (!given.flags['accept-state']) throw stateWithoutJournal(path, phase);
  const { state, data } = stateFile.adopt(phase, view, await treeDigest({ ...repository, workspace, folder }));
  return [begin({ ...snapshot, state, data })];
}

/** Y2: a phase edited by hand counts as the real command would have it count. */
async function withEdit(
  run: ForeseenRun,
  records: readonly JournalRecord[],
  { place, given }: { place: Place; given: Given },
): Promise<ForeseenRun> {
  const stateFile = change.stateFile(run.id);
  const shown = shownState(change, run.view());
  if (!shown || !isEdit(shown, change.machine, () => records)) return run;
  const adoption = stateFile.adopt(shown.phase, run.view(), await treeDigest(place));
  const mayAdopt = adoption.gate === null && run.state.open === null;
  const choice = editsChoice(given.flags['edits']) ?? (mayAdopt ? 'keep' : undefined);
  if (choice === undefined) throw personNeeded(editNeedsPerson(shown, adoption.gate));
  return choice === 'keep' ? after(run, evolve(run.state.snapshot, adopting(change.machine, adoption))) : run;
}
