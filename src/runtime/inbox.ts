/**
 * Words from outside to the process that works on a run: answers, and requests to pause or cancel.
 *
 * B1. A message appears whole and once (exclusive link); the owner of the run takes it out and journals it.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createExclusively } from '../journal/exclusive-file.ts';
import type { Answered } from './answering.ts';
import type { Run } from './run.ts';
import type { Choice, Person } from './surroundings.ts';

export type Message =
  | { readonly kind: 'pause' }
  | { readonly kind: 'cancel' }
  /** An answer that is null passes the decision over. */
  | { readonly kind: 'answer'; readonly decision: string; readonly answer: string | null; readonly by: string };

const pollMs = 200;

/** Leaves a message; false when one of its kind is already waiting. */
export function post(runFolder: string, message: Message): boolean {
  const folder = inboxOf(runFolder);
  mkdirSync(folder, { recursive: true });
  return createExclusively(folder, fileNameOf(message), JSON.stringify(message));
}

/** Takes the first message of a kind, if there is one. */
export function take<K extends Message['kind']>(runFolder: string, kind: K): Extract<Message, { kind: K }> | undefined {
  for (const name of names(runFolder)) {
    if (!name.startsWith(kind)) continue;
    const file = join(inboxOf(runFolder), name);
    const message = parseMessage(readFileSync(file, 'utf8'));
    rmSync(file, { force: true });
    if (message && isOfKind(message, kind)) return message;
  }
  return undefined;
}

/** Takes a message back; false when somebody has taken it already. */
export function withdraw(runFolder: string, message: Message): boolean {
  try {
    unlinkSync(join(inboxOf(runFolder), fileNameOf(message)));
    return true;
  } catch {
    return false;
  }
}

/** Answers that were left before their question was put answer nothing: whoever knew it beforehand is not a person. */
export function dropAnswers(runFolder: string): void {
  for (const name of names(runFolder))
    if (name.startsWith('answer')) rmSync(join(inboxOf(runFolder), name), { force: true });
}

/** Messages that nobody was there to read are stale when a new command begins. */
export function clearInbox(runFolder: string): void {
  for (const name of names(runFolder)) rmSync(join(inboxOf(runFolder), name), { force: true });
}

/** Asks the person and watches the inbox for an answer to anything that is open; whoever is first counts. */
export async function waitForAnswer(
  run: Run,
  choice: Choice & { readonly id: string },
  { person, open }: { readonly person: Person; readonly open: readonly string[] },
): Promise<Answered | null> {
  const stop = new AbortController();
  let elsewhere: string | undefined;
  try {
    const asked = person.ask(choice, stop.signal);
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
      const message = take(run.folder, 'answer');
      if (!message || !open.includes(message.decision)) return;
      clearInterval(timer);
      resolve(message);
    }, pollMs);
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  });
}

function isOfKind<K extends Message['kind']>(message: Message, kind: K): message is Extract<Message, { kind: K }> {
  return message.kind === kind;
}

function names(runFolder: string): string[] {
  try {
    return readdirSync(inboxOf(runFolder))
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch {
    return [];
  }
}

function fileNameOf(message: Message): string {
  return message.kind === 'answer' ? `answer-${message.decision}.json` : `${message.kind}.json`;
}

function inboxOf(runFolder: string): string {
  return join(runFolder, 'inbox');
}

function parseMessage(text: string): Message | undefined {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined;
  if (value.kind === 'pause' || value.kind === 'cancel') return { kind: value.kind };
  if (value.kind !== 'answer' || !('decision' in value) || !('answer' in value)) return undefined;
  const by = 'by' in value && typeof value.by === 'string' ? value.by : 'unknown';
  const { decision, answer } = value;
  if (typeof decision !== 'string' || (typeof answer !== 'string' && answer !== null)) return undefined;
  return { kind: 'answer', decision, answer, by };
}

/** Anybody may put a file there: what is no message is none, and stops nobody. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
