/**
 * One run, open for work: its journal, its snapshot, its files.
 *
 * U1. A transition is journalled before anything it causes becomes visible.
 * U2. Files are written only by applying a journalled transition, and each one only over what it was computed from.
 * U3. The state file is a projection: written after the record, never read back as truth without being examined.
 *     A phase that somebody writes into it while the run is at work is put in quarantine, not taken over.
 * U4. A run is given back as in order only when every recorded write was made or settled with a person, and is durable.
 * U5. A power loss undoes no write that the journal does not hold: see `unsynced` in run-state.ts.
 * U6. Who judges and what may be spent is read once per command, before an agent is at work: see `pin`.
 */

import { join, relative, resolve } from 'node:path';
import { phaseOf } from '../engine/phase.ts';
import { initialSnapshot } from '../engine/snapshot.ts';
import { stateOf, transition, type Refusal, type Signal, type Step } from '../engine/transition.ts';
import type { Entry, JournalRecord, ProgramFile, RecordedWrite } from '../store/record.ts';
import type { HeldRun, RunKey } from '../store/run-store.ts';
import { orElse } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';
import { DurableFiles } from '../disk/syncing.ts';
import type { RunSettings, RunView, SpendingLimits, StateFile, Workflow } from '../workflows/workflow.ts';
import { sha256, writeAtomically } from '../workspace/files.ts';
import { mainWorkTree } from '../workspace/git.ts';
import { answerIn } from './answering.ts';
import { withDecisions } from './decisions.ts';
import type { RunEvent, Host, TreeHistory } from './host.ts';
import { applyDue, dueWrites, noteRecorded, recordedIn, type TextsOnRecord } from './recorded-writes.ts';
import { noteOf } from './run-note.ts';
import { dispatchFolderIn, type MoveRecord, type RunBeginning, type RunPlace } from './run-place.ts';
import { restsOn } from './house-rules.ts';
import { foldOf, mayBePlaceless, requireKnownState, viewOf, type RunFold, type RunState } from './run-state.ts';
import { writeStateFile, type LastProjection } from './state-writing.ts';
import { approvedBy, approvedTexts } from './texts-on-record.ts';
import { rememberedOutput } from './tree-changes.ts';
import { DurableRoots, rootsOf, workspaceFiles, type RootOf } from './workspace-files.ts';

export class Run {
  readonly workflow: Workflow;
  readonly id: string;
  readonly folder: string;
  readonly host: Host;
  readonly held: HeldRun<RunState>;
  readonly commonDir: string;
  /** Recorded relative to the git directory, so that a run moves with its repository. */
  readonly workspace: string;
  readonly stateFile: StateFile;
  /** Most paths are of the workspace. */
  readonly rootOf: RootOf;
  /** Agents that were found missing or out of quota while this command runs. */
  readonly unavailable = new Set<string>();
  /** U6: the programs of agents, as they were when first used by this command. */
  readonly programs = new Map<string, readonly ProgramFile[]>();
  /** U4: false while the last transition's writes are not all made, nor left out because a person said so. */
  inOrder: boolean;
  readonly #fold: RunFold;
  readonly #store: RunPlace['store'];
  #tree: TreeHistory | undefined;
  /** Of the configuration as last read: it is asked for often and takes long to check. */
  #settings: { readonly texts: readonly (string | undefined)[]; readonly read: RunSettings } | undefined;
  /** U6: as they were when the work began. */
  #pinned: ReadonlyMap<string, string | undefined> | undefined;
  readonly #textsOnRecord: TextsOnRecord = new Map();
  #projected = false;
  readonly shown: LastProjection = { phase: null, text: undefined };
  readonly #durable: DurableRoots;
  /** U5: beside recorded writes, files whose names, or also contents, are not durable. */
  readonly #written = new Map<string, 'name' | 'content'>();

  private constructor(place: RunPlace, host: Host, held: HeldRun<RunState>, fold: RunFold) {
    this.workflow = place.workflow;
    this.id = place.run;
    this.folder = place.store.folder({ workflow: place.workflow.name, run: place.run });
    this.host = host;
    this.held = held;
    this.commonDir = place.commonDir;
    this.workspace = resolve(place.commonDir, fold.state.workspace);
    this.stateFile = place.workflow.stateFile(place.run);
    this.rootOf = rootsOf(place.workflow, () => this.root, place.commonDir);
    this.#durable = new DurableRoots(host.disk, this.rootOf);
    this.inOrder = held.foundInOrder;
    this.#fold = fold;
    this.#store = place.store;
  }

  /** Takes the run and reads the journal, beginning one when the run is new. Nothing is repaired yet. */
  static open(place: RunPlace, host: Host, create: RunBeginning, { force = false, acceptChanged = false } = {}): Run {
    const { workflow, run } = place;
    const held = place.store.open(
      { workflow: workflow.name, run },
      { force, acceptChanged, warn: (message) => host.observe({ type: 'warning', message }) },
    );
    try {
      if (held.length === 0) {
        held.append({
          type: 'created',
          format: 1,
          workflow: workflow.name,
          run,
          workspace: relative(place.commonDir, place.workspace),
          input: create.input,
          snapshot: create.snapshot ?? initialSnapshot(workflow.machine, create.limits),
          ...(create.texts?.length && { texts: create.texts }),
        });
      }
      const fold = foldOf(held);
      if (!fold) throw new Error(`the journal of ${run} does not begin with a run`);
      requireKnownState(workflow, run, fold.state.snapshot);
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

  get phase(): string | null {
    return phaseOf(this.workflow.machine, this.state.snapshot);
  }

  get disk(): Disk {
    return this.host.disk;
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
    return { ...this.settings.spending, ...this.state.choice.raised };
  }

  /** Where its files are read: the workspace, or the main work tree once the run has removed that. */
  get root(): string {
    const isRemoved = mayBePlaceless(this.workflow, this.state.snapshot) && !this.disk.exists(this.workspace);
    return isRemoved ? mainWorkTree({ root: this.workspace, commonDir: this.commonDir }) : this.workspace;
  }

  get tree(): TreeHistory {
    this.#tree ??= this.host.workTree({
      root: this.workspace,
      shadowDir: join(this.folder, 'shadow'),
      commonDir: this.commonDir,
      ...(this.workflow.watchedFolder && { watched: this.workflow.controlFolder }),
    });
    return this.#tree;
  }

  /** Folders and files that nobody judges: the control folder, and our own output. */
  get unjudged(): readonly string[] {
    return [this.workflow.controlFolder, ...rememberedOutput(this)];
  }

  /** Identifies what approvals are bound to. */
  digestOf(tree: string): Promise<string> {
    return this.tree.digest(tree, this.unjudged);
  }

  view(): RunView {
    const files = workspaceFiles(this.rootOf, this.disk);
    const pinned = this.#pinned;
    const read = (path: string) => (pinned?.has(path) ? pinned.get(path) : files.read(path));
    return { ...viewOf(this.state, pinned ? { ...files, read } : files), run: this.id };
  }

  /** U6. From here on the configuration is what it is now; its digest. */
  pin(): string {
    this.#pinned ??= new Map(restsOn(this).map((path) => [path, this.view().files.read(path)]));
    return sha256(JSON.stringify([...this.#pinned]));
  }

  append(entry: Entry): JournalRecord {
    const record = this.held.append(entry);
    this.#fold.apply(record);
    if (this.state.changedAt === record.at) this.#projected = false;
    return record;
  }

  /** U1, U2: one record for the transition and all it brings; then its files. */
  move(signal: Signal, { writes = [], ...rest }: MoveRecord = {}): Step | Refusal {
    const { snapshot: before } = this.state;
    const { machine } = this.workflow;
    const moved = transition(machine, before, signal);
    if (moved.kind === 'refusal') return moved;
    const at = new Date(this.host.now()).toISOString();
    const step = withDecisions(machine, before, moved, { signal, at });
    const { due, recorded } = dueWrites(this, writes, this.#textsOnRecord);
    const texts = this.approvedTexts(approvedBy(machine, before.state, signal.name), recorded);
    const isMoving = recorded.some((write) => 'moveTo' in write);
    if (isMoving) this.makeDurable();
    const shared = { type: 'moved', from: before.state, signal: signal.name } as const;
    const made = recorded.length > 0 && { writes: recorded };
    const record = this.append({ ...shared, change: step.delta, ...made, ...texts, ...rest });
    this.inOrder = false;
    noteRecorded(this.#textsOnRecord, recordedIn(record));
    applyDue(this, due);
    if (isMoving) this.makeDurable();
    this.inOrder = true;
    const decision = answerIn(record)?.decision;
    const answered = decision !== undefined && { decision };
    const { state: to } = step.snapshot;
    this.observe({ ...shared, to, kind: stateOf(machine, to).kind, phase: this.phase, ...answered });
    return step;
  }

  /** For the record of an approval; without what that record writes. */
  approvedTexts(artifacts: readonly string[], writes: readonly RecordedWrite[] = []) {
    const texts = approvedTexts(this.workflow, artifacts, this.view(), () => this.records);
    const found = texts.filter(({ path }) => !writes.some((write) => write.path === path));
    return found.length > 0 && { texts: found };
  }

  /** U3. Many transitions may share one projection. Throws StateNotWritten where it cannot be written. */
  project(): void {
    if (this.#projected) return;
    const written = writeStateFile(this);
    if (written !== null) this.#written.set(written, 'name');
    const { rootOf, disk } = this;
    const note = noteOf(this.workflow, this.state, this.workspace, { projected: this.phase !== null, disk, rootOf });
    this.held.keepNote(JSON.stringify(note));
    this.#projected = true;
  }

  /** Whether a process works on another run in the same workspace. */
  hasCompany(): boolean {
    const isOther = (key: RunKey): boolean => key.workflow !== this.workflow.name || key.run !== this.id;
    const isHere = (key: RunKey): boolean => {
      const first = this.#store.records(key)?.[0];
      return first?.type === 'created' && resolve(this.commonDir, first.workspace) === this.workspace;
    };
    return this.#store.list().some((key) => isOther(key) && this.#store.owner(key) !== undefined && isHere(key));
  }

  /** Whether another run of the workflow is at work, or was since then. */
  otherWorkedSince(run: string, at: string): boolean {
    const key = { workflow: this.workflow.name, run };
    const lastAt = (): string => this.#store.records(key)?.at(-1)?.at ?? '';
    return orElse(false, () => this.#store.owner(key) !== undefined || lastAt() > at);
  }

  dispatchFolder(dispatch: string): string {
    return dispatchFolderIn(this.folder, dispatch);
  }

  /** A file of the workspace that no record holds. */
  wrote(path: string): void {
    this.#written.set(path, 'content');
  }

  makeDurable(): void {
    const recorded = this.state.unsynced.flatMap((write) =>
      'moveTo' in write ? [write.path, write.moveTo] : write.path,
    );
    const isWhole = (path: string): boolean => this.#written.get(path) === 'name' && !recorded.includes(path);
    this.#durable.sync([...recorded, ...this.#written.keys()], isWhole);
    this.#written.clear();
  }

  /** U5: paths of the workspace that somebody else wrote. */
  sync(paths: readonly string[]): void {
    this.#durable.sync(paths);
  }

  /** Keeps a file in the run's own folder, durable when it returns. */
  keepFile(file: string, content: string | Buffer): void {
    writeAtomically(file, content, {}, this.disk);
    new DurableFiles(this.disk, this.folder).sync([relative(this.folder, file)]);
  }

  observe(event: RunEvent): void {
    this.host.observe(event);
  }

  tell(type: 'recovered' | 'warning', message: string): void {
    this.observe({ type, message });
  }

  close(): void {
    this.#tree?.close?.();
    const isDurable = (): boolean => {
      this.makeDurable();
      return true;
    };
    const inOrder = this.inOrder && orElse(false, isDurable);
    this.held.close({ inOrder, state: inOrder ? { ...this.state, unsynced: [] } : this.state });
  }
}
