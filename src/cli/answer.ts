/** `answer`: a person's answer to the question a run waits with. */

import { answerRun, type AnsweredRun } from '../runs/answer-run.ts';
import { isDecisionId, type CommandAnswer } from '../runs/check-answer.ts';
import { findRun } from '../runs/find.ts';
import { exitCodes } from './exit-codes.ts';
import type { Given } from './options.ts';
import { accepted, Problem } from './problem.ts';
import { quietly } from './short-work.ts';
import type { CommandFunction } from './verb.ts';

export const answer: CommandFunction = async (command, context) => {
  const given = givenAnswer(command);
  const repository = context.repository();
  const { workflow, run } = accepted(findRun(repository, command.words[0] ?? ''));
  const answered = await quietly((host) => answerRun(repository, { workflow, run }, given, host));
  const { by: _, ...facts } = answered;
  const text = command.flags['json']
    ? JSON.stringify({ run, ...given, ...facts })
    : answeredLines(run, given, answered).join('\n');
  process.stdout.write(`${text}\n`);
  return exitCodes.done;
};

function answeredLines(run: string, given: CommandAnswer, { by, understood = null, next }: AnsweredRun): string[] {
  const what = given.answer ?? 'passed over';
  if (by === 'owner') return [`recorded by the process that works on ${run}: ${what}`];
  return [
    `recorded: ${what}`,
    ...(understood === null ? [] : [`taken as: ${understood}`]),
    next === null ? '' : `Next: ${next}`,
  ];
}

export function givenAnswer({ words, flags }: Given): CommandAnswer {
  const [run = '', decision = '', ...said] = words;
  if (!isDecisionId(decision)) {
    throw new Problem('UsageError', `${JSON.stringify(decision.slice(0, 80))} cannot name a decision`, {
      fix: 'use the id shown with the question, such as revision or UD-1',
    });
  }
  const text = said.join(' ').trim();
  if (flags['cancel']) {
    if (text === '') return { decision, answer: null };
    throw new Problem('UsageError', '--cancel and an answer do not go together', { fix: 'leave one of them out' });
  }
  if (text !== '') return { decision, answer: text };
  throw new Problem('UsageError', 'pawl answer needs <answer>', {
    fix: `pawl answer ${run} ${decision} <answer>, or --cancel to pass it over`,
  });
}
