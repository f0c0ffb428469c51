/** Commands that start agents: words and flags become an intent, it is carried out, its result is shown. */

import { resolve } from 'node:path';
import type { PreviewedRun } from '../runs/dry-run.ts';
import { findRun } from '../runs/find.ts';
import { isRefusal, usageRefusal, type Refusal } from '../runs/refusal.ts';
import { perform, runCommand, type OverRun, type WorkResult } from '../runs/run-command.ts';
import type { WorkChoices, WorkOrder } from '../runs/work-order.ts';
import type { PreparedAnswers } from '../runtime/host.ts';
import type { CommandInput, WorkflowSurface, WorkVerb } from '../workflows/surface.ts';
import { compose } from './compose.ts';
import type { CommandContext, CommandFunction } from './context.ts';
import { isAttended } from './calling-agent.ts';
import { refusedUntrusted } from './trusting.ts';
import { exitCodes, accepted, Problem, usageError } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { noticeLines, showOver, showPreview, showResult } from './show/result.ts';
import { terminalPerson } from './terminal-person.ts';

export function workVerb(surface: WorkflowSurface, verb: WorkVerb): CommandFunction {
  return async (given, context) => {
    const readIntent = await verb.intent();
    const intent = readIntent(given, localDate(new Date()));
    if ('fix' in intent) throw new Problem(usageRefusal(intent));
    const { exitCode, result } = await work(given, context, (order) => perform({ ...order, surface, intent }));
    const step = result?.offer && isAttended(given) ? await acceptedOffer(result, result.offer) : undefined;
    const next = surface.verbs.find((each) => each.verb === step?.verb);
    if (next?.does !== 'work') return exitCode;
    const { agent, script, answers } = given.flags;
    const flags = { ...(agent && { agent }), ...(script && { script }), ...(answers && { answers }) };
    return workVerb(surface, next)({ words: step?.words ?? [], flags }, context);
  };
}

/** `resume` and `retry`: continuing a run, as it was or differently. */
export const resume: CommandFunction = async (given, context) => {
  const { exitCode } = await work(given, context, async (order) => {
    const found = findRun(order.repository, given.words[0] ?? '');
    if (isRefusal(found)) return found;
    const surface = order.repository.workflows.surfaceOf(found.workflow);
    return runCommand({ ...order, surface, run: found.run, intent: { kind: 'continue', word: null } });
  });
  return exitCode;
};

/** The next step that the person at the terminal chooses. The run is at rest, so Ctrl-C simply ends the program. */
async function acceptedOffer({ workspace }: WorkResult, { question, next }: NonNullable<WorkResult['offer']>) {
  const person = terminalPerson(presenterFor({ json: false }));
  const answer = await person.ask({ ...question, root: workspace });
  return next[answer ?? ''];
}

/** The person's date, whatever their time zone. */
function localDate(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

type Act = (
  order: Pick<WorkOrder, 'repository' | 'choices' | 'caller'>,
) => Promise<WorkResult | OverRun | PreviewedRun | Refusal>;

/** Connects the work to the terminal, and shows its result; null where nothing was to be done. */
async function work(
  given: CommandInput,
  context: CommandContext,
  act: Act,
): Promise<{ exitCode: number; result: WorkResult | null }> {
  const json = given.flags['json'] === true;
  const choices = choicesIn(given);
  const prepared = await preparedFor(given);
  const presenter = presenterFor({ json });
  const interrupts = watchInterrupts();
  const { signal: interrupted } = interrupts;
  const person = isAttended(given) ? terminalPerson(presenter, { interrupted }) : null;
  const surfaces = context.workflows.bundled;
  const host = compose({ surfaces, person, prepared, observe: (event) => presenter.observe(event), interrupted });
  const caller: WorkOrder['caller'] = {
    host,
    interrupt: (reason) => interrupts.abort(reason),
    untrusted: (repository) => refusedUntrusted(repository, person),
    notify: (notice) => noticeLines(notice, presenter.style).forEach((line) => presenter.say(line)),
  };
  try {
    const result = accepted(await act({ repository: context.repository(), choices, caller }));
    if ('preview' in result) return { exitCode: showPreview(result, json), result: null };
    if ('over' in result) return { exitCode: showOver(result, json), result: null };
    return { exitCode: showResult(result, { json, presenter }), result };
  } finally {
    interrupts.close();
    presenter.close();
    await host.close();
  }
}

const endingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The first interruption ends the agent and leaves the run in order; a second one ends Pawl at once. */
function watchInterrupts() {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(exitCodes.interrupted);
    controller.abort('interrupt');
  };
  for (const signal of endingSignals) process.on(signal, onSignal);
  return {
    signal: controller.signal,
    abort: (reason: string) => controller.abort(reason),
    close: () => {
      for (const signal of endingSignals) process.off(signal, onSignal);
    },
  };
}

/** Read before anything is written: a file that cannot be used is the caller's mistake. */
async function preparedFor({ flags: { answers } }: CommandInput): Promise<PreparedAnswers | undefined> {
  if (typeof answers !== 'string') return undefined;
  const { readAnswersFile } = await import('../runs/answers-file.ts');
  return accepted(readAnswersFile(answers));
}

function choicesIn({ flags }: CommandInput): WorkChoices {
  const { agent, script, hint, budget, edits } = flags;
  if (edits !== undefined && edits !== 'keep' && edits !== 'discard')
    throw usageError(`--edits is "${String(edits)}"`, 'use --edits keep or --edits discard');
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
    shareTree: flags['share-tree'] === true,
  };
}

const budgetNames: Readonly<Record<string, { key: string; factor: number }>> = {
  dispatches: { key: 'dispatches', factor: 1 },
  tokens: { key: 'tokens', factor: 1 },
  cost: { key: 'costUsd', factor: 1 },
  hours: { key: 'wallMs', factor: 3_600_000 },
  crashes: { key: 'crashes', factor: 1 },
};

/** `dispatches=100,cost=80` → the run's new limits. */
function raisedBudgets(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', number = ''] = part.split('=').map((word) => word.trim());
      const budget = Object.hasOwn(budgetNames, name) ? budgetNames[name] : undefined;
      const value = Number(number);
      if (budget && number !== '' && Number.isFinite(value) && value >= 0) return [budget.key, value * budget.factor];
      const names = Object.keys(budgetNames).join(', ');
      const fix = `use <name>=<number> with ${names}, such as --budget dispatches=100,cost=80`;
      throw usageError(`--budget: invalid value "${part}"`, fix);
    }),
  );
}
