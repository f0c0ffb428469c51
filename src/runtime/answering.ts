/**
 * The question a run waits on, and its answers put on record.
 *
 * G1. An answer is one record: the signal it comes to, who gave it and how, and what it was about.
 * G2. Words that come to no signal are not recorded.
 */

import type { Decision } from '../engine/decision.ts';
import type { Machine } from '../engine/machine.ts';
import type { Snapshot } from '../engine/snapshot.ts';
import { effectOf, type Effect, type Refusal, type Signal } from '../engine/transition.ts';
import { isRecord } from '../schema/values.ts';
import type { Authority, JournalRecord } from '../store/record.ts';
import type {
  AnswerReading,
  FreeQuestion,
  GivenAnswer,
  Question,
  Reading,
  RunView,
  SettledAnswer,
  Workflow,
} from '../workflows/workflow.ts';
import { freeAnswer } from './answer-meant.ts';
import { decisionsAsked } from './decisions.ts';
import type { Run } from './run.ts';

export interface PendingDecision {
  readonly id: string;
  readonly question: Question;
  /** The answers of a question that has no free text. */
  readonly options: readonly string[];
}

export interface Answer {
  /** The question, or the part of it, that it answers. */
  readonly decision: string;
  /** Null: skipped. */
  readonly answer: string | null;
  readonly how: Extract<Authority['how'], 'terminal' | 'answer' | 'answers'>;
  /** For one that was prepared: which of them it is, counted from 1. */
  readonly asking?: number;
}

export type AskEffect = Extract<Effect, { type: 'ask' }>;

/** What moves a run that cannot show its question, so it is nothing a person could answer. */
export const unwritten = 'unwritten';

export function pendingDecision(run: Run): PendingDecision | null {
  return decisionIn(run.workflow, run.view());
}

/** The same for those who only look. */
export function decisionIn(workflow: Workflow, view: RunView): PendingDecision | null {
  const effect = effectOf(workflow.machine, view.snapshot);
  return effect.type === 'ask' ? decisionOf(workflow, view, effect) : null;
}

export function decisionOf(workflow: Workflow, view: RunView, { question: id, options }: AskEffect): PendingDecision {
  const free = workflow.decisions?.[id]?.(view);
  const question = free ? freeQuestion(workflow.machine, view.snapshot, free) : workflow.questions[id]?.(view);
  if (!question) throw new Error(`the workflow has no question "${id}"`);
  return { id, question, options: options.filter((each) => each !== unwritten) };
}

function freeQuestion(machine: Machine, snapshot: Snapshot, free: FreeQuestion): Question {
  const all = decisionsAsked(machine, snapshot);
  const open = all.filter(({ status }) => status === 'pending');
  const { title = snapshot.asked?.title ?? '', detail = snapshot.asked?.detail ?? '', reAsks, onExhausted } = free;
  const [first] = open;
  return {
    title,
    detail,
    answers: {},
    about: free.about ?? open.map(({ id }) => id).join(' '),
    withdrawn: null,
    paths: free.paths ?? [],
    freeText: {
      parts: open.map((decision) => {
        const { id, question, binding: required } = decision;
        return { id, text: free.title ?? question, answers: answersTo(free, decision), required };
      }),
      ownWords: free.ownWords === true,
      read: (given) => read(free, all, given),
      reAsks,
      onExhausted: onExhausted && first ? signalOf(free, all, first, onExhausted) : null,
    },
  };
}

function read(free: FreeQuestion, all: readonly Decision[], given: GivenAnswer): Reading {
  const decision = all.find(({ id, status }) => id === given.part && status === 'pending');
  if (!decision) return { unclear: `${given.part} is not asked any more` };
  if (given.words === null && decision.binding) return { unclear: 'this one stays open until it is answered' };
  const reading = given.words === null ? { reason: 'no response provided' } : readWords(free, decision, given);
  if ('unclear' in reading) return reading;
  const { writes, understood, askedAgain, ...settled } = reading;
  return {
    signal: signalOf(free, all, decision, settled),
    ...(writes && { writes }),
    ...(understood !== undefined && { understood }),
    ...(askedAgain !== undefined && { askedAgain }),
  };
}

function readWords(free: FreeQuestion, decision: Decision, given: GivenAnswer): AnswerReading {
  const typed = given.words?.trim() ?? '';
  const meant = freeAnswer(typed, Object.keys(answersTo(free, decision)), free.ownWords === true);
  if ('unclear' in meant) return meant;
  const reading = free.read(meant.words, decision, given);
  if ('unclear' in reading || reading.understood !== undefined) return reading;
  // What is on record is not what was typed: the person is shown it.
  const { answer: taken = meant.words, reason } = reading;
  const said = reading.answer === undefined || reason === undefined ? taken : `${taken}: ${reason}`;
  return said === typed ? reading : { ...reading, understood: said };
}

function answersTo(free: FreeQuestion, { suggestions }: Decision): Readonly<Record<string, string>> {
  return free.suggestions ?? Object.fromEntries(suggestions.map((suggestion) => [suggestion, '']));
}

function signalOf(
  free: FreeQuestion,
  all: readonly Decision[],
  decision: Decision,
  { answer: words, reason, signal, data, problem }: SettledAnswer,
): Signal {
  const { id } = decision;
  const resolved: Decision = {
    ...decision,
    ...(words === undefined
      ? reason !== undefined && { status: 'cancelled', reason }
      : { status: 'answered', answer: words, reason: reason ?? null }),
  };
  const after = all.map((each) => (each.id === id ? resolved : each));
  const isOpen = after.some(({ status }) => status === 'pending');
  const name = signal ?? (isOpen ? 'noted' : free.leave?.(after));
  if (name === undefined) throw new Error(`nothing leads on from ${id}`);
  return {
    name,
    ...(words === undefined
      ? reason !== undefined && { resolves: [{ id, reason }] }
      : { resolves: [{ id, answer: words, ...(reason !== undefined && { reason }) }] }),
    ...(data && { data }),
    ...(problem && { problem }),
  };
}

export type AnswerResult =
  | { readonly kind: 'recorded'; readonly understood: string | null }
  /** On record, and the question stands: its subject is not what the person was shown. */
  | { readonly kind: 'asked again'; readonly why: string }
  | { readonly kind: 'unclear'; readonly why: string }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** G1, G2: what the words for a question, or one part of it, come to. */
export function answer(run: Run, { question }: PendingDecision, given: Answer): AnswerResult {
  const at = new Date(run.host.now()).toISOString();
  const { decision, answer: words, how, asking } = given;
  const { user } = run.host;
  const name = words ?? '';
  const reading: Reading = question.freeText
    ? question.freeText.read({ part: decision, words, by: user, at })
    : { signal: { name, data: question.data?.[name] ?? {} } };
  if ('unclear' in reading) return { kind: 'unclear', why: reading.unclear };
  const { signal, writes = [], understood = null, askedAgain } = reading;
  const again = askedAgain === undefined ? {} : { asked_again: askedAgain };
  const answered = { decision, answer: words, by: user, ...(asking !== undefined && { asking }), ...again };
  const data = { answered, ...signal.data };
  const step = run.move(
    { ...signal, data },
    {
      by: { who: user, how, assurance: assuranceOf(run) },
      about: question.about,
      writes,
    },
  );
  if (step.kind === 'refusal') return { kind: 'refused', refusal: step };
  if (askedAgain !== undefined) return { kind: 'asked again', why: askedAgain };
  if (understood !== null) run.observe({ type: 'understood', decision, as: understood });
  return { kind: 'recorded', understood };
}

/** `askedAgain`: why the question stands all the same. */
interface RecordedAnswer extends Pick<Answer, 'decision' | 'answer' | 'asking'> {
  readonly askedAgain?: string;
}

/** An answer as the journal has it. */
export function answerIn(record: JournalRecord): RecordedAnswer | null {
  const answered = record.type === 'moved' ? record.change.data?.['answered'] : undefined;
  if (!isRecord(answered)) return null;
  const { decision, answer: words, asking, asked_again: askedAgain } = answered;
  if (typeof decision !== 'string' || (typeof words !== 'string' && words !== null)) return null;
  return {
    decision,
    answer: words,
    ...(typeof asking === 'number' && { asking }),
    ...(typeof askedAgain === 'string' && { askedAgain }),
  };
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

/** Without a sandbox an agent has the rights of the user, and may have given an answer in their name. */
function assuranceOf({ records }: Run): NonNullable<Authority['assurance']> {
  const isConfined = (record: JournalRecord): boolean =>
    record.type !== 'dispatch.started' || (record.sandbox ?? 'none') !== 'none';
  return records.every(isConfined) ? 'sandboxed' : 'same-user';
}
