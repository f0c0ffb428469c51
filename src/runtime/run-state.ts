/**
 * What the journal of a run amounts to.
 *
 * S1. The state is a fold over the records: the live run and a reader of its journal see the same.
 * S2. At most one dispatch is open; it is closed by the transition it caused or by being abandoned.
 */

import type { Machine, Outcome } from '../engine/machine.ts';
import { evolve, type Json, type Snapshot } from '../engine/snapshot.ts';
import { abandoned, branchesOf, effectOf, stateOf } from '../engine/transition.ts';
import { unknownUsage } from '../engine/usage.ts';
import type { SandboxLevel } from '../sandbox/level.ts';
import type { RunKey, RunStore, ShortJournal } from '../store/run-store.ts';
import type { Choice, JournalRecord, Landed, RecordedWrite } from '../store/record.ts';
import type { DispatchSummary, FiledReport, FileView, RunView, WorkflowReader } from '../workflows/workflow.ts';
import { deltaIn, choiceIn, snapshotIn } from './earlier-records.ts';
import { addCalls, spentBefore, type Spent } from './spending.ts';

type Created = Extract<JournalRecord, { type: 'created' }>;

export interface OpenDispatch {
  readonly started: Extract<JournalRecord, { type: 'dispatch.started' }>;
  readonly reports: readonly FiledReport[];
  /** Those of its advisor. */
  readonly advice: readonly FiledReport[];
}

export interface RunState {
  readonly workflow: string;
  readonly run: string;
  readonly workspace: string;
  readonly input: Readonly<Record<string, Json>>;
  readonly snapshot: Snapshot;
  readonly history: readonly DispatchSummary[];
  readonly open: OpenDispatch | null;
  /** Writes of the last transition, until a later record shows that they were made. */
  readonly unconfirmed: readonly RecordedWrite[];
  /** Writes that a power loss may undo, the oldest first: all since everything was last made durable. */
  readonly unsynced: readonly RecordedWrite[];
  readonly spent: Spent;
  /** Work tree before the run's first dispatch, and after its last. */
  readonly firstTree: string | null;
  readonly lastTree: string | null;
  /** Time of the last record that changed the snapshot; the state file carries it. */
  readonly changedAt: string;
  readonly lastCommand: string | null;
  readonly choice: Required<Omit<Choice, 'hint'>>;
  /** Whether the last record is an answer that was given beside the run: nobody has continued it since. */
  readonly answered: boolean;
  /** Dispatches that were cut off. */
  readonly interrupted: readonly DispatchSummary[];
  /** A person's words for a dispatch that has not ended yet: of the step it began with, or the next one there is. */
  readonly hint: { readonly words: string; readonly step: string | null } | null;
  /** What became of its work; null where nobody has said so. */
  readonly landed: Landed | null;
  /** The level that its last agent worked at, or that a person accepted since. */
  readonly sandbox: SandboxLevel;
}

/** Raised with every change to the form of RunState: checkpoints of other versions do not count. */
export const runStateVersion = 11;

export function replay(records: readonly JournalRecord[]): RunState | undefined {
  return foldOf({ checkpoint: null, tail: records })?.state;
}

/** What a run's journal amounts to, read without touching it; undefined when there is no run. */
export function readRunState(store: RunStore<RunState>, key: RunKey): RunState | undefined {
  const journal = store.read(key);
  return journal && foldOf(journal)?.state;
}

/** From the checkpoint on where there is one; undefined for a journal that does not begin with a run. */
export function foldOf({ checkpoint, tail }: ShortJournal<RunState>): RunFold | undefined {
  const [first] = tail;
  const from = checkpoint ? checkpoint.state : first?.type === 'created' ? first : undefined;
  if (!from) return undefined;
  const fold = new RunFold(from);
  for (const record of checkpoint ? tail : tail.slice(1)) fold.apply(record);
  return fold;
}

export function viewOf(state: RunState, files: FileView): RunView {
  const { run, snapshot, history, interrupted, changedAt: at } = state;
  return { run, snapshot, files, at, history, interrupted };
}

/** The run is where its workflow no longer has anything: a person restores the workflow. */
export class UnknownState extends Error {
  readonly code = 'UnknownState';
  readonly fix = "restore the state in the workflow's file, then run the same command again";
}

/** Whether a run in this state may be without its workspace. */
export function mayBePlaceless({ machine, placeless = [] }: WorkflowReader, { state }: Snapshot): boolean {
  return placeless.includes(state) || stateOf(machine, state).kind === 'final';
}

/** A workflow may have been changed since the run was last at work. */
export function requireKnownState({ name, machine }: WorkflowReader, run: string, { state, returnTo }: Snapshot): void {
  const refuse = (where: string): never => {
    throw new UnknownState(`${run} ${where}, which the workflow ${name} does not have`);
  };
  const known = Object.hasOwn(machine.states, state) ? machine.states[state] : undefined;
  if (!known && state === abandoned) return;
  if (!known) return refuse(`is in the state "${state}"`);
  if (returnTo === null || Object.hasOwn(machine.states, returnTo)) return;
  const branches = Object.values(known.on).flatMap(branchesOf);
  if (branches.some((branch) => 'to' in branch && branch.to === 'return'))
    refuse(`is to go back to the state "${returnTo}"`);
}

/** What a run that stands still tells its caller; null while it is under way, or still waits for its first command. */
export function restingOutcome(machine: Machine, snapshot: Snapshot): Outcome | null {
  if (snapshot.state === machine.initial) return null;
  const effect = effectOf(machine, snapshot);
  return effect.type === 'rest' ? effect.outcome : effect.type === 'ask' ? 'needs_person' : null;
}

/** When a run that a rate limit stopped can go on; null where none did, or nobody knows. */
export function waitsUntil({ outcome, problem }: Snapshot): string | null {
  return outcome === 'temporary' ? (problem?.until ?? null) : null;
}

/** The fold with its history kept in one growing list, so that a record costs the same however long the run is. */
export class RunFold {
  readonly #history: DispatchSummary[];
  #state: RunState;

  /** Begins with the first record, or goes on from what earlier ones amounted to. */
  constructor(from: Created | RunState) {
    this.#history = 'history' in from ? [...from.history] : [];
    this.#state = { ...('history' in from ? from : stateOfNew(from)), history: this.#history };
  }

  get state(): RunState {
    return this.#state;
  }

  apply(record: JournalRecord): void {
    const { snapshot } = this.#state;
    const unsynced = unsyncedAfter(this.#state.unsynced, record);
    const moves = record.type === 'moved' || record.type === 'state.edited';
    const moved = moves && { snapshot: evolve(snapshot, deltaIn(snapshot, record)), changedAt: record.at };
    const answered = record.type === 'moved' && record.by?.how === 'answer';
    this.#state = { ...this.#state, answered, unconfirmed: [], unsynced, ...moved, ...this.#changes(record) };
  }

  #changes(record: JournalRecord): Partial<RunState> {
    const { open, firstTree, spent } = this.#state;
    switch (record.type) {
      case 'created':
        throw new Error('a journal begins only once');
      case 'moved':
        return this.#moved(record);
      case 'dispatch.started':
        return {
          open: { started: record, reports: [], advice: [] },
          firstTree: firstTree ?? record.tree,
          sandbox: record.sandbox ?? 'none',
          ...(record.hint !== undefined && { hint: { words: record.hint, step: record.step } }),
        };
      case 'report.filed': {
        const { dispatch, tool, args } = record;
        const list = dispatch === open?.started.beside?.id ? 'advice' : 'reports';
        return { open: open && { ...open, [list]: [...open[list], { tool, args }] } };
      }
      case 'dispatch.abandoned':
        return {
          open: null,
          spent: addAbandoned(spent, record),
          interrupted: [...this.#state.interrupted, ...(open ? [cutOff(open, record)] : [])],
        };
      case 'chosen':
        return this.#chosen(record.choice);
      case 'landed': {
        const { how, branch, commit, url } = record;
        return { landed: { how, branch, commit, url } };
      }
      case 'sandbox.lowered':
        return { sandbox: record.to };
      case 'state.edited':
      case 'edits.kept':
        return {};
    }
  }

  #chosen({ hint, ...chosen }: Choice): Partial<RunState> {
    const { choice } = this.#state;
    return {
      choice: { ...choice, ...chosen, raised: { ...choice.raised, ...chosen.raised } },
      ...(hint !== undefined && { hint: { words: hint, step: null } }),
    };
  }

  #moved(record: Extract<JournalRecord, { type: 'moved' }>): Partial<RunState> {
    const { open, spent } = this.#state;
    const { dispatch, signal, at } = record;
    if (dispatch && open) {
      const { role, step, agent, model: asked } = open.started;
      const { id, ms, usage, session, digest: tree, model, problem = null, beside, ignored } = dispatch;
      const turn = {
        agent,
        model: model ?? asked,
        ms,
        usage,
        session,
        ...(beside && { beside }),
        ...(ignored && { ignored: ignored.paths }),
      };
      this.#history.push({ id, role, step, signal, at, tree, problem, ...turn });
    }
    return {
      // Words for an earlier attempt are over with a new command.
      ...(record.choice && { hint: null }),
      ...this.#chosen(choiceIn(record)),
      unconfirmed: record.writes ?? [],
      ...(dispatch && (dispatch.problem ?? null) === null && { hint: null }),
      ...(record.signal === 'undo' && { firstTree: null, lastTree: null }),
      ...(dispatch && {
        open: null,
        lastTree: dispatch.tree,
        spent: addCalls(spent, 'dispatches', [dispatch, dispatch.beside?.call ?? []].flat()),
      }),
      ...(record.by?.how === 'command' && !cancelSignals.includes(record.signal) && { lastCommand: record.signal }),
    };
  }
}

/** How `cancel` moves a run; `cancelled` in journals of earlier versions. */
const cancelSignals: readonly string[] = ['interrupted', 'withdrawn', 'cancelled'];

/** Everything is made durable before a dispatch begins, before a folder is moved, and when it was moved. */
function unsyncedAfter(before: readonly RecordedWrite[], record: JournalRecord): readonly RecordedWrite[] {
  const writes = record.type === 'moved' ? (record.writes ?? []) : [];
  const isFresh =
    record.settled === true ||
    record.type === 'dispatch.started' ||
    [...before, ...writes].some((write) => 'moveTo' in write);
  if (isFresh) return writes;
  return writes.length === 0 ? before : [...before, ...writes];
}

function stateOfNew(created: Created): RunState {
  const { workflow, run, workspace, input, at } = created;
  return {
    workflow,
    run,
    workspace,
    input,
    snapshot: snapshotIn(created),
    changedAt: at,
    history: [],
    open: null,
    unconfirmed: [],
    unsynced: [],
    spent: spentBefore(input),
    firstTree: null,
    lastTree: null,
    lastCommand: null,
    choice: { agent: null, model: null, script: null, raised: {}, unproven: [], branch: null, shareTree: false },
    answered: false,
    interrupted: [],
    hint: null,
    landed: null,
    sandbox: 'none',
  };
}

type Abandoned = Extract<JournalRecord, { type: 'dispatch.abandoned' }>;

function cutOff({ started }: OpenDispatch, record: Abandoned): DispatchSummary {
  const { why, usage = unknownUsage, ms = 0, at, beside: consumed } = record;
  const { id, role, step, agent, model, beside } = started;
  const end = { signal: 'interrupted', at, ms, usage, session: null, tree: null, problem: why };
  const call = beside && consumed && { id: beside.id, agent: beside.agent, model: beside.model, ...consumed };
  return { id, role, step, agent, model, ...end, ...(call && { beside: { role: beside.role, call, problem: why } }) };
}

function addAbandoned(spent: Spent, { usage, ms = 0, beside, crashed }: Abandoned): Spent {
  const consumed = addCalls(spent, 'reruns', [{ usage, ms }, beside ?? []].flat());
  return { ...consumed, crashes: spent.crashes + (crashed ? 1 : 0) };
}
