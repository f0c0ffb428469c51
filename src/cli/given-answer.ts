/** What `pawl answer` was given, and whether the question at hand can be answered with it. */

import type { Refusal } from '../engine/transition.ts';
import { nearest } from '../schema/nearest.ts';
import type { PendingDecision } from '../runtime/answering.ts';
import type { Run } from '../runtime/run.ts';
import type { FreeAnswers } from '../workflows/workflow.ts';
import { exitCodes } from './exit-codes.ts';
import { unknownWord, type Given } from './options.ts';
import { Problem } from './problem.ts';

export interface CommandAnswer {
  readonly decision: string;
  /** Null: it is passed over. */
  readonly answer: string | null;
}

/** Checked before any path is built from it. */
export const DECISION = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export function givenAnswer({ words, flags }: Given): CommandAnswer {
  const [run = '', decision = '', ...said] = words;
  if (!DECISION.test(decision)) {
    throw new Problem('usage', `${JSON.stringify(decision.slice(0, 80))} cannot name a decision`, {
      fix: 'use the id shown with the question, such as revision or UD-1',
    });
  }
  const answer = said.join(' ').trim();
  if (flags['cancel']) {
    if (answer === '') return { decision, answer: null };
    throw new Problem('usage', '--cancel and an answer do not go together', { fix: 'leave one of them out' });
  }
  if (answer !== '') return { decision, answer };
  throw new Problem('usage', 'pawl answer needs <answer>', {
    fix: `pawl answer ${run} ${decision} <answer>, or --cancel to pass it over`,
  });
}

/**
 * Throws where the question is not open, or cannot be answered like that.
 * An answer that is known and just not open is refused by the run itself, with the reason, unless another process has it.
 */
export function checkAnswer(
  run: string,
  given: CommandAnswer,
  pending: PendingDecision | null,
  { elsewhere = false } = {},
): void {
  if (!pending) {
    const exitCode = exitCodes.not_ready;
    throw new Problem('no_decision', `${run} is not waiting for an answer`, { exitCode, fix: `pawl log ${run}` });
  }
  const { freely } = pending.question;
  if (freely) checkPart(run, given, { ...pending, freely });
  else checkWord(run, given, pending, elsewhere ? [] : Object.keys(pending.question.answers));
}

function checkPart(run: string, given: CommandAnswer, pending: PendingDecision & { freely: FreeAnswers }): void {
  const { parts } = pending.freely;
  const part = parts.find(({ id }) => id === given.decision);
  if (!part) {
    const open = parts.map(({ id }) => id);
    const near = nearest(given.decision, open);
    const message = `"${given.decision}" is not open${near === undefined ? '' : `; did you mean ${near}?`}`;
    throw new Problem('usage', message, {
      fix: `open are: ${open.join(', ')}; pawl answer ${run} ${open[0]} "<answer>"`,
    });
  }
  if (given.answer === null && part.mustBeAnswered) {
    throw new Problem('must_be_answered', `${part.id} cannot be passed over: it stays open until it is answered`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl answer ${run} ${part.id} "<answer>"`,
    });
  }
  // Whoever waits with the question reads the words once more: this only tells a mistake to the one who made it.
  const reading = pending.freely.read({ part: part.id, words: given.answer, by: '', at: new Date().toISOString() });
  if ('unclear' in reading) throw unclearAnswer(given, pending, reading.unclear);
}

function checkWord(
  run: string,
  { decision, answer }: CommandAnswer,
  { id, options }: PendingDecision,
  known: readonly string[],
): void {
  if (id !== decision) throw unknownWord('decision', decision, [id], `pawl answer ${run} ${id}`);
  if (answer === null) {
    throw new Problem('usage', `${id} cannot be passed over`, {
      fix: `possible answers: ${options.join(', ')}; pawl cancel ${run} gives up the step that asks`,
    });
  }
  if (options.includes(answer) || known.includes(answer)) return;
  throw unknownWord('answer', answer, options, `possible answers: ${options.join(', ')}; pawl answer`);
}

export function unclearAnswer({ decision }: CommandAnswer, { question }: PendingDecision, why: string): Problem {
  const part = question.freely?.parts.find(({ id }) => id === decision);
  const possible = Object.keys(part?.answers ?? {});
  const fix = possible.length === 0 ? 'say it in other words' : `possible answers: ${possible.join(', ')}`;
  return new Problem('unclear', why, { fix });
}

export function refusedAnswer(run: Run, { question, options }: PendingDecision, refusal: Refusal): Problem {
  const { message } = run.workflow.summarize(run.view(), { outcome: refusal.outcome, refusal: refusal.reason });
  const fix = question.freely ? `pawl log ${run.id}` : `possible answers: ${options.join(', ')}`;
  return new Problem(refusal.reason, message, { exitCode: exitCodes[refusal.outcome], fix });
}
