import { DocumentError } from '../../documents/document-error.ts';
import type { Effect } from '../../engine/transition.ts';
import type { Question, RunView } from '../../workflows/workflow.ts';
import { shownDecision, type DocumentedDecision } from '../show/decision.ts';

/** A question a run waits with, and the command that answers it. */
export interface ShownDecision extends DocumentedDecision {
  /** Why it need not be answered any more; null while it stands. */
  readonly withdrawn: string | null;
  readonly answerWith: string;
}

/** A document that cannot be read is said in place of its content: the question stands all the same. */
export async function pendingDecision(effect: Extract<Effect, { type: 'ask' }>, view: RunView): Promise<ShownDecision> {
  const { question: id, options } = effect;
  const question = await questionOf(id, view);
  return {
    ...shownDecision({ id, question, options }),
    withdrawn: question.withdrawn,
    answerWith: `pawl answer ${view.run} ${id} <answer>`,
  };
}

async function questionOf(id: string, view: RunView): Promise<Omit<Question, 'about' | 'data'>> {
  const { revision } = await import('../../workflows/change/questions.ts');
  try {
    return revision(view);
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    return {
      title: `${view.run} waits for the decision "${id}"`,
      detail: error.message,
      answers: {},
      paths: [error.file],
      withdrawn: null,
    };
  }
}
