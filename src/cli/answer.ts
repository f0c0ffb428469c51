/** `answer`: a person's answer to the question a run waits with. */

import { effectOf } from '../engine/transition.ts';
import { readJournal } from '../journal/journal.ts';
import { currentOwner } from '../journal/lease.ts';
import type { JournalRecord } from '../journal/record.ts';
import { answer, pendingDecision } from '../runtime/drive.ts';
import { exportJournal } from '../runtime/export-journal.ts';
import { post, withdraw, type Message } from '../runtime/inbox.ts';
import { replay } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun, type FoundRun } from './find-run.ts';
import { withRun } from './held-run.ts';
import { unknownWord } from './options.ts';
import { Problem } from './problem.ts';
import { refuseAgents } from './refuse-agents.ts';
import { loadWorkflow } from './workflows.ts';

interface Answer {
  readonly decision: string;
  readonly answer: string;
}

/** Checked before any path is built from it. */
const DECISION = /^[a-z][a-z0-9_-]{0,63}$/;
const waitMsMax = 30_000;
const pollMs = 100;

export const answerRun: CommandFunction = async ({ words, flags }) => {
  refuseAgents('answer a question');
  const [word = '', decision = '', given = ''] = words;
  if (!DECISION.test(decision)) {
    throw new Problem('usage', `${JSON.stringify(decision.slice(0, 80))} cannot name a decision`, {
      fix: `pawl change status ${word} names the decisions it waits with`,
    });
  }
  const found = findRun(findRepository(process.cwd()).commonDir, word);
  const json = flags['json'] === true;
  if (isOwned(found) && (await handOver(found, { decision, answer: given }))) {
    const text = `recorded by the process that works on ${found.run}: ${given}`;
    say(json, found.run, { decision, answer: given, next: null }, text);
    return exitCodes.done;
  }
  const next = await withRun(word, (run) => record(run, { decision, answer: given }));
  say(
    json,
    found.run,
    { decision, answer: given, next },
    `recorded: ${given}\n${next === null ? '' : `Next: ${next}`}`,
  );
  return exitCodes.done;
};

/** Puts the answer on record and names the command to run next. */
function record(run: Run, given: Answer): string | null {
  const pending = pendingDecision(run);
  // An earlier try may have been killed after its answer was on record, and before the files showed it.
  if (!pending) show(run);
  // An answer that is known and just not open is refused with the reason, not called unknown.
  const known = pending && Object.hasOwn(pending.question.answers, given.answer) ? [given.answer] : [];
  checkAnswer(run.id, given, pending && { id: pending.id, options: [...pending.options, ...known] });
  if (!pending) return null;
  if (pending.question.withdrawn !== null) {
    throw new Problem('withdrawn', `this need not be answered any more: ${pending.question.withdrawn}`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl resume ${run.id}`,
    });
  }
  const refusal = answer(run, pending, given.answer, 'answer');
  if (refusal) {
    const { message } = run.workflow.summarize(run.view(), { outcome: refusal.outcome, refusal: refusal.reason });
    const fix = `possible answers: ${pending.options.join(', ')}`;
    throw new Problem(refusal.reason, message, { exitCode: exitCodes[refusal.outcome], fix });
  }
  show(run);
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type !== 'rest') return `pawl resume ${run.id}`;
  return run.workflow.summarize(run.view(), { outcome: effect.outcome, refusal: null }).next;
}

function show(run: Run): void {
  run.project();
  exportJournal(run);
}

function checkAnswer(
  run: string,
  given: Answer,
  pending: { readonly id: string; readonly options: readonly string[] } | null,
): void {
  if (!pending) {
    const exitCode = exitCodes.not_ready;
    throw new Problem('no_decision', `${run} is not waiting for an answer`, { exitCode, fix: `pawl log ${run}` });
  }
  if (pending.id !== given.decision) {
    throw unknownWord('decision', given.decision, [pending.id], `pawl answer ${run} ${pending.id}`);
  }
  if (pending.options.includes(given.answer)) return;
  const possible = `possible answers: ${pending.options.join(', ')}; pawl answer`;
  throw unknownWord('answer', given.answer, pending.options, possible);
}

/**
 * Gives the answer to the process that waits for it, and stays until it is on record.
 * False when that process ended without it: then it is still to be given.
 */
async function handOver(found: FoundRun, given: Answer): Promise<boolean> {
  const records = readJournal(found.folder) ?? [];
  const state = replay(records);
  const { machine } = await loadWorkflow(found.workflow);
  const effect = state && effectOf(machine, state.snapshot);
  const pending = effect?.type === 'ask' ? { id: effect.question, options: effect.options } : null;
  checkAnswer(found.run, given, pending);
  const message: Message = { kind: 'answer', ...given, by: 'answer' };
  post(found.folder, message);
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const owned = isOwned(found);
    const recorded = answerAfter(found.folder, records.length);
    if (recorded) return isOurs(recorded, given);
    if (!owned) return !withdraw(found.folder, message) && answerAfter(found.folder, records.length) !== undefined;
    if (Date.now() > deadline) {
      withdraw(found.folder, message);
      throw new Problem('not_taken', 'the process that works on it does not take the answer', {
        exitCode: exitCodes.temporary,
        fix: 'try again in a moment, or stop that process with pawl pause',
      });
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

type Moved = Extract<JournalRecord, { type: 'moved' }>;

function answerAfter(folder: string, seq: number): Moved | undefined {
  const later = (readJournal(folder) ?? []).slice(seq);
  return later.find(
    (record): record is Moved =>
      record.type === 'moved' && (record.by?.how === 'answer' || record.by?.how === 'terminal'),
  );
}

function isOurs(recorded: Moved, given: Answer): true {
  if (recorded.by?.how === 'answer' && recorded.signal === given.answer) return true;
  throw new Problem('answered', `it was answered meanwhile: ${recorded.signal}`, { exitCode: exitCodes.not_ready });
}

function isOwned({ folder }: FoundRun): boolean {
  return currentOwner(folder, leaseOptions(false)) !== undefined;
}

function say(json: boolean, run: string, facts: Record<string, string | null>, text: string): void {
  process.stdout.write(json ? `${JSON.stringify({ run, ...facts })}\n` : `${text}\n`);
}
