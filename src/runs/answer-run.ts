/** A person's answer to the question a run waits with, given while another process holds the run or nobody does. */

import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { effectOf } from '../engine/transition.ts';
import {
  answer,
  decisionIn,
  pendingDecision,
  answerIn,
  type Answer,
  type PendingDecision,
} from '../runtime/answering.ts';
import { projectAtRest } from '../runtime/state-writing.ts';
import { foldOf, type RunState } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import type { Host } from '../runtime/host.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import type { JournalRecord } from '../store/record.ts';
import type { Message, RunKey } from '../store/run-store.ts';
import { checkAnswer, refusedAnswer, unclearAnswer, type CommandAnswer } from './check-answer.ts';
import { withRun } from './quiet-run.ts';
import { isRefusal, refusal, type Refusal } from './refusal.ts';
import { orRefusal } from './refusal-of.ts';
import type { RunRepository } from './run-repository.ts';

export interface AnsweredRun {
  readonly by: 'owner' | 'us';
  /** For answers in a person's own words: what they were taken for, where it is not what was typed. */
  readonly understood?: string | null;
  /** The command to run next. */
  readonly next: string | null;
}

export function answerRun(
  repository: RunRepository,
  key: RunKey,
  given: CommandAnswer,
  host: Host,
): Promise<AnsweredRun | Refusal> {
  return orRefusal(async () => {
    const taken = repository.store.owner(key) ? await handOver(repository, key, given) : 'free';
    if (taken !== 'free') return taken;
    return withRun(repository, key, host, (run) => recordAnswer(run, given));
  });
}

/** Puts the answer on record and names the command to run next. */
export function recordAnswer(run: Run, given: CommandAnswer): AnsweredRun | Refusal {
  const pending = pendingDecision(run);
  // An earlier try may have been killed after its answer was on record, and before the files showed it.
  if (!pending) show(run);
  const wrong = checkAnswer(run.id, given, pending);
  if (wrong) return wrong;
  if (!pending) return { by: 'us', next: null };
  if (pending.question.withdrawn !== null)
    return refusal('withdrawn', `this need not be answered any more: ${pending.question.withdrawn}`, {
      outcome: 'not_ready',
      fix: `pawl resume ${run.id}`,
    });
  const taken = take(run, pending, { ...given, how: 'answer' });
  if (isRefusal(taken)) return taken;
  show(run);
  return { by: 'us', ...taken, next: nextOf(run) };
}

function take(run: Run, pending: PendingDecision, answered: Answer): Pick<AnsweredRun, 'understood'> | Refusal {
  const taken = answer(run, pending, answered);
  if (taken.kind === 'refused') return refusedAnswer(run, pending, taken.refusal);
  if (taken.kind === 'unclear') return unclearAnswer(answered, pending, taken.why);
  return pending.question.freeText ? { understood: taken.understood } : {};
}

function nextOf(run: Run): string | null {
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type === 'rest') {
    return run.workflow.summarize(run.view(), { outcome: effect.outcome, refusal: null }).next;
  }
  const [part] = pendingDecision(run)?.question.freeText?.parts ?? [];
  return part ? `pawl answer ${run.id} ${part.id} "<answer>"` : `pawl resume ${run.id}`;
}

function show(run: Run): void {
  projectAtRest(run);
}

const waitMsMax = 30_000;
const ownerMs = 100;

/**
 * Gives the answer to the process that waits for it, and stays until it is on record.
 * `free` when that process ended without it: then it is still to be given.
 */
async function handOver(
  repository: RunRepository,
  key: RunKey,
  given: CommandAnswer,
): Promise<AnsweredRun | Refusal | 'free'> {
  const { store } = repository;
  const journal = store.read(key);
  const state = journal && foldOf(journal)?.state;
  const wrong = checkAnswer(key.run, given, state ? await pendingIn(repository, key, state) : null, {
    elsewhere: true,
  });
  if (wrong) return wrong;
  const message: Message = { kind: 'answer', ...given, by: 'answer' };
  store.post(key, message);
  const seen = journal ? (journal.checkpoint?.records ?? 0) + journal.tail.length : 0;
  const became = await follow(repository, key, { given, after: seen });
  if (typeof became !== 'string') return became;
  if (!store.withdraw(key, message)) {
    const record = (store.records(key) ?? []).slice(seen).find((each) => answers(each, given));
    if (record) return ours(record, given);
  }
  return became === 'gone' ? 'free' : notTaken[became](key.run, given.decision);
}

const notTaken = {
  'went on': (run: string, decision: string): Refusal =>
    refusal('no_decision', `${run} went on without an answer to ${decision}`, {
      outcome: 'not_ready',
      fix: `pawl log ${run}`,
    }),
  late: (): Refusal =>
    refusal('not_taken', 'the process that works on it does not take the answer', {
      outcome: 'temporary',
      fix: 'try again in a moment, or stop that process with pawl pause',
    }),
};

const byOwner: AnsweredRun = { by: 'owner', next: null };

type Became = AnsweredRun | Refusal | 'went on' | 'gone' | 'late';

/** What becomes of an answer that was left for the run's owner. */
async function follow(
  { store }: RunRepository,
  key: RunKey,
  { given, after }: { readonly given: CommandAnswer; readonly after: number },
): Promise<Became> {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = watchOwner(() => store.owner(key) !== undefined, signal);
  void ended.then(() => stop.abort());
  try {
    for await (const record of store.follow(key, { after, signal })) {
      if (answers(record, given)) return ours(record, given);
      if (record.type === 'moved' && record.change.state !== undefined) return 'went on';
    }
    return await ended;
  } finally {
    stop.abort();
  }
}

/** Resolves when the run has no owner any more, or keeps one for too long. */
async function watchOwner(isOwned: () => boolean, signal: AbortSignal): Promise<'gone' | 'late'> {
  for (let ms = 0; ms < waitMsMax; ms += ownerMs) {
    if (!isOwned()) return 'gone';
    await wait(ownerMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return 'late';
  }
  return 'late';
}

/** What a run waits with that another process works on. */
async function pendingIn(
  { workflows, commonDir }: RunRepository,
  key: RunKey,
  { snapshot, history, changedAt, workspace }: RunState,
): Promise<PendingDecision | null> {
  const workflow = await workflows.load(key.workflow);
  const files = workspaceFiles(resolve(commonDir, workspace));
  return decisionIn(workflow, { run: key.run, snapshot, history, files, at: changedAt });
}

function answers(record: JournalRecord, { decision }: CommandAnswer): boolean {
  return record.type === 'moved' && record.by !== undefined && answerIn(record)?.decision === decision;
}

/** The answer that came first is the one that counts. */
function ours(record: JournalRecord, given: CommandAnswer): AnsweredRun | Refusal {
  const recorded = answerIn(record)?.answer ?? null;
  const how = record.type === 'moved' ? record.by?.how : undefined;
  if (how === 'answer' && recorded === given.answer) return byOwner;
  return refusal('answered', `it was answered meanwhile: ${recorded ?? 'passed over'}`, { outcome: 'not_ready' });
}
