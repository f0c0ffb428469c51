/** A person's answer to the question a run waits on, given while another process holds the run or nobody does. */

import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { effectOf } from '../engine/transition.ts';
import { deciding, listedAnswer } from '../runtime/answer-meant.ts';
import { answer, answerIn, decisionIn, pendingDecision, type PendingDecision } from '../runtime/answering.ts';
import type { Host } from '../runtime/host.ts';
import { foldOf, viewOf } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { projectAtRest } from '../runtime/state-writing.ts';
import { rootsOf, workspaceFiles } from '../runtime/workspace-files.ts';
import { didYouMean, nearest } from '../schema/nearest.ts';
import type { JournalRecord } from '../store/record.ts';
import type { Message, RunKey } from '../store/run-store.ts';
import { withRunInPlace } from './quiet-work.ts';
import { notReady, orRefusal, refusal, type Refusal } from './refusal.ts';
import type { RunRepository } from './work-order.ts';

export interface AnsweredRun {
  readonly by: 'owner' | 'us';
  /** For an answer in free text: its interpretation, where that is not what was typed. */
  readonly understood?: string | null;
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
    return withRunInPlace(repository, key, host, (run) => recordAnswer(run, given));
  });
}

/** Puts the answer on record and names the command to run next. */
export function recordAnswer(run: Run, typed: CommandAnswer): AnsweredRun | Refusal {
  const pending = pendingDecision(run);
  const given = spelled(typed, pending);
  // An earlier try may have been killed after its answer was on record, and before the files showed it.
  if (!pending) projectAtRest(run);
  const wrong = checkAnswer(run.id, given, pending);
  if (wrong) return wrong;
  if (!pending) return { by: 'us', next: null };
  const { question, options } = pending;
  if (question.withdrawn !== null)
    return notReady('QuestionWithdrawn', `the question was withdrawn: ${question.withdrawn}`, `pawl resume ${run.id}`);
  const taken = answer(run, pending, { ...given, how: 'answer' });
  if (taken.kind === 'unclear') return unclearAnswer(run.id, given, pending, taken.why);
  if (taken.kind === 'refused') {
    const { reason, outcome } = taken.refusal;
    const { message } = run.workflow.summarize(run.view(), { outcome, refusal: reason });
    if (question.freeText) return refusal(reason, message, { outcome, fix: `pawl log ${run.id}` });
    return refusal(reason, withAnswers(message, deciding(options, question)), {
      outcome,
      fix: commandFor(run.id, pending.id),
    });
  }
  projectAtRest(run);
  if (taken.kind === 'asked again') return askedAgain(run.id, given, pendingDecision(run), taken.why);
  return { by: 'us', ...(question.freeText && { understood: taken.understood }), next: nextOf(run) };
}

/** As at the terminal, but for the beginning of a word: a script gets no answer that it did not name. */
function spelled(given: CommandAnswer, pending: PendingDecision | null): CommandAnswer {
  if (!pending || pending.question.freeText || given.answer === null) return given;
  return { ...given, answer: listedAnswer(given.answer, pending.options) ?? given.answer };
}

/** With the question as it is now: the person decides about that. */
function askedAgain(run: string, { decision }: CommandAnswer, now: PendingDecision | null, why: string): Refusal {
  const message = [why, now?.question.detail ?? ''].filter((text) => text !== '').join('\n');
  return refusal('QuestionChanged', message, { outcome: 'needs_person', fix: commandFor(run, decision) });
}

function nextOf(run: Run): string | null {
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type === 'rest') {
    return run.workflow.summarize(run.view(), { outcome: effect.outcome, refusal: null }).next;
  }
  const [part] = pendingDecision(run)?.question.freeText?.parts ?? [];
  return part ? commandFor(run.id, part.id) : `pawl resume ${run.id}`;
}

function commandFor(run: string, decision: string): string {
  return `pawl answer ${run} ${decision} "<answer>"`;
}

function withAnswers(message: string, answers: readonly string[]): string {
  return answers.length === 0 ? message : `${message}; possible answers: ${answers.join(', ')}`;
}

const waitMsMax = 30_000;
const ownerMs = 100;

/**
 * Posts the answer for the process that waits for it, and stays until it is on record.
 * `free` when that process ended without it: then it is still to be recorded.
 */
async function handOver(
  repository: RunRepository,
  key: RunKey,
  typed: CommandAnswer,
): Promise<AnsweredRun | Refusal | 'free'> {
  const { store } = repository;
  const journal = store.read(key);
  const pending = await pendingIn(repository, key, journal);
  const given = spelled(typed, pending);
  const wrong = checkAnswer(key.run, given, pending, { elsewhere: true });
  if (wrong) return wrong;
  const message: Message = { kind: 'answer', ...given, by: 'answer' };
  store.post(key, message);
  const after = journal ? (journal.checkpoint?.records ?? 0) + journal.tail.length : 0;
  const end = await follow(repository, key, { given, after });
  const again = typeof end === 'string' ? undefined : answerIn(end)?.askedAgain;
  if (again !== undefined) return askedAgain(key.run, given, await pendingIn(repository, key, store.read(key)), again);
  if (typeof end !== 'string') return ours(end, key.run, given);
  if (!store.withdraw(key, message)) {
    const record = (store.records(key) ?? []).slice(after).find((each) => answers(each, given));
    if (record) return ours(record, key.run, given);
  }
  if (end === 'gone') return 'free';
  const movedOn = `${key.run} moved on without an answer to ${given.decision}`;
  if (end === 'moved on') return notReady('NoPendingDecision', movedOn, `pawl log ${key.run}`);
  const late = `the process that works on ${key.run} did not take the answer; it has to stop first`;
  return refusal('AnswerNotTaken', late, { outcome: 'temporary', fix: `pawl pause ${key.run}` });
}

/** The record of an answer that was posted for the run's owner, or why there is none. */
async function follow(
  { store }: RunRepository,
  key: RunKey,
  { given, after }: { readonly given: CommandAnswer; readonly after: number },
): Promise<JournalRecord | 'moved on' | 'gone' | 'late'> {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = watchOwner(() => store.owner(key) !== undefined, signal);
  void ended.then(() => stop.abort());
  try {
    for await (const record of store.follow(key, { after, signal })) {
      if (answers(record, given)) return record;
      if (record.type === 'moved' && record.change.state !== undefined) return 'moved on';
    }
    return await ended;
  } finally {
    stop.abort();
  }
}

/** Resolves when the run has no owner any more, or keeps one for too long. */
async function watchOwner(isOwned: () => boolean, signal: AbortSignal): Promise<'gone' | 'late'> {
  for (let ms = 0; ms < waitMsMax && !signal.aborted; ms += ownerMs) {
    if (!isOwned()) return 'gone';
    await wait(ownerMs, undefined, { signal }).catch(() => undefined);
  }
  return 'late';
}

async function pendingIn(
  { workflows, commonDir, store }: RunRepository,
  key: RunKey,
  journal: ReturnType<typeof store.read>,
): Promise<PendingDecision | null> {
  const state = journal && foldOf(journal)?.state;
  if (!state) return null;
  const workflow = await workflows.load(key.workflow);
  const root = resolve(commonDir, state.workspace);
  const files = workspaceFiles(rootsOf(workflow, root, commonDir));
  return decisionIn(workflow, { ...viewOf(state, files), run: key.run });
}

function answers(record: JournalRecord, { decision }: CommandAnswer): boolean {
  return record.type === 'moved' && record.by !== undefined && answerIn(record)?.decision === decision;
}

/** The first answer counts. */
function ours(record: JournalRecord, run: string, given: CommandAnswer): AnsweredRun | Refusal {
  const recorded = answerIn(record)?.answer ?? null;
  const how = record.type === 'moved' ? record.by?.how : undefined;
  if (how === 'answer' && recorded === given.answer) return { by: 'owner', next: null };
  const message = `${given.decision} was answered meanwhile: ${recorded ?? 'skipped'}`;
  return notReady('AlreadyAnswered', message, `pawl log ${run}`);
}

export interface CommandAnswer {
  readonly decision: string;
  /** Null: it is skipped. */
  readonly answer: string | null;
}

/** Checked before any path is built from it. */
export function isDecisionId(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(text);
}

/**
 * Why not: the question is not open, or cannot be answered like that. Null where it can.
 * An answer that is known and just not open is refused by the run itself, with the reason, unless another process has it.
 */
export function checkAnswer(
  run: string,
  given: CommandAnswer,
  pending: PendingDecision | null,
  { elsewhere = false } = {},
): Refusal | null {
  if (!pending) return notReady('NoPendingDecision', `${run} is not waiting for an answer`, `pawl log ${run}`);
  const { freeText, answers: known } = pending.question;
  if (!freeText) return checkWord(run, given, pending, elsewhere ? [] : Object.keys(known));
  const { parts } = freeText;
  const part = parts.find(({ id }) => id === given.decision);
  if (!part) {
    const open = parts.map(({ id }) => id);
    const message = `the decision "${given.decision}" is not open; open: ${open.join(', ')}`;
    return refusal('UsageError', message, { fix: commandFor(run, nearest(given.decision, open) ?? open[0] ?? '') });
  }
  const required = `${part.id} cannot be skipped: it stays open until it is answered`;
  if (given.answer === null && part.required) return notReady('AnswerRequired', required, commandFor(run, part.id));
  // The owner of the run reads the words again: this only reports a mistake to the person who made it.
  const reading = freeText.read({ part: part.id, words: given.answer, by: '', at: new Date().toISOString() });
  return 'unclear' in reading ? unclearAnswer(run, given, pending, reading.unclear) : null;
}

function checkWord(
  run: string,
  { decision, answer }: CommandAnswer,
  { id, question, options: all }: PendingDecision,
  known: readonly string[],
): Refusal | null {
  const options = deciding(all, question);
  const wrong = (message: string): Refusal => refusal('UsageError', message, { fix: commandFor(run, id) });
  if (id !== decision) return wrong(`unknown decision "${decision}"${didYouMean(decision, [id]) || `; open: ${id}`}`);
  if (answer === null) return wrong(withAnswers(`${id} cannot be skipped`, options));
  if (options.includes(answer)) return null;
  if (all.includes(answer))
    return wrong(withAnswers(`"${answer}" is for the terminal: read ${question.paths.join(', ')}`, options));
  if (known.includes(answer)) return null;
  return wrong(withAnswers(`unknown answer "${answer}"${didYouMean(answer, options)}`, options));
}

function unclearAnswer(run: string, { decision }: CommandAnswer, { question }: PendingDecision, why: string): Refusal {
  const part = question.freeText?.parts.find(({ id }) => id === decision);
  const message = withAnswers(why, Object.keys(part?.answers ?? {}));
  return refusal('UnclearAnswer', message, { fix: commandFor(run, decision) });
}
