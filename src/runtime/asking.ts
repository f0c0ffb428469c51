/**
 * Puts the question a run waits on to those who can answer it.
 *
 * Q1. Nobody is asked what the state file does not show as pending.
 * Q2. Every answer is on record, and in the state file, before the next thing happens.
 * Q3. Prepared answers come first, then the person; an answer from elsewhere counts at any time.
 * Q4. A person who leaves has answered nothing: whatever is open then stays open.
 *
 * A question with free text is asked in a loop, part by part.
 * Z1. Each answer is recorded when it is given, and the question is made anew from what is then open.
 * Z2. Words that come to nothing are asked for again, as often as the question says. That is counted in this loop only,
 *     on purpose: whoever comes back later begins afresh.
 * Z3. A part that is skipped while others are answered is settled at the end of the loop,
 *     unless it is required: then it is asked again, and stays open in the end.
 * Z4. A part that nobody is there to answer stays open, and the others are asked all the same.
 */

import { effectOf, stateOf, type Refusal } from '../engine/transition.ts';
import type { Message } from '../store/run-store.ts';
import type { FreeAnswers, Question, QuestionPart } from '../workflows/workflow.ts';
import { deciding, listedAnswer } from './answer-meant.ts';
import { answer, decisionOf, timesAsked, unwritten, type Answer, type PendingDecision } from './answering.ts';
import type { Choice, Person } from './host.ts';
import type { Run } from './run.ts';
import { StateNotWritten } from './state-writing.ts';

type AskResult =
  | { readonly kind: 'moved' }
  | { readonly kind: 'open'; readonly decision: PendingDecision }
  | { readonly kind: 'refused'; readonly decision: PendingDecision; readonly refusal: Refusal };

const moved: AskResult = { kind: 'moved' };

/** For a question with fixed answers; one with free text takes an answer loop. */
export async function askOnce(run: Run, decision: PendingDecision): Promise<AskResult> {
  run.observe({ type: 'asked', decision: decision.id, question: decision.question });
  const given = prepared(run, decision) ?? (await fromPerson(run, decision));
  if (!given || given.answer === null) return { kind: 'open', decision };
  const result = answer(run, decision, given);
  if (result.kind === 'refused') return { ...result, decision };
  showQuestion(run);
  return moved;
}

/** Q1, Q2. False where the run was moved on because its state file cannot be written. */
export function showQuestion(run: Run): boolean {
  try {
    run.project();
    return true;
  } catch (error) {
    const { machine } = run.workflow;
    const { snapshot } = run.state;
    if (!(error instanceof StateNotWritten)) throw error;
    const { type } = effectOf(machine, snapshot);
    // A run at rest warns of it there.
    if (type === 'rest') return true;
    if (type !== 'ask' || !Object.hasOwn(stateOf(machine, snapshot.state).on, unwritten)) throw error;
    run.move({ name: unwritten, problem: { code: 'state_not_written', message: error.message, fix: error.fix } });
    return false;
  }
}

/** Q3. */
function prepared(run: Run, { id, question, options: all }: PendingDecision): Answer | null {
  const options = deciding(all, question);
  if (!run.host.prepared) return null;
  for (let nth = timesAsked(run.records, id); ; nth += 1) {
    const text = run.host.prepared.answerTo(id, nth);
    if (text === undefined) return null;
    const word = listedAnswer(text, options);
    if (word !== undefined) return { decision: id, answer: word, how: 'answers', asking: nth + 1 };
    const message = `the prepared answer "${text}" to ${id} is not taken; possible answers: ${options.join(', ')}`;
    run.tell('warning', message);
  }
}

async function fromPerson(run: Run, { id, question, options }: PendingDecision): Promise<Answer | null> {
  const { person } = run.host;
  if (!person) return null;
  const { title, detail, answers: meanings, paths } = question;
  const answers = Object.fromEntries(options.map((option) => [option, meanings[option] ?? option]));
  return waitForAnswer(run, person, { title, detail, answers, paths, id, nth: timesAsked(run.records, id) }, [id]);
}

const pollMs = 200;

/** Asks the person and watches the inbox for an answer to anything that is open; whoever is first counts. */
async function waitForAnswer(
  run: Run,
  person: Person,
  choice: Choice & { readonly id: string },
  open: readonly string[],
): Promise<Answer | null> {
  const stop = new AbortController();
  let elsewhere: string | undefined;
  try {
    const atTerminal = person.ask({ ...choice, root: run.workspace }, stop.signal);
    const first = await Promise.race([
      atTerminal.then((words): Answer | null =>
        words === null ? null : { decision: choice.id, answer: words, how: 'terminal' },
      ),
      pollAnswers(run, open, stop.signal).then((message): Answer => ({ ...message, how: 'answer' })),
    ]);
    if (first && first.decision !== choice.id) elsewhere = `${first.decision} was answered elsewhere.`;
    return first;
  } finally {
    stop.abort(elsewhere);
    // The one who was asked steps aside before anything else is shown.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function pollAnswers(run: Run, open: readonly string[], signal: AbortSignal) {
  return new Promise<Extract<Message, { kind: 'answer' }>>((resolve) => {
    const timer = setInterval(() => {
      const message = run.held.take('answer');
      if (!message || !open.includes(message.decision)) return;
      clearInterval(timer);
      resolve(message);
    }, pollMs);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}

type FreeDecision = PendingDecision & { readonly question: Question & { readonly freeText: FreeAnswers } };

export class AnswerLoop {
  readonly #run: Run;
  /** Ids of parts, in the order they came up. */
  readonly #seen: string[] = [];
  readonly #reAsks = new Map<string, number>();
  readonly #problems = new Map<string, string>();
  readonly #skipped = new Set<string>();
  readonly #unasked = new Set<string>();
  #answered = 0;

  constructor(run: Run) {
    this.#run = run;
  }

  async ask(state: string): Promise<AskResult> {
    for (;;) {
      const decision = showQuestion(this.#run) ? this.#openDecision(state) : null;
      if (!decision) return moved;
      const { parts } = decision.question.freeText;
      for (const { id } of parts) if (!this.#seen.includes(id)) this.#seen.push(id);
      const part = parts.find(({ id }) => !this.#skipped.has(id) && !this.#unasked.has(id));
      const ended = part ? await this.#askPart(decision, part) : this.#settleSkipped(decision);
      if (ended) return ended;
    }
  }

  /** The question as it is now; null when the state it belongs to is left. */
  #openDecision(state: string): FreeDecision | null {
    const { workflow, state: runState } = this.#run;
    const effect = effectOf(workflow.machine, runState.snapshot);
    if (runState.snapshot.state !== state || effect.type !== 'ask') return null;
    const decision = decisionOf(workflow, this.#run.view(), effect);
    const { freeText } = decision.question;
    if (!freeText || freeText.parts.length === 0) throw new Error(`the question "${decision.id}" has no open part`);
    return { ...decision, question: { ...decision.question, freeText } };
  }

  /** Null while the loop goes on. */
  async #askPart(decision: FreeDecision, part: QuestionPart): Promise<AskResult | null> {
    const { interrupted, person, prepared } = this.#run.host;
    if (interrupted.aborted) return { kind: 'open', decision };
    const { id } = part;
    const { parts } = decision.question.freeText;
    if (!this.#reAsks.has(id)) this.#run.observe({ type: 'asked', decision: id, question: decision.question });
    const nth = timesAsked(this.#run.records, id) + (this.#reAsks.get(id) ?? 0);
    const words = prepared?.answerTo(id, nth);
    let given: Answer | null;
    if (words !== undefined) given = { decision: id, answer: words, how: 'answers', asking: nth + 1 };
    else if (person) {
      const open = parts.map((each) => each.id);
      given = await waitForAnswer(this.#run, person, this.#choiceOf(decision.question, part, nth), open);
    } else {
      this.#unasked.add(id);
      return null;
    }
    if (!given) return { kind: 'open', decision };
    if (given.answer === null || given.answer.trim() !== '') return this.#take(decision, given);
    if (parts.length === 1 && this.#answered === 0) return this.#insist(decision, given, 'an answer is needed');
    this.#skipped.add(id);
    return null;
  }

  #choiceOf(question: Question, { id, text, answers, required }: QuestionPart, nth: number): Choice & { id: string } {
    const { title, detail, paths, freeText } = question;
    const problem = this.#problems.get(id);
    const { length: of } = this.#seen;
    const part = { text, number: this.#seen.indexOf(id) + 1, of, optional: of > 1 && !required };
    const asked = { title, detail, paths, answers, id, freeText: true, ownWords: freeText?.ownWords === true };
    return { ...asked, nth, part, ...(problem !== undefined && { problem }) };
  }

  /** Z1. */
  #take(decision: FreeDecision, given: Answer): AskResult | null {
    const result = answer(this.#run, decision, given);
    if (result.kind === 'refused') return { ...result, decision };
    if (result.kind === 'unclear') return this.#insist(decision, given, result.why);
    if (result.kind === 'asked again') {
      this.#problems.set(given.decision, result.why);
      return null;
    }
    if (given.answer !== null) this.#answered += 1;
    this.#problems.delete(given.decision);
    this.#reAsks.delete(given.decision);
    return null;
  }

  /** Z2. */
  #insist(decision: FreeDecision, { decision: id, answer: words, how }: Answer, why: string): AskResult | null {
    if (how !== 'terminal') this.#run.tell('warning', `"${words ?? ''}" is not an answer to ${id}: ${why}`);
    const { reAsks, onExhausted } = decision.question.freeText;
    // Somebody elsewhere has mistyped; the person here is not to blame.
    if (how === 'answer' || this.#askAgain(id, reAsks, why)) return null;
    if (onExhausted === null) return { kind: 'open', decision };
    const refusal = this.#run.move(onExhausted, { by: { who: this.#run.host.user, how: 'engine' } });
    return refusal.kind === 'refusal' ? { kind: 'refused', decision, refusal } : null;
  }

  /** Z3: one part at a time, because each leaves another question. */
  #settleSkipped(decision: FreeDecision): AskResult | null {
    const open: AskResult = { kind: 'open', decision };
    const { parts, reAsks } = decision.question.freeText;
    const skipped = parts.filter(({ id }) => this.#skipped.has(id));
    if (this.#answered === 0 || skipped.length === 0) return open;
    const optional = skipped.find(({ required }) => !required);
    if (optional) {
      const result = answer(this.#run, decision, { decision: optional.id, answer: null, how: 'terminal' });
      if (result.kind === 'refused') return { ...result, decision };
      return result.kind === 'recorded' ? null : open;
    }
    const again = skipped.find(({ id }) => this.#askAgain(id, reAsks, 'this one stays open until it is answered'));
    if (!again) return open;
    this.#skipped.delete(again.id);
    return null;
  }

  #askAgain(id: string, reAsksMax: number, why: string): boolean {
    const before = this.#reAsks.get(id) ?? 0;
    if (before >= reAsksMax) return false;
    this.#reAsks.set(id, before + 1);
    const left = reAsksMax - before;
    const asks = left === 1 ? 'This is the last ask' : `${left} asks are left`;
    this.#problems.set(id, `${why.replace(/[.;]?$/, '.')} ${asks} before the run stops.`);
    return true;
  }
}
