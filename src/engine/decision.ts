/** Decisions that a run asks people for, and their answers. The machine knows only that somebody decides. */

import type { Json, Snapshot } from './snapshot.ts';

/** A question before it has an id. */
export interface Query {
  readonly question: string;
  /** Its subject, for the workflow that reads the answer. */
  readonly about?: Json;
  readonly suggestions?: readonly string[];
  /** Never closed because only others were answered. */
  readonly binding?: boolean;
}

/** Questions that are asked together. */
export interface QuestionBatch {
  readonly title: string;
  readonly detail?: string;
  readonly parts: readonly Query[];
}

/** Pending until it is answered, or closed with a reason. */
export interface Decision extends Required<Query> {
  readonly id: string;
  readonly status: 'pending' | 'answered' | 'cancelled' | 'skipped';
  readonly answer: string | null;
  readonly askedAt: string;
  readonly resolvedAt: string | null;
  /** The phase that asked. */
  readonly context: string;
  /** Why it was closed without an answer, or what was said for the answer. */
  readonly reason: string | null;
  /** Further fields of the state file it was imported from. */
  readonly extra?: Readonly<Record<string, Json>>;
}

/** The questions asked together last. */
export interface AskedBatch extends Required<Omit<QuestionBatch, 'parts'>> {
  readonly ids: readonly string[];
}

/** An answer, with a reason or without, or a reason for having none. */
export type Resolution = { readonly id: string } & (
  | { readonly answer: string; readonly reason?: string }
  | { readonly reason: string }
);

export function pendingDecision(id: string, query: Query, { at, context }: { at: string; context: string }): Decision {
  const { question, about = null, suggestions = [], binding = false } = query;
  const asked = { id, question, about, suggestions, binding, askedAt: at, context };
  return { ...asked, status: 'pending', answer: null, resolvedAt: null, reason: null };
}

/** The next of `UD-1`, `UD-2`, …; well-known ids do not count. */
export function nextDecisionId(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(/^UD-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  return `UD-${numbers.reduce((max, n) => Math.max(max, n), 0) + 1}`;
}

export function pendingIn({ decisions }: Pick<Snapshot, 'decisions'>): readonly Decision[] {
  return Object.values(decisions).filter(({ status }) => status === 'pending');
}
