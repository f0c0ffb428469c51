/** The parts that all documents about a run share. Their keys are a promise to scripts. */

import { deciding } from '../runtime/answer-meant.ts';
import type { PendingDecision } from '../runtime/answering.ts';
import { remaining } from '../runtime/run-budgets.ts';
import type { Spent } from '../runtime/spending.ts';
import type { Question, SpendingLimits } from '../workflows/workflow.ts';

export type ShownUsage = ReturnType<typeof shownUsage>;
export type ShownBudget = ReturnType<typeof shownBudget>;

/** Usage that is unknown for every dispatch is null; the dispatches it is unknown for are counted beside the sum. */
export function shownUsage(spent: Spent) {
  const { dispatches, reruns, inputTokens, outputTokens, costUsd, unknownTokens, unknownCost, wallMs } = spent;
  const calls = dispatches + reruns;
  const noTokens = calls > 0 && unknownTokens === calls && inputTokens + outputTokens === 0;
  const noCost = calls > 0 && unknownCost === calls;
  return {
    dispatches,
    reruns,
    inputTokens: noTokens ? null : inputTokens,
    outputTokens: noTokens ? null : outputTokens,
    costUsd: noCost ? null : exact(costUsd),
    unknownTokens,
    unknownCost,
    wallMs,
  };
}

export function shownBudget(spent: Spent, limits: SpendingLimits) {
  const { dispatches, tokens, costUsd, wallMs } = limits;
  const left = remaining(spent, limits);
  return { limits: { dispatches, tokens, costUsd, wallMs }, remaining: { ...left, costUsd: exact(left.costUsd) } };
}

/** Sums of fractions are not exact in binary; millionths of a dollar are. */
function exact(usd: number): number {
  return Math.round(usd * 1_000_000) / 1_000_000;
}

/** Only the answers that are open now. */
export interface ShownDecision extends Pick<Question, 'title' | 'detail' | 'answers' | 'paths'> {
  readonly id: string;
}

/** One, or each part of a question that is answered in free text. */
export function shownDecisions({ id, question, options }: PendingDecision): ShownDecision[] {
  const { freeText, title, detail, paths, answers } = question;
  if (!freeText) {
    const open = Object.fromEntries(deciding(options, question).map((name) => [name, answers[name] ?? name]));
    return [{ id, title, detail, answers: open, paths }];
  }
  return freeText.parts.map((part) => {
    const about = [part.text === title ? '' : title, detail].filter((text) => text !== '').join('\n');
    return { id: part.id, title: part.text, detail: about, answers: part.answers, paths };
  });
}
