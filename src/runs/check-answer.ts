/** Whether a person's answer fits the question a run waits on. */

import type { Refusal as EngineRefusal } from '../engine/transition.ts';
import { didYouMean } from '../schema/nearest.ts';
import type { PendingDecision } from '../runtime/answering.ts';
import type { Run } from '../runtime/run.ts';
import type { FreeAnswers } from '../workflows/workflow.ts';
import { refusal, type Refusal } from './refusal.ts';

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
  if (!pending) {
    const message = `${run} is not waiting for an answer`;
    return refusal('NoPendingDecision', message, { outcome: 'not_ready', fix: `pawl log ${run}` });
  }
  const { freeText } = pending.question;
  if (freeText) return checkPart(run, given, { ...pending, freeText });
  return checkWord(run, given, pending, elsewhere ? [] : Object.keys(pending.question.answers));
}

function checkPart(
  run: string,
  given: CommandAnswer,
  pending: PendingDecision & { freeText: FreeAnswers },
): Refusal | null {
  const { parts } = pending.freeText;
  const part = parts.find(({ id }) => id === given.decision);
  if (!part) {
    const open = parts.map(({ id }) => id);
    return refusal('UsageError', `"${given.decision}" is not open${didYouMean(given.decision, open)}`, {
      fix: `open: ${open.join(', ')}; pawl answer ${run} ${open[0]} "<answer>"`,
    });
  }
  if (given.answer === null && part.required) {
    return refusal('AnswerRequired', `${part.id} cannot be skipped: it stays open until it is answered`, {
      outcome: 'not_ready',
      fix: `pawl answer ${run} ${part.id} "<answer>"`,
    });
  }
  // The owner of the run reads the words again: this only reports a mistake to the person who made it.
  const reading = pending.freeText.read({ part: part.id, words: given.answer, by: '', at: new Date().toISOString() });
  return 'unclear' in reading ? unclearAnswer(given, pending, reading.unclear) : null;
}

function checkWord(
  run: string,
  { decision, answer }: CommandAnswer,
  { id, options }: PendingDecision,
  known: readonly string[],
): Refusal | null {
  const unknown = (what: string, word: string, names: readonly string[], fix: string): Refusal =>
    refusal('UsageError', `unknown ${what} "${word}"${didYouMean(word, names)}`, { fix });
  if (id !== decision) return unknown('decision', decision, [id], `pawl answer ${run} ${id} --help`);
  const possible = `possible answers: ${options.join(', ')}`;
  if (answer === null)
    return refusal('UsageError', `${id} cannot be skipped`, { fix: `${possible}; pawl cancel ${run} ends the step` });
  if (options.includes(answer) || known.includes(answer)) return null;
  return unknown('answer', answer, options, `${possible}; pawl answer --help`);
}

export function unclearAnswer({ decision }: CommandAnswer, { question }: PendingDecision, why: string): Refusal {
  const part = question.freeText?.parts.find(({ id }) => id === decision);
  const possible = Object.keys(part?.answers ?? {});
  const fix = possible.length === 0 ? 'use other words' : `possible answers: ${possible.join(', ')}`;
  return refusal('UnclearAnswer', why, { fix });
}

/** An answer that the machine does not take. */
export function refusedAnswer(run: Run, { question, options }: PendingDecision, refused: EngineRefusal): Refusal {
  const { message } = run.workflow.summarize(run.view(), { outcome: refused.outcome, refusal: refused.reason });
  const fix = question.freeText ? `pawl log ${run.id}` : `possible answers: ${options.join(', ')}`;
  return refusal(refused.reason, message, { outcome: refused.outcome, fix });
}
