/** The decisions a run waits for, as documents show them. */

import type { PendingDecision } from '../runtime/answering.ts';

/** Only the answers that are open just now. */
export interface DocumentedDecision {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Answer → what it means. */
  readonly answers: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

/** All that is open: one, or for a question that is answered freely each of its parts. */
export function shownDecisions({ id, question, options }: PendingDecision): DocumentedDecision[] {
  const { freeText, title, detail, paths, answers } = question;
  if (!freeText) {
    const open = Object.fromEntries(options.map((name) => [name, answers[name] ?? name]));
    return [{ id, title, detail, answers: open, paths }];
  }
  return freeText.parts.map((part) => {
    const about = [part.text === title ? '' : title, detail].filter((text) => text !== '').join('\n');
    return { id: part.id, title: part.text, detail: about, answers: part.answers, paths };
  });
}
