/**
 * A run that another process works on, told as that process tells it.
 *
 * F1. It only reads: the journal as it grows, and what the agent at work has logged.
 * F2. Every record is told once, the last ones too when the process has gone.
 */

import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { orElse } from '../disk/disk-error.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { toneOf, type Machine } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import { effectOf, stateOf } from '../engine/transition.ts';
import { eventsFile, loggedEvents } from '../runtime/agent-turn.ts';
import { answerIn } from '../runtime/answering.ts';
import { dispatchFolderIn } from '../runtime/run-place.ts';
import type { RunEvent } from '../runtime/host.ts';
import { remaining } from '../runtime/run-budgets.ts';
import { foldOf, requireKnownState, type OpenDispatch, type RunState } from '../runtime/run-state.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import type { JournalRecord } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import type { SpendingLimits, WorkflowReader } from '../workflows/workflow.ts';
import { LineTail } from '../workspace/tail.ts';
import type { RunRepository } from './work-order.ts';

export interface FollowRunOptions {
  readonly observe: (event: RunEvent) => void;
  /** Ends the following, not the run. */
  readonly signal: AbortSignal;
  /** Whether it returns as soon as the run asks a person. */
  readonly untilAsked: boolean;
}

/** `ended`: no process works on it any more. `left`: the follower did not want to hear more. */
export async function followRun(
  repository: RunRepository,
  key: RunKey,
  { observe, signal, untilAsked }: FollowRunOptions,
): Promise<'ended' | 'asks' | 'left'> {
  const { store, workflows, commonDir } = repository;
  const journal = store.read(key);
  const fold = journal && foldOf(journal);
  if (!journal || !fold || !store.owner(key)) return 'ended';
  const workflow = await workflows.read(key.workflow);
  requireKnownState(workflow, key.run, fold.state.snapshot);
  const { machine } = workflow;
  const files = workspaceFiles(rootsOf(workflow, resolve(commonDir, fold.state.workspace), commonDir));
  const spending = orElse(null, () => workflow.settings(files).spending);
  const teller: Teller = { workflow, spending, folder: store.folder(key) };
  const gone = new AbortController();
  const until = AbortSignal.any([signal, gone.signal]);
  void watchOwner(() => store.owner(key) !== undefined, until).then(() => gone.abort());
  const output = new AgentOutput(teller.folder, observe);
  const asks = (): boolean => untilAsked && effectOf(machine, fold.state.snapshot).type === 'ask';
  const tell = (record: JournalRecord): void => {
    output.read();
    const before = fold.state;
    fold.apply(record);
    requireKnownState(workflow, key.run, fold.state.snapshot);
    for (const event of eventsOf(teller, record, { before, after: fold.state })) observe(event);
    output.listenTo(fold.state.open);
  };
  let seen = (journal.checkpoint?.records ?? 0) + journal.tail.length;
  observe({ type: 'opened', phase: phaseOf(machine, fold.state.snapshot) });
  for (const event of doingNow(teller, fold.state)) observe(event);
  output.listenTo(fold.state.open);
  const ticking = setInterval(() => output.read(), outputMs);
  try {
    if (asks()) return 'asks';
    for await (const record of store.follow(key, { after: seen, signal: until })) {
      seen = record.seq;
      tell(record);
      if (asks()) return 'asks';
    }
    // F2.
    if (!signal.aborted) for (const record of (store.records(key) ?? []).slice(seen)) tell(record);
    return signal.aborted ? 'left' : 'ended';
  } finally {
    clearInterval(ticking);
    gone.abort();
    output.close();
  }
}

const ownerMs = 200;
const outputMs = 100;
const lineBytesMax = 1024 ** 2;

/** Resolves when there is no owner any more, or nobody listens. */
async function watchOwner(isOwned: () => boolean, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && isOwned()) await wait(ownerMs, undefined, { signal }).catch(() => undefined);
}

interface Teller {
  readonly workflow: WorkflowReader;
  /** Null where the configuration cannot be read. */
  readonly spending: SpendingLimits | null;
  readonly folder: string;
}

/** What a process would have told when it wrote the record. */
function eventsOf(
  teller: Teller,
  record: JournalRecord,
  { before, after }: { readonly before: RunState; readonly after: RunState },
): readonly RunEvent[] {
  const { machine } = teller.workflow;
  switch (record.type) {
    case 'moved':
      return [...movedEvents(machine, record, { before, after }), ...doingNow(teller, after)];
    case 'dispatch.started':
      return doingNow(teller, after);
    case 'report.filed':
      return [{ type: 'report.filed', id: record.dispatch, tool: record.tool }];
    case 'dispatch.abandoned':
      return [{ type: 'recovered', message: `the agent call ${record.id} was cut off: ${record.why}` }];
    case 'state.edited':
      return [{ type: 'recovered', message: `the edited phase ${record.phase} was adopted` }];
    default:
      return [];
  }
}

function movedEvents(
  machine: Machine,
  { from, signal, dispatch, change, ...record }: Extract<JournalRecord, { type: 'moved' }>,
  { before, after }: { readonly before: RunState; readonly after: RunState },
): readonly RunEvent[] {
  const { state: to } = after.snapshot;
  const tone = toneOf(machine, signal);
  const decision = answerIn({ from, signal, change, ...record })?.decision;
  const shown = { from, signal, to, kind: stateOf(machine, to).kind, phase: phaseOf(machine, after.snapshot) };
  const moved: RunEvent = { type: 'moved', ...shown, ...(decision !== undefined && { decision }) };
  const started = before.open?.started;
  if (dispatch && started) {
    const { id, ms, usage, problem = null } = dispatch;
    const { role, step } = started;
    return [moved, { type: 'dispatch.ended', id, role, step, signal, tone, ms, usage, problem }];
  }
  const effect = effectOf(machine, before.snapshot);
  if (effect.type !== 'check' || record.by !== undefined) return [moved];
  return [{ type: 'check.ended', check: effect.check, signal, tone, notes: [] }, moved];
}

/** The work that has begun and not ended. */
function doingNow({ workflow, spending }: Teller, { snapshot, open, spent, choice }: RunState): readonly RunEvent[] {
  if (open) {
    const { id, role, step, agent, model, item, beside, at } = open.started;
    const limits = spending && { ...spending, ...choice.raised };
    const left = limits && remaining(spent, limits);
    const shown = { id, role, step, agent, model, item: item?.id ?? null, ...(beside && { beside }) };
    return [{ type: 'dispatch.started', ...shown, remaining: left, at }];
  }
  if (!Object.hasOwn(workflow.machine.states, snapshot.state)) return [];
  const effect = effectOf(workflow.machine, snapshot);
  return effect.type === 'check' ? [{ type: 'check.started', check: effect.check }] : [];
}

/** What the agents of the open dispatch say, from their logs. */
class AgentOutput {
  readonly #folder: string;
  readonly #observe: (event: RunEvent) => void;
  #id: string | null = null;
  #tails: { readonly path: string; readonly onLine: (line: string) => void; tail: LineTail | null; fd: number }[] = [];

  constructor(folder: string, observe: (event: RunEvent) => void) {
    this.#folder = folder;
    this.#observe = observe;
  }

  listenTo(open: OpenDispatch | null): void {
    const started = open?.started;
    if ((started?.id ?? null) === this.#id) return;
    this.close();
    this.#id = started?.id ?? null;
    const ids = started ? [started.id, ...(started.beside ? [started.beside.id] : [])] : [];
    this.#tails = ids.map((id) => {
      const events = loggedEvents(id);
      const onLine = (line: string): void => events(line).forEach((event) => this.#observe(event));
      return { path: join(dispatchFolderIn(this.#folder, id), eventsFile), onLine, tail: null, fd: -1 };
    });
  }

  read(): void {
    for (const each of this.#tails) {
      // The file is made with the first event.
      if (each.tail === null) each.fd = orElse(-1, () => nodeDisk.open(each.path, 'r'));
      if (each.fd === -1) continue;
      const limits = { from: 0, to: Number.MAX_SAFE_INTEGER, lineBytesMax };
      each.tail ??= new LineTail(each.fd, { ...limits, onLine: each.onLine });
      each.tail.read();
    }
  }

  close(): void {
    for (const { fd } of this.#tails) if (fd !== -1) orElse(undefined, () => nodeDisk.close(fd));
    this.#tails = [];
    this.#id = null;
  }
}
