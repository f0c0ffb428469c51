/** Commands that set agents to work: words and flags become an intent, it is carried out, what came of it is shown. */

import { resolve } from 'node:path';
import type { Caller } from '../runs/caller.ts';
import { findRun } from '../runs/find.ts';
import { perform, type Performed } from '../runs/perform.ts';
import { isRefusal, usageRefusal } from '../runs/refusal.ts';
import { continueRun } from '../runs/run-command.ts';
import type { RunRepository } from '../runs/run-repository.ts';
import type { WorkChoices } from '../runs/work-choices.ts';
import type { WorkResult } from '../runs/work-result.ts';
import type { PreparedAnswers } from '../runtime/host.ts';
import type { WorkflowSurface, WorkVerb } from '../workflows/surface.ts';
import type { Offer } from '../workflows/workflow.ts';
import { compose } from './compose.ts';
import type { CommandContext } from './context.ts';
import { watchInterrupts } from './interrupts.ts';
import type { Given } from './options.ts';
import { accepted, Problem, refused } from './problem.ts';
import { noticeLines } from './show/notice.ts';
import { presenterFor } from './show/presenter.ts';
import { showOver, showPreview, showResult } from './show/result.ts';
import { terminalPerson } from './terminal-person.ts';
import type { CommandFunction } from './verb.ts';

/** A verb of a workflow. */
export function workVerb(surface: WorkflowSurface, verb: WorkVerb): CommandFunction {
  return async (given, context) => {
    const readIntent = await verb.intent();
    const intent = readIntent(given, localDate(new Date()));
    if ('fix' in intent) throw refused(usageRefusal(intent));
    const { exitCode, result } = await work(given, context, (repository, caller, choices) =>
      perform(repository, surface, { intent, choices }, caller),
    );
    const taken = result?.offer && isAttended(given) ? await takenUp(result, result.offer) : undefined;
    const next = surface.verbs.find((each) => each.verb === taken?.verb);
    if (next?.does !== 'work') return exitCode;
    const { agent, script, answers } = given.flags;
    const flags = { ...(agent && { agent }), ...(script && { script }), ...(answers && { answers }) };
    return workVerb(surface, next)({ words: taken?.words ?? [], flags }, context);
  };
}

/** The next step that the person at the terminal takes up. The run is at rest, so Ctrl-C simply ends the program. */
async function takenUp({ workspace }: WorkResult, { question, next }: Offer) {
  const person = terminalPerson(presenterFor({ json: false }));
  const answer = await person.ask({ ...question, root: workspace });
  return next[answer ?? ''];
}

/** As people name the day, wherever they are. */
function localDate(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

type Work = (repository: RunRepository, caller: Caller, choices: WorkChoices) => Promise<Performed>;

interface Worked {
  readonly exitCode: number;
  /** Null where nothing was to be done. */
  readonly result: WorkResult | null;
}

/** Puts the terminal around the work, and shows what comes of it. */
export async function work(given: Given, context: CommandContext, act: Work): Promise<Worked> {
  const json = given.flags['json'] === true;
  const choices = choicesIn(given);
  const prepared = await preparedFor(given);
  const presenter = presenterFor({ json });
  const interrupts = watchInterrupts();
  const person = isAttended(given) ? terminalPerson(presenter, { interrupted: interrupts.signal }) : null;
  const host = compose({
    surfaces: context.workflows.bundled,
    person,
    prepared,
    observe: (event) => presenter.observe(event),
    interrupted: interrupts.signal,
  });
  const caller: Caller = {
    host,
    interrupt: (reason) => interrupts.abort(reason),
    notify: (notice) => noticeLines(notice, presenter.style).forEach((line) => presenter.say(line)),
  };
  try {
    const result = accepted(await act(context.repository(), caller, choices));
    if ('preview' in result) return { exitCode: showPreview(result, json), result: null };
    if ('over' in result) return { exitCode: showOver(result, json), result: null };
    return { exitCode: showResult(result, { json, presenter }), result };
  } finally {
    interrupts.close();
    presenter.close();
    await host.close();
  }
}

/** Whether a person sits at the terminal and may be asked. */
function isAttended({ flags }: Given): boolean {
  return !flags['json'] && !flags['no-input'] && process.stdin.isTTY && process.stderr.isTTY;
}

/** Read before anything is written: a file that cannot be used is the caller's mistake. */
async function preparedFor({ flags: { answers } }: Given): Promise<PreparedAnswers | undefined> {
  if (typeof answers !== 'string') return undefined;
  const { readAnswersFile } = await import('../runs/answers-file.ts');
  return accepted(readAnswersFile(answers));
}

function choicesIn({ flags }: Given): WorkChoices {
  const { agent, script, hint, budget, edits } = flags;
  if (edits !== undefined && edits !== 'keep' && edits !== 'discard')
    throw new Problem('UsageError', `--edits is "${String(edits)}"`, { fix: 'use --edits keep or --edits discard' });
  return {
    ...(typeof agent === 'string' && { agent }),
    ...(typeof script === 'string' && { script: resolve(script) }),
    ...(typeof hint === 'string' && { hint }),
    ...(typeof budget === 'string' && { raised: raisedBudgets(budget) }),
    ...(edits !== undefined && { edits }),
    wait: flags['wait'] === true,
    acceptState: flags['accept-state'] === true,
    force: flags['force'] === true,
    unproven: flags['unproven'] === true,
  };
}

/** `resume` and `retry`: going on with a run, as it was or differently. */
export const resume: CommandFunction = async (given, context) => {
  const { exitCode } = await work(given, context, async (repository, caller, choices) => {
    const found = findRun(repository, given.words[0] ?? '');
    return isRefusal(found) ? found : continueRun(repository, found, { choices }, caller);
  });
  return exitCode;
};

const budgetNames: Readonly<Record<string, { key: string; factor: number }>> = {
  dispatches: { key: 'dispatches', factor: 1 },
  tokens: { key: 'tokens', factor: 1 },
  cost: { key: 'costUsd', factor: 1 },
  hours: { key: 'wallMs', factor: 3_600_000 },
};

/** `dispatches=100,cost=80` → the run's new limits. */
function raisedBudgets(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', number = ''] = part.split('=').map((word) => word.trim());
      const budget = Object.hasOwn(budgetNames, name) ? budgetNames[name] : undefined;
      const value = Number(number);
      if (!budget || number === '' || !Number.isFinite(value) || value < 0) {
        throw new Problem('UsageError', `--budget does not understand "${part}"`, {
          fix: `use <name>=<number> with ${Object.keys(budgetNames).join(', ')}, for example --budget dispatches=100,cost=80`,
        });
      }
      return [budget.key, value * budget.factor];
    }),
  );
}
