/**
 * What the journal of a run amounts to.
 *
 * S1. The state is a fold over the records: the live run and a reader of its journal see the same.
 * S2. At most one dispatch is open; it is closed by the transition it caused or by being abandoned.
 */

import type { Machine, Outcome } from '../engine/machine.ts';
import { evolve, type Json, type Snapshot } from '../engine/snapshot.ts';
import { abandoned, branchesOf, effectOf } from '../engine/transition.ts';
import { unknownUsage, type Usage } from '../engine/usage.ts';
import { isRecord } from '../schema/values.ts';
import type { RunKey, RunStore, ShortJournal } from '../store/run-store.ts';
import type { Choice, JournalRecord, RecordedWrite } from '../store/record.ts';
import type { DispatchSummary, FiledReport, FileView, RunView } from '../workflows/workflow.ts';
import type { SpendingLimits, WorkflowReader } from '../workflows/workflow.ts';
import { deltaIn, choiceIn, snapshotIn } from './earlier-records.ts';

type Created = Extract<JournalRecord, { type: 'created' }>;

export interface OpenDispatch {
  readonly started: Extract<JournalRecord, { type: 'dispatch.started' }>;
  readonly reports: readonly FiledReport[];
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
  /** Dispatches that were cut off. */
  readonly interrupted: readonly DispatchSummary[];
  /** A person's words for a dispatch that has not ended yet: of the step it began with, or the next one there is. */
  readonly hint: { readonly words: string; readonly step: string | null } | null;
}

/** Raised with every change to the form of RunState: checkpoints of other versions do not count. */
export const runStateVersion = 7;

/** Run budgets count over a run's whole life: they survive crashes and are never renewed by a command. */
const nothingSpent = {
  dispatches: 0,
  /** Dispatches whose tokens, or cost, nobody told. */
  unknownTokens: 0,
  unknownCost: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  wallMs: 0,
  /** Dispatches that a crash or an interruption cut off, and those of them that nobody wanted to end. */
  reruns: 0,
  crashes: 0,
};

export type Spent = Readonly<typeof nothingSpent>;

/** Why the next dispatch would exceed a run budget, or null when it may go. Unknown usage counts at its ceiling. */
export function exceeded(spent: Spent, limits: SpendingLimits): string | null {
  const left = remaining(spent, limits);
  if (spent.crashes >= limits.crashes) return `agent calls of this run were cut off ${spent.crashes} times by crashes`;
  if (left.dispatches < 1) return `all ${limits.dispatches} agent calls of this run are used`;
  if (left.tokens <= 0) return `the run's ${limits.tokens} tokens are used`;
  if (left.costUsd <= 0) return `the run's ${limits.costUsd} USD are used`;
  if (left.wallMs <= 0) return `the run's ${Math.round(limits.wallMs / 60_000)} minutes of agent time are used`;
  return null;
}

export type Remaining = Readonly<Record<'dispatches' | 'tokens' | 'costUsd' | 'wallMs', number>>;

export function remaining(spent: Spent, limits: SpendingLimits): Remaining {
  return {
    dispatches: limits.dispatches - spent.dispatches - spent.reruns,
    tokens: limits.tokens - spent.inputTokens - spent.outputTokens - spent.unknownTokens * limits.unknownTokens,
    costUsd: limits.costUsd - spent.costUsd - spent.unknownCost * limits.unknownCostUsd,
    wallMs: limits.wallMs - spent.wallMs,
  };
}

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
    this.#state = { ...this.#state, unconfirmed: [], unsynced, ...moved, ...this.#changes(record) };
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
          open: { started: record, reports: [] },
          firstTree: firstTree ?? record.tree,
          ...(record.hint !== undefined && { hint: { words: record.hint, step: record.step } }),
        };
      case 'report.filed': {
        const { tool, args } = record;
        return { open: open && { ...open, reports: [...open.reports, { tool, args }] } };
      }
      case 'dispatch.abandoned':
        return {
          open: null,
          spent: addAbandoned(spent, record),
          interrupted: [...this.#state.interrupted, ...(open ? [cutOff(open, record)] : [])],
        };
      case 'state.edited':
      case 'edits.kept':
        return {};
    }
  }

  #moved(record: Extract<JournalRecord, { type: 'moved' }>): Partial<RunState> {
    const { open, spent, choice } = this.#state;
    const { hint, ...chosen } = choiceIn(record);
    const { dispatch, signal, at } = record;
    if (dispatch && open) {
      const { role, step, agent, model: asked } = open.started;
      const { id, ms, usage, session, digest: tree, model, problem = null } = dispatch;
      const turn = { agent, model: model ?? asked, ms, usage, session };
      this.#history.push({ id, role, step, signal, at, tree, problem, ...turn });
    }
    return {
      choice: { ...choice, ...chosen, raised: { ...choice.raised, ...chosen.raised } },
      unconfirmed: record.writes ?? [],
      ...(record.choice && { hint: hint === undefined ? null : { words: hint, step: null } }),
      ...(dispatch && (dispatch.problem ?? null) === null && { hint: null }),
      ...(record.signal === 'undo' && { firstTree: null, lastTree: null }),
      ...(dispatch && {
        open: null,
        lastTree: dispatch.tree,
        spent: { ...addUsage(spent, dispatch.usage, dispatch.ms), dispatches: spent.dispatches + 1 },
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
    choice: { agent: null, script: null, raised: {}, unproven: [], branch: null, shareTree: false },
    interrupted: [],
    hint: null,
  };
}

/** A run that was taken over from its state file has consumed before what that file says. */
function spentBefore({ spentBefore: before }: Created['input']): Spent {
  const told = isRecord(before) ? Object.entries(before).filter(([, amount]) => typeof amount === 'number') : [];
  return { ...nothingSpent, ...Object.fromEntries(told) };
}

type Abandoned = Extract<JournalRecord, { type: 'dispatch.abandoned' }>;

function cutOff({ started }: OpenDispatch, { why, usage = unknownUsage, ms = 0, at }: Abandoned): DispatchSummary {
  const { id, role, step, agent, model } = started;
  const end = { signal: 'interrupted', at, ms, usage, session: null, tree: null, problem: why };
  return { id, role, step, agent, model, ...end };
}

function addAbandoned(spent: Spent, { usage, ms = 0, crashed }: Abandoned): Spent {
  const consumed = usage ? addUsage(spent, usage, ms) : spent;
  return { ...consumed, reruns: spent.reruns + 1, crashes: spent.crashes + (crashed ? 1 : 0) };
}

function addUsage(spent: Spent, { inputTokens, outputTokens, costUsd }: Usage, ms: number): Spent {
  return {
    ...spent,
    unknownTokens: spent.unknownTokens + (inputTokens === null || outputTokens === null ? 1 : 0),
    unknownCost: spent.unknownCost + (costUsd === null ? 1 : 0),
    inputTokens: spent.inputTokens + (inputTokens ?? 0),
    outputTokens: spent.outputTokens + (outputTokens ?? 0),
    costUsd: spent.costUsd + (costUsd ?? 0),
    wallMs: spent.wallMs + ms,
  };
}
