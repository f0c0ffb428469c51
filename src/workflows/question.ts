/** Questions to people, how their answers are read, and offers. */

import type { Decision } from '../engine/decision.ts';
import type { Json } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { Write } from './workflow.ts';

export interface Question {
  readonly title: string;
  readonly detail: string;
  /** Answer → its meaning, as shown to the person. */
  readonly answers: Readonly<Record<string, string>>;
  /** Digest of the subject, kept with the answer. */
  readonly about: string;
  /** Why it no longer applies (its subject has changed); null while it does. */
  readonly withdrawn: string | null;
  /** Files worth reading before answering. */
  readonly paths: readonly string[];
  /** Data that an answer records. */
  readonly data?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** Made by the runtime of a `FreeQuestion` and the ledger. */
  readonly freeText?: FreeAnswers;
}

/**
 * One or more decisions of the ledger, each answered in a person's own words and recorded when it is given.
 * Title, detail, subject and paths are given where they differ from the recorded question.
 */
export interface FreeQuestion extends Partial<Pick<Question, 'title' | 'detail' | 'about' | 'paths'>> {
  /** Suggested answers and their meaning, where they differ from the recorded ones. */
  readonly suggestions?: Readonly<Record<string, string>>;
  /** Whether words beside the suggested ones are taken as they are. */
  readonly ownWords?: boolean;
  read(words: string, decision: Decision, given: GivenAnswer): AnswerReading;
  leave?(decisions: readonly Decision[]): string;
  /** How often unclear words are asked for again in one answer loop, and the result when that is exhausted. */
  readonly reAsks: number;
  readonly onExhausted?: SettledAnswer;
}

/** With an answer (and a reason for it), or a reason for having none, the decision is resolved; with neither it stays open. */
export interface SettledAnswer extends Pick<Signal, 'data' | 'problem'> {
  readonly answer?: string;
  readonly reason?: string;
  /** A signal of the state; `noted` while decisions are open. */
  readonly signal?: string;
}

interface ReadingParts {
  readonly writes?: readonly Write[];
  /** How the words were understood, shown back to the person where it is not what they typed. */
  readonly understood?: string;
  /** Why the question stands although it was answered: its subject is not what the person was shown. */
  readonly askedAgain?: string;
}

type Unclear = { readonly unclear: string };

export type AnswerReading = (SettledAnswer & ReadingParts) | Unclear;
export type Reading = (ReadingParts & { readonly signal: Signal }) | Unclear;

export interface FreeAnswers {
  /** Those still open, in the order they are asked in; never empty. */
  readonly parts: readonly QuestionPart[];
  readonly ownWords: boolean;
  read(given: GivenAnswer): Reading;
  readonly reAsks: number;
  readonly onExhausted: Signal | null;
}

export interface QuestionPart {
  /** Unique in the run. */
  readonly id: string;
  readonly text: string;
  readonly answers: Readonly<Record<string, string>>;
  /** Whether it stays open when it is skipped while others are answered. */
  readonly required: boolean;
}

export interface GivenAnswer {
  readonly part: string;
  /** Null: it was skipped while others were answered. */
  readonly words: string | null;
  readonly by: string;
  readonly at: string;
}

/** A next step offered to a person after a command. A convenience, not a gate: nothing waits for it. */
export interface Offer {
  readonly question: Pick<Question, 'title' | 'detail' | 'answers' | 'paths'>;
  /** Answer → a verb of the workflow and its words; other answers decline. */
  readonly next: Readonly<Record<string, { readonly verb: string; readonly words: readonly string[] }>>;
}
