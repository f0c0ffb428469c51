/** Commands that start agents: words and flags become an intent, it is carried out, its result is shown. */

import { resolve } from 'node:path';
import type { PreviewedRun } from '../runs/dry-run.ts';
import { findRun } from '../runs/find.ts';
import { isRefusal, usageRefusal, type Refusal } from '../runs/refusal.ts';
import { perform, runCommand, type OverRun, type WorkResult } from '../runs/run-command.ts';
import type { WorkChoices, WorkOrder } from '../runs/work-order.ts';
import type { PreparedAnswers, RunEvent } from '../runtime/host.ts';
import type { CommandInput, WorkflowSurface, WorkVerb } from '../workflows/surface.ts';
import { raisedBudgets } from './budgets.ts';
import { compose } from './compose.ts';
import type { CommandContext, CommandFunction } from './context.ts';
import { isAttended } from './calling-agent.ts';
import { localDate } from './local-date.ts';
import { refusedUntrusted } from './trusting.ts';
import { exitCodes, accepted, Problem, usageError } from './problem.ts';
import { presenterFor } from './show/presenter.ts';
import { noticeLines, showOver, showPreview, showResult, type CheckResult } from './show/result.ts';
import { terminalPerson } from './terminal-person.ts';

export function workVerb(surface: WorkflowSurface, verb: WorkVerb): CommandFunction {
  return async (given, context) => {
    const readIntent = await verb.intent();
    const intent = readIntent(given, localDate(new Date()));
    if ('fix' in intent) throw new Problem(usageRefusal(intent));
    if (intent.kind === 'batch')
      return (await import('./batch-command.ts')).workThroughAll(intent, surface, given, context.repository());
    const { exitCode, result } = await work(given, context, (order) => perform({ ...order, surface, intent }));
    const step = result?.offer && isAttended(given) ? await acceptedOffer(result, result.offer) : undefined;
    const next = surface.verbs.find((each) => each.verb === step?.verb);
    if (next?.does !== 'work') return exitCode;
    const kept = ['agent', 'model', 'script', 'answers', 'verbose'];
    const flags = Object.fromEntries(Object.entries(given.flags).filter(([name]) => kept.includes(name)));
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
  const person = terminalPerson(presenterFor());
  const answer = await person.ask({ ...question, root: workspace });
  return next[answer ?? ''];
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
  const presenter = presenterFor({ json, verbose: given.flags['verbose'] === true });
  const interrupts = watchInterrupts();
  const { signal: interrupted } = interrupts;
  const person = isAttended(given) ? terminalPerson(presenter, { interrupted }) : null;
  const surfaces = context.workflows.bundled;
  const checks: CheckResult[] = [];
  const observe = (event: RunEvent): void => {
    if (event.type === 'check.ended') checks.push({ check: event.check, signal: event.signal, notes: event.notes });
    presenter.observe(event);
  };
  const host = compose({ surfaces, person, prepared, observe, interrupted });
  const caller: WorkOrder['caller'] = {
    host,
    interrupt: (reason) => interrupts.abort(reason),
    untrusted: (repository) => refusedUntrusted(repository, person),
    notify: (notice) => {
      noticeLines(notice, presenter.style).forEach((line) => presenter.say(line));
      if (notice.kind === 'waiting') presenter.observe({ type: 'waiting', ms: notice.ms, attempt: null, why: '' });
    },
  };
  try {
    const result = accepted(await act({ repository: context.repository(), choices, caller }));
    if ('preview' in result) return { exitCode: showPreview(result, json), result: null };
    if ('over' in result) return { exitCode: showOver(result, json), result: null };
    return { exitCode: showResult(result, { json, presenter, checks }), result };
  } finally {
    presenter.close();
    await host.close();
    // Last: the result is shown, and a signal that comes now must not make another of it.
    interrupts.close();
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
  const { agent, model, script, hint, budget, edits } = flags;
  if (edits !== undefined && edits !== 'keep' && edits !== 'discard')
    throw usageError(`--edits is "${String(edits)}"`, 'use --edits keep or --edits discard');
  return {
    ...(typeof agent === 'string' && { agent }),
    ...(typeof model === 'string' && { model }),
    ...(typeof script === 'string' && { script: resolve(script) }),
    ...(typeof hint === 'string' && { hint }),
    ...(typeof budget === 'string' && { raised: raisedBudgets(budget) }),
    ...(edits !== undefined && { edits }),
    wait: flags['wait'] === true,
    acceptState: flags['accept-state'] === true,
    acceptSandbox: flags['accept-sandbox'] === true,
    force: flags['force'] === true,
    unproven: flags['unproven'] === true,
    shareTree: flags['share-tree'] === true,
  };
}
