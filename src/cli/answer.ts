/** `answer`: a person's answer to the question a run waits with. */

import { currentOwner } from '../journal/lease.ts';
import { answer, pendingDecision } from '../runtime/drive.ts';
import { post } from '../runtime/inbox.ts';
import { recover } from '../runtime/recover.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { withRun } from './held-run.ts';
import { unknownWord } from './options.ts';
import { Problem } from './problem.ts';
import { refuseAgents } from './refuse-agents.ts';

export const answerRun: CommandFunction = async ({ words, flags }) => {
  refuseAgents('answer a question');
  const [word = '', decision = '', given = ''] = words;
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(decision)) {
    throw new Problem('usage', `${JSON.stringify(decision.slice(0, 80))} cannot name a decision`, { fix: `pawl change status ${word} names the decisions it waits with` });
  }
  const { commonDir } = findRepository(process.cwd());
  const found = findRun(commonDir, word);
  if (currentOwner(found.folder, leaseOptions(false))) {
    post(found.folder, { kind: 'answer', decision, answer: given, by: 'answer' });
    say(
      flags['json'] === true,
      found.run,
      { decision, answer: given, next: null },
      `handed to the process that works on ${found.run}`,
    );
    return exitCodes.done;
  }
  return withRun(word, async (run) => {
    const recovery = await recover(run, undefined);
    if (recovery.kind !== 'ready')
      throw new Problem('person_needed', recovery.message, { fix: recovery.fix, exitCode: exitCodes.needs_person });
    const pending = pendingDecision(run);
    if (!pending)
      throw new Problem('no_decision', `${run.id} is not waiting for an answer`, {
        exitCode: exitCodes.not_ready,
        fix: `pawl log ${run.id}`,
      });
    if (pending.id !== decision)
      throw unknownWord('decision', decision, [pending.id], `pawl answer ${run.id} ${pending.id}`);
    if (pending.question.withdrawn !== null) {
      throw new Problem('withdrawn', `this need not be answered any more: ${pending.question.withdrawn}`, {
        exitCode: exitCodes.not_ready,
        fix: `pawl resume ${run.id}`,
      });
    }
    if (!pending.options.includes(given))
      throw unknownWord(
        'answer',
        given,
        pending.options,
        `possible answers: ${pending.options.join(', ')}; pawl answer`,
      );
    const refusal = answer(run, pending, given, 'answer');
    if (refusal)
      throw new Problem(refusal.reason, `the answer is refused: ${refusal.reason}`, {
        exitCode: exitCodes[refusal.outcome],
      });
    run.project();
    const next = `pawl resume ${run.id}`;
    say(flags['json'] === true, run.id, { decision, answer: given, next }, `recorded: ${given}\nNext: ${next}`);
    return exitCodes.done;
  });
};

function say(json: boolean, run: string, facts: Record<string, string | null>, text: string): void {
  process.stdout.write(json ? `${JSON.stringify({ run, ...facts })}\n` : `${text}\n`);
}
