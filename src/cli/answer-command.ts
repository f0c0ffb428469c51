/** `answer`: a decision that is named on the command line, or chosen at the terminal. */

import { answerRun, isDecisionId, type AnsweredRun, type CommandAnswer } from '../runs/answer-run.ts';
import { findRun } from '../runs/find.ts';
import { waitingDecisions, type WaitingDecision, type WaitingDecisions } from '../runs/open-decisions.ts';
import { statusOf } from '../runs/status.ts';
import type { RunRepository } from '../runs/work-order.ts';
import type { Choice, Person } from '../runtime/host.ts';
import type { PendingDecision } from '../runtime/answering.ts';
import type { RunKey } from '../store/run-store.ts';
import type { CommandInput } from '../workflows/surface.ts';
import { isAttended } from './calling-agent.ts';
import type { CommandContext, CommandFunction } from './context.ts';
import { accepted, exitCodes, Problem, usageError } from './problem.ts';
import { shortWork } from './short-work.ts';
import { presenterFor } from './show/presenter.ts';
import { print, screenOf, type Style } from './show/screen.ts';
import { plainLine, wrapped } from './show/text.ts';

export const answer: CommandFunction = async (command, context) => {
  const [run, decision] = command.words;
  if (decision !== undefined) return answerNamed(command, context);
  if (command.flags['skip'])
    throw usageError('--skip needs <run> and <decision>', 'pawl answer <run> <decision> --skip');
  const repository = context.repository();
  const only = run === undefined ? undefined : accepted(findRun(repository, run));
  const waiting = await waitingDecisions(repository, only);
  if (waiting.decisions.length === 0 || !isAttended(command)) return listWaiting(waiting, command);
  const { terminalPerson } = await import('./terminal-person.ts');
  const person = terminalPerson(presenterFor({ json: false }));
  const key = await chosenRun(waiting.decisions, person);
  return key === null ? exitCodes.needs_person : answerAtTerminal(key, command, context, person);
};

/** The answers that are possible, each as the command that gives it. */
function listWaiting({ decisions, unread }: WaitingDecisions, { flags }: CommandInput): number {
  const screen = screenOf(process.stdout);
  const document = {
    decisions: decisions.map(({ workflow, run, decision }) => ({ workflow, run, ...decision })),
    unread,
  };
  const lines = [
    ...decisions.flatMap((each) => [...waitingLines(each, screen.style, screen.columns()), '']),
    ...unread.map(({ run, why }) => `${run}: its question cannot be read: ${plainLine(why)}`),
  ];
  const none = 'No decision is open. All runs: pawl status';
  print(flags, document, lines.length === 0 ? none : lines.join('\n').trimEnd());
  return decisions.length === 0 ? exitCodes.done : exitCodes.needs_person;
}

function waitingLines({ run, decision }: WaitingDecision, style: Style, columns: number): string[] {
  const { id, title, answers, answerWith } = decision;
  const named = Object.keys(answers).map(
    (each) => `pawl answer ${run} ${id} ${/^[\w.-]+$/.test(each) ? each : `"${each}"`}`,
  );
  const commands = named.length > 0 ? named : [answerWith];
  const [first = '', ...more] = wrapped(plainLine(title), columns - 2);
  return [
    `${style.yellow('?')} ${style.bold(first)}`,
    ...more.map((line) => `  ${style.bold(line)}`),
    ...commands.map((command) => `  ${style.cyan(plainLine(command))}`),
  ];
}

/** Null: the person leaves. */
async function chosenRun(decisions: readonly WaitingDecision[], person: Person): Promise<RunKey | null> {
  const runs = new Map(decisions.toReversed().map((each) => [`${each.workflow}/${each.run}`, each]));
  const [first, other] = [...runs.values()].toReversed();
  if (!first || !other) return first ?? null;
  const answers = Object.fromEntries([...runs].toReversed().map(([name, { decision }]) => [name, decision.title]));
  const title = `${runs.size} runs wait for you. Which one?`;
  const chosen = await person.ask({ title, detail: '', answers, paths: [] });
  return runs.get(chosen ?? '') ?? null;
}

const mistakesMax = 5;

/** Asks for one decision after the other, as long as the run waits. */
async function answerAtTerminal(
  key: RunKey,
  command: CommandInput,
  context: CommandContext,
  person: Person,
): Promise<number> {
  const repository = context.repository();
  let problem: string | undefined;
  for (let mistakes = 0; mistakes < mistakesMax;) {
    const asked = await questionOf(repository, key);
    if (!asked) break;
    const words = await person.ask({ ...asked, ...(problem !== undefined && { problem }) });
    if (words === null) return exitCodes.needs_person;
    const given = { decision: asked.id, answer: words.trim() === '' ? null : words };
    try {
      await answerOnce(key, given, command, context);
      problem = undefined;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      mistakes += 1;
      problem = error.message;
    }
  }
  if (problem !== undefined) return exitCodes.needs_person;
  return command.flags['resume'] ? resumed(key, command, context) : exitCodes.done;
}

async function questionOf(repository: RunRepository, key: RunKey): Promise<(Choice & { id: string }) | null> {
  const { pending, status } = accepted(await statusOf(repository, key));
  return pending?.question.withdrawn === null ? choiceOf(pending, status.workspace) : null;
}

export function choiceOf({ id, question, options }: PendingDecision, root: string): Choice & { id: string } {
  const { title, detail, paths, answers: meanings, freeText } = question;
  const [part] = freeText?.parts ?? [];
  if (!freeText || !part) {
    const answers = Object.fromEntries(options.map((option) => [option, meanings[option] ?? option]));
    return { id, title, detail, paths, answers, root };
  }
  const { length: of } = freeText.parts;
  const asked = { id: part.id, title, detail, paths, answers: part.answers, root, freeText: true };
  const place = { text: part.text, number: 1, of, optional: of > 1 && !part.required };
  return { ...asked, ownWords: freeText.ownWords, part: place };
}

async function answerNamed(command: CommandInput, context: CommandContext): Promise<number> {
  const given = givenAnswer(command);
  const key = accepted(findRun(context.repository(), command.words[0] ?? ''));
  const resumes = command.flags['resume'] === true;
  const { by, next } = await answerOnce(key, given, command, context);
  if (!resumes || by === 'owner') return exitCodes.done;
  return next === `pawl resume ${key.run}` ? resumed(key, command, context) : exitCodes.needs_person;
}

async function answerOnce(
  key: RunKey,
  given: CommandAnswer,
  command: CommandInput,
  context: CommandContext,
): Promise<AnsweredRun> {
  let answered: AnsweredRun = { by: 'us', next: null };
  await shortWork(async (repository, _, host) => {
    answered = accepted(await answerRun(repository, key, given, host));
    const { by, ...facts } = answered;
    const lines = answeredLines(key.run, given, answered);
    const { next } = answered;
    // With --resume the document is that of the work; at the terminal the next question follows by itself.
    const aside = command.flags['resume'] === true;
    const follows = (aside && by !== 'owner') || (command.words.length < 2 && next?.startsWith('pawl answer '));
    return { document: { run: key.run, ...given, ...facts }, lines, next: follows ? null : next, aside };
  })({ ...command, words: [`${key.workflow}/${key.run}`] }, context);
  return answered;
}

async function resumed({ workflow, run }: RunKey, { flags }: CommandInput, context: CommandContext): Promise<number> {
  const { resume } = await import('./work.ts');
  const { resume: _, ...rest } = flags;
  return resume({ words: [`${workflow}/${run}`], flags: rest }, context);
}

function answeredLines(run: string, given: CommandAnswer, { by, understood = null }: AnsweredRun) {
  const what = given.answer ?? 'skipped';
  if (by === 'owner') return [`recorded by the process that works on ${run}: ${what}`];
  return [`recorded: ${what}`, understood === null ? null : `understood as: ${understood}`];
}

export function givenAnswer({ words, flags }: CommandInput): CommandAnswer {
  const [run = '', decision = '', ...said] = words;
  if (!isDecisionId(decision)) {
    const fix = 'use the id shown with the question, such as revision or UD-1';
    throw usageError(`${JSON.stringify(decision.slice(0, 80))} is not a valid decision name`, fix);
  }
  const text = said.join(' ').trim();
  if (flags['skip']) {
    if (text === '') return { decision, answer: null };
    throw usageError('--skip and an answer exclude each other', 'leave one of them out');
  }
  if (text !== '') return { decision, answer: text };
  const command = `pawl answer ${run} ${decision}`;
  throw usageError('pawl answer needs <answer>, or --skip for an optional decision', `${command} "<answer>"`);
}
