/** What an agent is told when it is sent off again because its last attempt did not count. */

import type { DispatchSummary } from '../workflows/workflow.ts';

export interface SecondAttempt {
  readonly prompt: string;
  /** The conversation to go on with, where there was one; null begins a new one. */
  readonly resume: string | null;
}

/** Mistakes an agent can learn from; crashes and limits teach it nothing. */
const mistakes = ['unparseable', 'out_of_bounds'];

export function secondAttempt(
  history: readonly DispatchSummary[],
  { step, agent, prompt }: { readonly step: string; readonly agent: string; readonly prompt: string },
): SecondAttempt {
  const last = history.at(-1);
  if (!last || last.step !== step || last.problem === null || !mistakes.includes(last.signal))
    return { prompt, resume: null };
  const told = [
    '## Your last attempt did not count',
    '',
    last.problem,
    '',
    'Do better this time. The task again:',
    '',
    prompt,
  ];
  return { prompt: told.join('\n'), resume: last.agent === agent ? last.session : null };
}
