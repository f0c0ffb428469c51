/**
 * Puts the question a run waits on to those who can answer it.
 *
 * Q1. Nobody is asked what the state file does not show as pending.
 * Q2. Every answer is on record, and in the state file, before the next thing happens.
 * Q3. Prepared answers come first, then the person; an answer from elsewhere counts at any time.
 * Q4. A person who leaves has answered nothing: whatever is open then stays open.
 */

import { findWord } from '../schema/values.ts';
import { effectOf, stateOf, type Refusal } from '../engine/transition.ts';
import type { Message } from '../store/run-store.ts';
import { answer, timesAsked, unwritten, type Answer, type PendingDecision } from './answering.ts';
import type { Choice, Person } from './host.ts';
import type { Run } from './run.ts';
import { StateNotWritten } from './state-writing.ts';

export type AskResult =
  | { readonly kind: 'moved' }
  | { readonly kind: 'open'; readonly decision: PendingDecision }
  | { readonly kind: 'refused'; readonly decision: PendingDecision; readonly refusal: Refusal };

export const moved: AskResult = { kind: 'moved' };

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
    run.move({ name: unwritten, problem: { code: error.code, message: error.message, fix: error.fix } });
    return false;
  }
}

/** Q3. */
function prepared(run: Run, { id, options }: PendingDecision): Answer | null {
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

async function fromPerson(run: Run, { id, question, options }: PendingDecision): Promise<Answer | null> {
  const { person } = run.host;
  if (!person) return null;
  const { title, detail, answers: meanings, paths } = question;
  const answers = Object.fromEntries(options.map((option) => [option, meanings[option] ?? option]));
  return waitForAnswer(run, person, { title, detail, answers, paths, id, nth: timesAsked(run.records, id) }, [id]);
}

const pollMs = 200;

/** Asks the person and watches the inbox for an answer to anything that is open; whoever is first counts. */
export async function waitForAnswer(
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
