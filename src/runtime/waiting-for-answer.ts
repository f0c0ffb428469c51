/** Waits for whoever answers first: the person at the terminal, or somebody elsewhere through the store. */

import type { Message } from '../store/run-store.ts';
import type { Answered } from './answering.ts';
import type { Run } from './run.ts';
import type { Choice, Person } from './host.ts';

const pollMs = 200;

/** Asks the person and watches the inbox for an answer to anything that is open; whoever is first counts. */
export async function waitForAnswer(
  run: Run,
  choice: Choice & { readonly id: string },
  { person, open }: { readonly person: Person; readonly open: readonly string[] },
): Promise<Answered | null> {
  const stop = new AbortController();
  let elsewhere: string | undefined;
  try {
    const asked = person.ask({ ...choice, root: run.workspace }, stop.signal);
    const first = await Promise.race([
      asked.then((answer): Answered | null =>
        answer === null ? null : { decision: choice.id, answer, how: 'terminal' },
      ),
      pollAnswers(run, open, stop.signal).then(({ decision, answer }): Answered => ({
        decision,
        answer,
        how: 'answer',
      })),
    ]);
    if (first && first.decision !== choice.id) elsewhere = `${first.decision} was answered elsewhere.`;
    return first;
  } finally {
    stop.abort(elsewhere);
    // The one who was asked steps aside before anything else is shown.
    await nextTurn();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

type AnswerMessage = Extract<Message, { kind: 'answer' }>;

function pollAnswers(run: Run, open: readonly string[], signal: AbortSignal): Promise<AnswerMessage> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const message = run.held.take('answer');
      if (!message || !open.includes(message.decision)) return;
      clearInterval(timer);
      resolve(message);
    }, pollMs);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}
