/**
 * Puts the question a run waits with to those who can answer it.
 *
 * Q1. Nobody is asked what the state file does not show as pending.
 * Q2. Every answer is on record, and in the state file, before the next thing happens.
 * Q3. What was written down beforehand comes first, then the person; an answer from elsewhere counts at any time.
 * Q4. A person who leaves has answered nothing: whatever is open then stays open.
 */

import { findWord } from '../schema/values.ts';
import { effectOf, stateOf, type Refusal } from '../engine/transition.ts';
import { answer, unwritten, type Answered, type PendingDecision } from './answering.ts';
import { timesAsked } from './recorded-answers.ts';
import type { Run } from './run.ts';
import { StateNotWritten } from './state-writing.ts';
import type { Choice } from './host.ts';
import { waitForAnswer } from './waiting-for-answer.ts';

export type Asked =
  | { readonly kind: 'moved' }
  | { readonly kind: 'open'; readonly decision: PendingDecision }
  | { readonly kind: 'refused'; readonly decision: PendingDecision; readonly refusal: Refusal };

export const moved: Asked = { kind: 'moved' };

/** For a question with fixed answers; what is answered freely takes a sitting. */
export async function askOnce(run: Run, decision: PendingDecision): Promise<Asked> {
  run.observe({ type: 'asked', decision: decision.id, question: decision.question });
  const answered = prepared(run, decision) ?? (await fromPerson(run, decision));
  if (!answered) return { kind: 'open', decision };
  const refusal = answer(run, decision, answered.answer, answered);
  if (refusal) return { kind: 'refused', decision, refusal };
  isShown(run);
  return moved;
}

/** Q1, Q2. False where the run was moved on because its state file cannot be written. */
export function isShown(run: Run): boolean {
  try {
    run.project();
    return true;
  } catch (error) {
    const { machine } = run.workflow;
    const { snapshot } = run.state;
    if (!(error instanceof StateNotWritten)) throw error;
    const { type } = effectOf(machine, snapshot);
    // What becomes of a run at rest is said there.
    if (type === 'rest') return true;
    if (type !== 'ask' || !Object.hasOwn(stateOf(machine, snapshot.state).on, unwritten)) throw error;
    run.move({ name: unwritten, problem: { code: 'state_not_written', message: error.message, fix: error.fix } });
    return false;
  }
}

type Word = Answered & { readonly answer: string };

/** Q3. What is none of the answers is said and left out. */
function prepared(run: Run, { id, options }: PendingDecision): Word | null {
  if (!run.host.prepared) return null;
  for (let nth = timesAsked(run.records, id); ; nth += 1) {
    const text = run.host.prepared.answerTo(id, nth);
    if (text === undefined) return null;
    const word = findWord(text, options);
    if (word !== undefined) return { decision: id, answer: word, how: 'answers', asking: nth + 1 };
    const message = `the prepared answer "${text}" to ${id} is not taken; possible answers: ${options.join(', ')}`;
    run.observe({ type: 'warning', message });
  }
}

async function fromPerson(run: Run, { id, question, options }: PendingDecision): Promise<Word | null> {
  const { person } = run.host;
  if (!person) return null;
  const { title, detail, answers, paths } = question;
  const offered = Object.fromEntries(options.map((option) => [option, answers[option] ?? option]));
  const nth = timesAsked(run.records, id);
  const choice = { title, detail, answers: offered, paths, id, nth } satisfies Choice;
  const answered = await waitForAnswer(run, choice, { person, open: [id] });
  return answered && answered.answer !== null ? { ...answered, answer: answered.answer } : null;
}
