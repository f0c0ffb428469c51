/**
 * One sitting over a question that is answered in a person's own words, part by part.
 *
 * Z1. Each answer is recorded when it is given, and the question is made anew from what is then open.
 * Z2. Words that come to nothing are asked for again, as often as the question says. That is counted in this sitting
 *     only, on purpose: whoever comes back later begins afresh.
 * Z3. A part that is passed over while others are answered is settled at the end of the sitting,
 *     unless it must be answered: then it is asked again, and stays open in the end.
 * Z4. A part that nobody is there to answer stays open, and the others are asked all the same.
 */

import { effectOf } from '../engine/transition.ts';
import type { FreeAnswers, Question, QuestionPart } from '../workflows/workflow.ts';
import { answerPart, decisionOf, timesAsked, type Answered, type PendingDecision } from './answering.ts';
import { isShown, moved, type Asked } from './asking.ts';
import type { Run } from './run.ts';
import type { Choice } from './host.ts';
import { waitForAnswer } from './waiting-for-answer.ts';

type FreeDecision = PendingDecision & { readonly question: Question & { readonly freeText: FreeAnswers } };

/** What this sitting remembers of its parts, by their ids. */
interface AnswerLoop {
  /** In the order they came up. */
  readonly seen: string[];
  readonly reAsks: Map<string, number>;
  readonly problems: Map<string, string>;
  readonly passed: Set<string>;
  readonly unasked: Set<string>;
  answered: number;
}

export async function askFreeText(run: Run, state: string): Promise<Asked> {
  const loop: AnswerLoop = {
    seen: [],
    reAsks: new Map(),
    problems: new Map(),
    passed: new Set(),
    unasked: new Set(),
    answered: 0,
  };
  for (;;) {
    if (!isShown(run)) return moved;
    const decision = openDecision(run, state);
    if (!decision) return moved;
    const { parts } = decision.question.freeText;
    for (const { id } of parts) if (!loop.seen.includes(id)) loop.seen.push(id);
    const part = parts.find(({ id }) => !loop.passed.has(id) && !loop.unasked.has(id));
    const ended = part ? await askPart(run, decision, part, loop) : settlePassed(run, decision, loop);
    if (ended) return ended;
  }
}

/** The question as it is now; null when the state it belongs to is left. */
function openDecision(run: Run, state: string): FreeDecision | null {
  const { snapshot } = run.state;
  const effect = effectOf(run.workflow.machine, snapshot);
  if (snapshot.state !== state || effect.type !== 'ask') return null;
  const decision = decisionOf(run.workflow, run.view(), effect);
  const { freeText } = decision.question;
  if (!freeText || freeText.parts.length === 0) throw new Error(`the question "${decision.id}" has no open part`);
  return { ...decision, question: { ...decision.question, freeText } };
}

/** Null while the sitting goes on. */
async function askPart(run: Run, decision: FreeDecision, part: QuestionPart, loop: AnswerLoop): Promise<Asked | null> {
  if (run.host.interrupted.aborted) return { kind: 'open', decision };
  const { parts } = decision.question.freeText;
  if (!loop.reAsks.has(part.id)) run.observe({ type: 'asked', decision: part.id, question: decision.question });
  const nth = timesAsked(run.records, part.id) + (loop.reAsks.get(part.id) ?? 0);
  const prepared = run.host.prepared?.answerTo(part.id, nth);
  const { person } = run.host;
  if (prepared === undefined && !person) {
    loop.unasked.add(part.id);
    return null;
  }
  const choice = choiceOf(decision, part, { loop, nth });
  const open = parts.map(({ id }) => id);
  const answered: Answered | null =
    prepared !== undefined
      ? { decision: part.id, answer: prepared, how: 'answers', asking: nth + 1 }
      : person && (await waitForAnswer(run, choice, { person, open }));
  if (!answered) return { kind: 'open', decision };
  if (answered.answer === null || answered.answer.trim() !== '') return take(run, decision, answered, loop);
  if (parts.length > 1 || loop.answered > 0) {
    loop.passed.add(part.id);
    return null;
  }
  return insist(run, decision, answered, { loop, why: 'an answer is needed' });
}

function choiceOf(
  { question: { title, detail, paths } }: FreeDecision,
  { id, text, answers, required }: QuestionPart,
  { loop, nth }: { readonly loop: AnswerLoop; readonly nth: number },
): Choice & { readonly id: string } {
  const problem = loop.problems.get(id);
  const { length } = loop.seen;
  const part = { text, number: loop.seen.indexOf(id) + 1, of: length, optional: length > 1 && !required };
  return { title, detail, paths, answers, id, freeText: true, nth, part, ...(problem !== undefined && { problem }) };
}

/** Z1. */
function take(run: Run, decision: FreeDecision, answered: Answered, loop: AnswerLoop): Asked | null {
  const taken = answerPart(run, decision.question, answered);
  if (taken.kind === 'refused') return { kind: 'refused', decision, refusal: taken.refusal };
  if (taken.kind === 'unclear') return insist(run, decision, answered, { loop, why: taken.why });
  if (answered.answer !== null) loop.answered += 1;
  loop.problems.delete(answered.decision);
  loop.reAsks.delete(answered.decision);
  return null;
}

/** Z2. */
function insist(
  run: Run,
  decision: FreeDecision,
  { decision: id, answer, how }: Answered,
  { loop, why }: { readonly loop: AnswerLoop; readonly why: string },
): Asked | null {
  if (how !== 'terminal') run.observe({ type: 'warning', message: `"${answer ?? ''}" is no answer to ${id}: ${why}` });
  // Somebody elsewhere has mistyped; the person here is not to blame.
  if (how === 'answer') return null;
  const { reAsks, onExhausted } = decision.question.freeText.insist;
  if (isAskedAgain(loop, id, { reAsks, why })) return null;
  if (onExhausted === null) return { kind: 'open', decision };
  const step = run.move(onExhausted, { by: { who: run.host.user, how: 'engine' } });
  return step.kind === 'refusal' ? { kind: 'refused', decision, refusal: step } : null;
}

/** Z3: one part at a time, because each leaves another question. */
function settlePassed(run: Run, decision: FreeDecision, loop: AnswerLoop): Asked | null {
  const open: Asked = { kind: 'open', decision };
  const { parts, insist: limit } = decision.question.freeText;
  const passed = parts.filter(({ id }) => loop.passed.has(id));
  if (loop.answered === 0 || passed.length === 0) return open;
  const settled = passed.find(({ required }) => !required);
  if (settled) {
    const taken = answerPart(run, decision.question, { decision: settled.id, answer: null, how: 'terminal' });
    if (taken.kind === 'refused') return { kind: 'refused', decision, refusal: taken.refusal };
    return taken.kind === 'recorded' ? null : open;
  }
  const why = 'this one stays open until it is answered';
  const again = passed.find(({ id }) => isAskedAgain(loop, id, { reAsks: limit.reAsks, why }));
  if (!again) return open;
  loop.passed.delete(again.id);
  return null;
}

function isAskedAgain(
  { reAsks: counted, problems }: AnswerLoop,
  id: string,
  { reAsks, why }: { readonly reAsks: number; readonly why: string },
): boolean {
  const before = counted.get(id) ?? 0;
  if (before >= reAsks) return false;
  counted.set(id, before + 1);
  problems.set(id, why);
  return true;
}
