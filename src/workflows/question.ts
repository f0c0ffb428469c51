/** What a run asks people, what their words come to, and what they are offered. */

import type { Decision } from '../engine/decision.ts';
import type { Json, Problem } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { Write } from './workflow.ts';

export interface Question {
  readonly title: string;
  readonly detail: string;
  /** Answer → what it means, in the words shown to the person. */
  readonly answers: Readonly<Record<string, string>>;
  /** Digest of what is decided about, kept with the answer. */
  readonly about: string;
  /** Why it need not be answered any more (what it was about has changed); null while it stands. */
  readonly withdrawn: string | null;
  /** Files worth reading before answering. */
  readonly paths: readonly string[];
  /** What an answer puts on record beside itself. */
  readonly data?: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  /** For questions answered in a person's own words; the runtime makes it of a `FreeQuestion` and the ledger. */
  readonly freeText?: FreeAnswers;
}

/** One or more decisions of the ledger, each answered in a person's own words and recorded when it is given. */
export interface FreeQuestion {
  /** Where these are not the words that were asked with. */
  readonly title?: string;
  readonly detail?: string;
  readonly about?: string;
  readonly paths?: readonly string[];
  /** Suggested answers and what they mean, where they are not those that were asked with. */
  readonly suggestions?: Readonly<Record<string, string>>;
  read(words: string, decision: Decision, given: GivenAnswer): AnswerReading;
  /** The signal when the last decision is resolved, where no reading names one. */
  leave?(decisions: readonly Decision[]): string;
  /** How often in one answer loop words that come to nothing are asked for again, and what follows when that was in vain. */
  readonly reAsks: number;
  readonly onExhausted?: SettledAnswer;
}

/** With an answer, or a reason for having none, the decision is resolved; with neither it stays open. */
export interface SettledAnswer {
  readonly answer?: string;
  readonly reason?: string;
  /** A signal of the state; `noted` while decisions are open. */
  readonly signal?: string;
  readonly data?: Readonly<Record<string, Json>>;
  readonly problem?: Problem;
}

interface ReadingParts {
  readonly writes?: readonly Write[];
  /** How the words were understood, shown back to the person where it is not what they typed. */
  readonly understood?: string;
}

interface Unclear {
  readonly unclear: string;
}

export type AnswerReading = (SettledAnswer & ReadingParts) | Unclear;
export type Reading = (ReadingParts & { readonly signal: Signal }) | Unclear;

export interface FreeAnswers {
  /** Those still open, in the order they are asked in; never empty. */
  readonly parts: readonly QuestionPart[];
  /** What words come to: a signal of the state, or why they cannot be taken as an answer. */
  read(given: GivenAnswer): Reading;
  /** How often in one answer loop words that come to nothing are asked for again, and the signal when that was in vain. */
  readonly reAsks: number;
  readonly onExhausted: Signal | null;
}

export interface QuestionPart {
  /** By which it is answered; unique in the run. */
  readonly id: string;
  readonly text: string;
  /** Suggested answers and what they mean; empty where none is more likely than another. */
  readonly answers: Readonly<Record<string, string>>;
  /** Whether it stays open when others are answered and this one is passed over. */
  readonly required: boolean;
}

export interface GivenAnswer {
  readonly part: string;
  /** Null: it was passed over while others were answered. */
  readonly words: string | null;
  readonly by: string;
  /** ISO time. */
  readonly at: string;
}

/** A next step that a person is offered when a command came to its end. A convenience, not a gate: nothing waits for it. */
export interface Offer {
  readonly question: Pick<Question, 'title' | 'detail' | 'answers' | 'paths'>;
  /** Answer → a verb of the workflow and its words; other answers decline. */
  readonly next: Readonly<Record<string, { readonly verb: string; readonly words: readonly string[] }>>;
}
