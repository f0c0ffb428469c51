/**
 * One run, open for work: its journal, its snapshot, its files.
 *
 * U1. A transition is journalled before anything it causes becomes visible.
 * U2. Files are written only by applying a journalled transition, and each one only over what it was computed from.
 * U3. The state file is a projection: written after the record, never read back as truth without being examined.
 *     A phase that somebody writes into it while the run is at work is set aside, not taken over.
 * U4. A run is given back as in order only when every recorded write was made or settled with a person, and is durable.
 * U5. A power loss undoes no write that the journal does not hold: see `unsynced` in run-state.ts.
 */

import { join, relative, resolve } from 'node:path';
import { phaseOf } from '../engine/phase.ts';
import { initialSnapshot, type Json, type Snapshot } from '../engine/snapshot.ts';
import { transition, type Refusal, type Signal, type Step } from '../engine/transition.ts';
import type { Authority, Choice, DispatchEnd, Entry, JournalRecord } from '../store/record.ts';
import type { HeldRun, RunStore } from '../store/run-store.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableFiles } from '../disk/syncing.ts';
import type { RunSettings, RunView, SpendingLimits, StateFile, Workflow, Write } from '../workflows/workflow.ts';
import { writeAtomically } from '../workspace/files.ts';
import { withDecisions } from './decisions.ts';
import { requireKnownState } from './known-state.ts';
import { rememberedOutput } from './own-output.ts';
import { answerIn } from './recorded-answers.ts';
import { applyDue, dueWrites, noteRecorded, type Workspace } from './recorded-writes.ts';
import { noteOf } from './run-note.ts';
import { foldOf, isMove, type RunFold, type RunState } from './run-state.ts';
import { quarantine } from './quarantine.ts';
import { limitsOf } from './spending.ts';
import { readState, writeState } from './state-writing.ts';
import type { RunEvent, Host, TreeHistory } from './host.ts';
import { workspaceFiles } from './workspace-files.ts';
import { WrittenFiles } from './written-files.ts';

export interface RunPlace {
  readonly workflow: Workflow;
  readonly run: string;
  readonly store: RunStore<RunState>;
  /** The workspace for a run that does not exist yet; an existing one knows its own. */
  readonly workspace: string;
  readonly commonDir: string;
}

export interface MoveRecord {
  readonly by?: Authority;
  readonly dispatch?: DispatchEnd;
  readonly writes?: readonly Write[];
  readonly about?: string;
  readonly choice?: Choice;
}

export class Run {
  readonly workflow: Workflow;
  readonly id: string;
  readonly folder: string;
  readonly host: Host;
  /** Agents that were found missing or out of quota while this command runs. */
  readonly unavailable = new Set<string>();
  readonly held: HeldRun<RunState>;
  readonly #fold: RunFold;
  readonly commonDir: string;
  #workspace: string | undefined;
  #tree: TreeHistory | undefined;
  /** Of the configuration as last read: it is asked for often and takes long to check. */
  #settings: { readonly texts: readonly (string | undefined)[]; readonly read: RunSettings } | undefined;
  /** Digests of long texts that records of this process hold, by path. */
  readonly #textsOnRecord = new Map<string, string>();
  #projected = false;
  /** The phase the state file showed when it was last written or examined, and the text that was written. */
  #shownPhase: string | null = null;
  #shownText: string | undefined;
  #inOrder: boolean;
  readonly #written: WrittenFiles;

  private constructor(place: RunPlace, host: Host, held: HeldRun<RunState>, fold: RunFold) {
    this.workflow = place.workflow;
    this.id = place.run;
    this.folder = place.store.folder({ workflow: place.workflow.name, run: place.run });
    this.host = host;
    this.commonDir = place.commonDir;
    this.held = held;
    this.#inOrder = held.foundInOrder;
    this.#fold = fold;
    this.#written = new WrittenFiles(this.disk, this.workspace);
  }

  /** Takes the run and reads the journal, beginning one when the run is new. Nothing is repaired yet. */
  static open(
    place: RunPlace,
    host: Host,
    create: { input: Readonly<Record<string, Json>>; snapshot?: Snapshot; limits: Readonly<Record<string, number>> },
    { force = false } = {},
  ): Run {
    const held = place.store.open({ workflow: place.workflow.name, run: place.run }, { force });
    try {
      if (held.length === 0) {
        held.append({
          type: 'created',
          format: 1,
          workflow: place.workflow.name,
          run: place.run,
          workspace: relative(place.commonDir, place.workspace),
          input: create.input,
          snapshot: create.snapshot ?? initialSnapshot(place.workflow.machine, create.limits),
        });
      }
      const fold = foldOf(held);
      if (!fold) throw new Error(`the journal of ${place.run} does not begin with a run`);
      requireKnownState(place.workflow, place.run, fold.state.snapshot);
      return new Run(place, host, held, fold);
    } catch (error) {
      held.close({ inOrder: held.foundInOrder, state: null });
      throw error;
    }
  }

  get state(): RunState {
    return this.#fold.state;
  }

  get records(): readonly JournalRecord[] {
    return this.held.records;
  }

  /** Recorded relative to the git directory, so that a run moves with its repository. */
  get workspace(): string {
    return (this.#workspace ??= resolve(this.commonDir, this.state.workspace));
  }

  /** What a person sees of where it is. */
  get phase(): string | null {
    return phaseOf(this.workflow.machine, this.state.snapshot);
  }

  get disk(): Disk {
    return this.host.disk;
  }

  /** The workspace as files are written to it. */
  get target(): Workspace {
    return { disk: this.disk, root: this.workspace };
  }

  get stateFile(): StateFile {
    return this.workflow.stateFile(this.id);
  }

  get settings(): RunSettings {
    const { files } = this.view();
    const texts = this.workflow.configPaths.map((path) => files.read(path));
    if (!this.#settings || !texts.every((text, index) => text === this.#settings?.texts[index])) {
      this.#settings = { texts, read: this.workflow.settings(files) };
    }
    return this.#settings.read;
  }

  /** Run budgets: the configured ones, as far as a person has not raised them for this run. */
  get spendingLimits(): SpendingLimits {
    return limitsOf(this.settings.spending, this.state.choice);
  }

  get tree(): TreeHistory {
    this.#tree ??= this.host.workTree({
      root: this.workspace,
      shadowDir: join(this.folder, 'shadow'),
      commonDir: this.commonDir,
      ...(this.workflow.watchedFolder && { watched: this.workflow.watchedFolder(this.id) }),
    });
    return this.#tree;
  }

  /** U4: whether whoever worked on the run before was not cut off in the middle of it. */
  get inOrder(): boolean {
    return this.#inOrder;
  }

  /** U4: what the last transition was to write is written, or left out because a person said so. */
  settled(): void {
    this.#inOrder = true;
  }

  /** Folders and files that nobody judges: the control folder, and our own output. */
  get unjudged(): readonly string[] {
    return [this.workflow.controlFolder, ...rememberedOutput(this)];
  }

  /** Identifies what approvals are bound to. */
  digestOf(tree: string): Promise<string> {
    return this.tree.digest(tree, this.unjudged);
  }

  view(at = this.state.changedAt): RunView {
    const { snapshot, history } = this.state;
    const files = workspaceFiles(this.workspace, this.disk);
    return { run: this.id, snapshot, files, at, history };
  }

  append(entry: Entry): JournalRecord {
    const record = this.held.append(entry);
    this.#fold.apply(record);
    if (this.state.changedAt === record.at) this.#projected = false;
    return record;
  }

  /** U1, U2: one record for the transition and all it brings; then its files. */
  move(signal: Signal, { writes = [], ...rest }: MoveRecord = {}): Step | Refusal {
    const before = this.state.snapshot;
    const { machine } = this.workflow;
    const moved = transition(machine, before, signal);
    if (moved.kind === 'refusal') return moved;
    const at = new Date(this.host.now()).toISOString();
    const step = withDecisions(machine, before, moved, { signal, at });
    const due = dueWrites(this.target, writes, this.#textsOnRecord);
    const recorded = due.map((each) => each.recorded);
    const isMoving = recorded.some(isMove);
    if (isMoving) this.makeDurable();
    const record = this.append({
      type: 'moved',
      from: before.state,
      signal: signal.name,
      change: step.delta,
      ...(recorded.length > 0 && { writes: recorded }),
      ...rest,
    });
    this.#inOrder = false;
    noteRecorded(this.#textsOnRecord, recorded);
    applyDue(
      this.target,
      due.map(({ write }) => write),
    );
    if (isMoving) this.makeDurable();
    this.#inOrder = true;
    const decision = answerIn(record)?.decision;
    this.observe({
      type: 'moved',
      from: before.state,
      signal: signal.name,
      to: step.snapshot.state,
      phase: phaseOf(this.workflow.machine, step.snapshot),
      ...(decision !== undefined && { decision }),
    });
    return step;
  }

  /** Brings the state file up to date; many transitions may share one projection. Throws StateNotWritten where it cannot. */
  project(): void {
    if (this.#projected) return;
    const view = this.view();
    const { phase } = this;
    if (phase !== null) {
      const path = this.stateFile.path(view);
      const place = { run: this.id, disk: this.disk, file: join(this.workspace, path), path };
      const before = readState(place);
      const text = this.stateFile.render(before, view);
      if (before !== undefined && before !== this.#shownText) this.#keepEdit(path, before);
      if (text !== before) {
        writeState(place, text);
        this.#written.add(path, 'name');
      }
      this.#shownPhase = phase;
      this.#shownText = text;
    }
    this.held.keepNote(
      JSON.stringify(noteOf(this.workflow, this.state, this.workspace, { projected: phase !== null, disk: this.disk })),
    );
    this.#projected = true;
  }

  /** The phase the state file was found to show; what becomes of it is decided by whoever examined it. */
  examined(phase: string): void {
    this.#shownPhase = phase;
  }

  /** U3. */
  #keepEdit(path: string, text: string): void {
    if (this.#shownPhase === null || text.trim() === '') return;
    const { phase } = this.stateFile.identify(text);
    if (phase === this.#shownPhase) return;
    const copy = quarantine(this, path, text);
    const message = `${path} was set to phase ${phase} while the run was at work; that is not taken over (kept in ${copy})`;
    this.observe({ type: 'recovered', message });
  }

  /** A file of the workspace that no record holds. */
  wrote(path: string): void {
    this.#written.add(path, 'content');
  }

  /** U5: all that was written, or these paths of the workspace that somebody else wrote. */
  makeDurable(paths?: readonly string[]): void {
    if (paths) this.#written.syncOthers(paths);
    else this.#written.sync(this.state.unsynced);
  }

  /** Keeps a file in the run's own folder, durable when it returns. */
  keepFile(file: string, content: string | Buffer): void {
    writeAtomically(file, content, {}, this.disk);
    new DurableFiles(this.disk, this.folder).sync([relative(this.folder, file)]);
  }

  observe(event: RunEvent): void {
    this.host.observe(event);
  }

  close(): void {
    const inOrder = this.#inOrder && this.#isDurable();
    this.held.close({ inOrder, state: inOrder ? { ...this.state, unsynced: [] } : this.state });
  }

  #isDurable(): boolean {
    try {
      this.makeDurable();
      return true;
    } catch {
      return false;
    }
  }
}
