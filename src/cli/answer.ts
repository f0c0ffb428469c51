/** `answer`: a person's answer to the question a run waits with. */

import { resolve } from 'node:path';
import { effectOf } from '../engine/transition.ts';
import { readJournal } from '../store/journal.ts';
import { currentOwner } from '../store/lease.ts';
import type { JournalRecord } from '../store/record.ts';
import {
  answer,
  answerPart,
  decisionIn,
  pendingDecision,
  type Answered,
  type PendingDecision,
} from '../runtime/answering.ts';
import { exportJournal } from '../runtime/export-journal.ts';
import { post, withdraw } from '../store/inbox.ts';
import type { Message } from '../store/run-store.ts';
import { answerIn, type RecordedAnswer } from '../runtime/recorded-answers.ts';
import { replay } from '../runtime/run-state.ts';
import type { Run } from '../runtime/run.ts';
import { projectOrWarn } from '../runtime/state-writing.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { leaseOptions } from './compose.ts';
import { checkAnswer, givenAnswer, refusedAnswer, unclearAnswer, type CommandAnswer } from './given-answer.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun, type FoundRun } from './find-run.ts';
import { withRun } from './held-run.ts';
import { Problem } from './problem.ts';
import { loadWorkflow } from './workflows.ts';

const waitMsMax = 30_000;
const pollMs = 100;

export const answerRun: CommandFunction = async (command) => {
  const given = givenAnswer(command);
  const [word = ''] = command.words;
  const commonDir = findRepository(process.cwd()).commonDir;
  const found = findRun(commonDir, word);
  const say = (facts: Facts, lines: readonly (string | null)[]): number => {
    const text = lines.filter((line) => line !== null).join('\n');
    const document = { run: found.run, ...given, ...facts };
    process.stdout.write(`${command.flags['json'] === true ? JSON.stringify(document) : text}\n`);
    return exitCodes.done;
  };
  const what = given.answer ?? 'passed over';
  if (isOwned(found) && (await handOver(found, commonDir, given))) {
    return say({ next: null }, [`recorded by the process that works on ${found.run}: ${what}`]);
  }
  const { understood, next } = await withRun(word, (run) => recordAnswer(run, given));
  const takenAs = understood === undefined || understood === null ? null : `taken as: ${understood}`;
  return say({ ...(understood !== undefined && { understood }), next }, [
    `recorded: ${what}`,
    takenAs,
    next === null ? '' : `Next: ${next}`,
  ]);
};

interface Facts {
  /** For answers in a person's own words: what they were taken for, where it is not what was typed. */
  readonly understood?: string | null;
  readonly next: string | null;
}

/** Puts the answer on record and names the command to run next. */
export function recordAnswer(run: Run, given: CommandAnswer): Facts {
  const pending = pendingDecision(run);
  // An earlier try may have been killed after its answer was on record, and before the files showed it.
  if (!pending) show(run);
  checkAnswer(run.id, given, pending);
  if (!pending) return { next: null };
  if (pending.question.withdrawn !== null) {
    throw new Problem('withdrawn', `this need not be answered any more: ${pending.question.withdrawn}`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl resume ${run.id}`,
    });
  }
  const facts = take(run, pending, { ...given, how: 'answer' });
  show(run);
  return { ...facts, next: nextOf(run) };
}

function take(run: Run, pending: PendingDecision, answered: Answered): Pick<Facts, 'understood'> {
  const { question } = pending;
  if (!question.freely) {
    const refusal = answer(run, pending, answered.answer ?? '', { how: 'answer' });
    if (refusal) throw refusedAnswer(run, pending, refusal);
    return {};
  }
  const taken = answerPart(run, { ...question, freely: question.freely }, answered);
  if (taken.kind === 'refused') throw refusedAnswer(run, pending, taken.refusal);
  if (taken.kind === 'unclear') throw unclearAnswer(answered, pending, taken.why);
  return { understood: taken.understood };
}

function nextOf(run: Run): string | null {
  const effect = effectOf(run.workflow.machine, run.state.snapshot);
  if (effect.type === 'rest') {
    return run.workflow.summarize(run.view(), { outcome: effect.outcome, refusal: null }).next;
  }
  const [part] = pendingDecision(run)?.question.freely?.parts ?? [];
  return part ? `pawl answer ${run.id} ${part.id} "<answer>"` : `pawl resume ${run.id}`;
}

function show(run: Run): void {
  projectOrWarn(run);
  exportJournal(run);
}

/**
 * Gives the answer to the process that waits for it, and stays until it is on record.
 * False when that process ended without it: then it is still to be given.
 */
async function handOver(found: FoundRun, commonDir: string, given: CommandAnswer): Promise<boolean> {
  const records = readJournal(found.folder) ?? [];
  checkAnswer(found.run, given, await pendingElsewhere(found, commonDir, records), { elsewhere: true });
  const message: Message = { kind: 'answer', ...given, by: 'answer' };
  post(found.folder, message);
  const deadline = Date.now() + waitMsMax;
  for (;;) {
    const owned = isOwned(found);
    const later = recordsAfter(found.folder, records.length);
    const recorded = answerAmong(later, given);
    if (recorded) return isOurs(recorded, given);
    if (later.some((record) => record.type === 'moved' && record.change.state !== undefined)) {
      withdraw(found.folder, message);
      throw new Problem('no_decision', `${found.run} went on without an answer to ${given.decision}`, {
        exitCode: exitCodes.not_ready,
        fix: `pawl log ${found.run}`,
      });
    }
    if (!owned) {
      if (withdraw(found.folder, message)) return false;
      return answerAmong(recordsAfter(found.folder, records.length), given) !== null;
    }
    if (Date.now() > deadline) {
      withdraw(found.folder, message);
      throw new Problem('not_taken', 'the process that works on it does not take the answer', {
        exitCode: exitCodes.temporary,
        fix: 'try again in a moment, or stop that process with pawl pause',
      });
    }
    await new Promise((done) => setTimeout(done, pollMs));
  }
}

/** What a run waits with that another process works on. */
async function pendingElsewhere(
  { workflow: name, run }: FoundRun,
  commonDir: string,
  records: readonly JournalRecord[],
): Promise<PendingDecision | null> {
  const state = replay(records);
  if (!state) return null;
  const workflow = await loadWorkflow(name);
  const { snapshot, history, changedAt } = state;
  const files = workspaceFiles(resolve(commonDir, state.workspace));
  const config = files.read(workflow.configPath);
  return decisionIn(workflow, { run, snapshot, history, files, config, at: changedAt });
}

function recordsAfter(folder: string, seq: number): readonly JournalRecord[] {
  return (readJournal(folder) ?? []).slice(seq);
}

interface Recorded extends RecordedAnswer {
  readonly how: string;
}

/** The answer to the same decision that came first. */
function answerAmong(records: readonly JournalRecord[], { decision }: CommandAnswer): Recorded | null {
  for (const record of records) {
    const answered = answerIn(record);
    if (record.type === 'moved' && record.by && answered?.decision === decision)
      return { ...answered, how: record.by.how };
  }
  return null;
}

function isOurs(recorded: Recorded, given: CommandAnswer): true {
  if (recorded.how === 'answer' && recorded.answer === given.answer) return true;
  const message = `it was answered meanwhile: ${recorded.answer ?? 'passed over'}`;
  throw new Problem('answered', message, { exitCode: exitCodes.not_ready });
}

function isOwned({ folder }: FoundRun): boolean {
  return currentOwner(folder, leaseOptions(false)) !== undefined;
}
