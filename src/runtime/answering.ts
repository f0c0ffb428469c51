/**
 * The question a run waits with, and its answers put on record.
 *
 * G1. An answer is one record: the signal it comes to, who gave it and how, and what it was about.
 * G2. Words that come to no signal are not recorded.
 */

import { effectOf, type Effect, type Refusal, type Signal } from '../engine/transition.ts';
import { isRecord } from '../schema/values.ts';
import type { Authority, JournalRecord } from '../store/record.ts';
import type { FreeAnswers, Question, RunView, Workflow, Write } from '../workflows/workflow.ts';
import { freeQuestion } from './free-question.ts';
import type { Run } from './run.ts';

export interface PendingDecision {
  readonly id: string;
  readonly question: Question;
  /** The answers of a question that is not answered freely. */
  readonly options: readonly string[];
}

export type AnsweredHow = Extract<Authority['how'], 'terminal' | 'answer' | 'answers'>;

export interface Answered {
  /** The question, or the part of it, that it answers. */
  readonly decision: string;
  /** Null: passed over. */
  readonly answer: string | null;
  readonly how: AnsweredHow;
  /** For one that was prepared: which of them it is, counted from 1. */
  readonly asking?: number;
}

export type AskEffect = Extract<Effect, { type: 'ask' }>;

/** What moves a run that cannot show its question, so it is nothing a person could answer. */
export const unwritten = 'unwritten';

/** The question a run waits with, if any. */
export function pendingDecision(run: Run): PendingDecision | null {
  return decisionIn(run.workflow, run.view());
}

/** The same for those who only look. */
export function decisionIn(workflow: Workflow, view: RunView): PendingDecision | null {
  const effect = effectOf(workflow.machine, view.snapshot);
  return effect.type === 'ask' ? decisionOf(workflow, view, effect) : null;
}

export function decisionOf(workflow: Workflow, view: RunView, effect: AskEffect): PendingDecision {
  const { question: id, options } = effect;
  return { id, question: questionOf(workflow, view, id), options: options.filter((each) => each !== unwritten) };
}

function questionOf({ machine, questions, decisions = {} }: Workflow, view: RunView, id: string): Question {
  const free = decisions[id]?.(view);
  if (free) return freeQuestion(machine, view.snapshot, free);
  const make = questions[id];
  if (!make) throw new Error(`the workflow has no question "${id}"`);
  return make(view);
}

/** Records one of the answers a question offers; a refusal leaves it open. */
export function answer(
  run: Run,
  { id, question }: PendingDecision,
  word: string,
  given: Pick<Answered, 'how' | 'asking'>,
): Refusal | null {
  const signal = { name: word, data: question.data?.[word] ?? {} };
  return record(run, question, { signal, answered: { ...given, decision: id, answer: word } });
}

export type Taken =
  | { readonly kind: 'recorded'; readonly understood: string | null }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Records what the words for one part of a question come to. */
export function answerPart(run: Run, question: Question & { freeText: FreeAnswers }, answered: Answered): Taken {
  const at = new Date(run.host.now()).toISOString();
  const { decision: part, answer: words } = answered;
  const reading = question.freeText.read({ part, words, by: run.host.user, at });
  if ('unclear' in reading) return { kind: 'unclear', why: reading.unclear };
  const { signal, writes = [], understood = null } = reading;
  const refusal = record(run, question, { signal, answered, writes });
  if (refusal) return { kind: 'refused', refusal };
  if (understood !== null) run.observe({ type: 'understood', decision: part, as: understood });
  return { kind: 'recorded', understood };
}

interface ToRecord {
  readonly signal: Signal;
  readonly answered: Answered;
  readonly writes?: readonly Write[];
}

/** G1. */
function record(run: Run, { about }: Question, { signal, answered, writes = [] }: ToRecord): Refusal | null {
  const { how, decision, answer: words, asking } = answered;
  const { user } = run.host;
  const said = { decision, answer: words, by: user, ...(asking !== undefined && { asking }) };
  const step = run.move(
    { ...signal, data: { answered: said, ...signal.data } },
    { by: { who: user, how }, about, writes },
  );
  return step.kind === 'refusal' ? step : null;
}

export interface RecordedAnswer {
  readonly decision: string;
  /** Null: it was passed over. */
  readonly answer: string | null;
  /** For one that was written down beforehand: which of them it was, counted from 1. */
  readonly asking?: number;
}

export function answerIn(record: JournalRecord): RecordedAnswer | null {
  const answered = record.type === 'moved' ? record.change.data?.['answered'] : undefined;
  if (!isRecord(answered)) return null;
  const { decision, answer, asking } = answered;
  if (typeof decision !== 'string' || (typeof answer !== 'string' && answer !== null)) return null;
  return { decision, answer, ...(typeof asking === 'number' && { asking }) };
}

/** How many askings of a decision are over: a prepared answer that came to nothing counts as one, and is not used again. */
export function timesAsked(records: readonly JournalRecord[], decision: string): number {
  let times = 0;
  for (const record of records) {
    const answered = answerIn(record);
    if (answered?.decision === decision) times = answered.asking ?? times + 1;
  }
  return times;
}
