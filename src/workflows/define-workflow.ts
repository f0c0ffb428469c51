/** A workflow from its particular parts; summaries and defaults, which are the same for all, are added here. */

import type { Machine, Outcome } from '../engine/machine.ts';
import { phaseOf } from '../engine/phase.ts';
import type { Problem } from '../engine/snapshot.ts';
import { abandoned, stateOf } from '../engine/transition.ts';
import type { CheckContext, CheckResult, Role, RunSummary, RunView, Workflow } from './workflow.ts';

type Defaulted = 'undoWrites' | 'listed' | 'nextIn' | 'writers';

export interface WorkflowParts
  extends Omit<Workflow, 'summarize' | 'exportTo' | Defaulted>, Partial<Pick<Workflow, Defaulted>> {
  readonly words: RunWords;
  /** Where the journal of a run that is over is exported to; null for nowhere. */
  readonly journalPath: (view: RunView) => string | null;
}

/** How a workflow describes its runs. General words are used where it has none. */
export interface RunWords {
  /** By the reason for which the machine refused a command. */
  readonly refusals: Readonly<Record<string, (view: PhaseView) => SummaryText>>;
  readonly rests: Readonly<Record<string, (view: PhaseView, outcome: Outcome) => SummaryText>>;
  /** For stops that have nothing to do with the workflow; null for outcomes that are none. */
  readonly stops?: (view: RunView, outcome: Outcome) => SummaryText | null;
  /** The command that leads on from where the run is. */
  readonly next: (view: RunView) => string | null;
  readonly verdict: (view: RunView) => string | null;
  /** Names of documents that the run made, cannot do without, and does not find: the journal has them. */
  readonly missing?: (view: RunView) => readonly string[];
}

export type PhaseView = RunView & { readonly phase: string };

/** Only a message where the action is the reason or the state. `next` is that of the workflow unless it is given. */
export type SummaryText = string | readonly [action: string, message: string, next?: string | null];

export function defineWorkflow({ words, journalPath, ...parts }: WorkflowParts): Workflow {
  const { machine } = parts;
  return {
    undoWrites: () => [],
    listed: () => ({}),
    nextIn: () => null,
    writers: Object.keys(parts.roles).filter((role) => mayWrite(parts.roles[role])),
    ...parts,
    summarize: (view, rest) => summarize(machine, words, view, rest),
    exportTo: (view) => (isOver(machine, view) ? journalPath(view) : null),
  };
}

function mayWrite(role: Role | undefined): boolean {
  const { mayWrite: globs = [] } = role ?? {};
  return typeof globs === 'function' || globs.length > 0;
}

type CommandEnd = Parameters<Workflow['summarize']>[1];

export function summarize(machine: Machine, words: RunWords, view: RunView, end: CommandEnd): RunSummary {
  const { outcome, refusal } = end;
  const phase = phaseOf(machine, view.snapshot);
  const phaseView = { ...view, phase: phase ?? 'new' };
  const text =
    refusal === null
      ? restText(machine, words, phaseView, outcome)
      : (own(words.refusals, refusal)?.(phaseView) ?? `this is not possible in ${view.snapshot.state}: ${refusal}`);
  const [action, said, next = words.next(view)] =
    typeof text === 'string' ? ([refusal ?? view.snapshot.state, text] as const) : text;
  const message = said.trimEnd();
  const lost = isOver(machine, view) ? [] : (words.missing?.(view) ?? []);
  if (lost.length === 0) return { phase, verdict: words.verdict(view), action, message, next };
  const told = `${lost.join(', ')} ${lost.length === 1 ? 'is' : 'are'} missing; the journal has the text`;
  const verdict = words.verdict(view);
  return { phase, verdict, action, message: `${message}\n${told}`, next: `pawl restore ${view.run}` };
}

const isOver = (machine: Machine, { snapshot }: RunView): boolean => stateOf(machine, snapshot.state).kind === 'final';

function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function restText(machine: Machine, words: RunWords, view: PhaseView, outcome: Outcome): SummaryText {
  const { run, snapshot } = view;
  const { state, problem } = snapshot;
  const entered = stateOf(machine, state);
  const { kind } = entered;
  if (state === abandoned) return [state, `${run} is abandoned: ${problem?.message ?? ''}`, null];
  const { stops = stopText, rests } = words;
  const stopped = kind === 'final' ? null : stops(view, outcome);
  if (stopped !== null) return stopped;
  const rest = own(rests, state);
  if (rest) return rest(view, outcome);
  if (kind === 'final') return [state, `${run} is ${state}`, null];
  if (entered.kind === 'decide')
    return ['asked', `${run} waits for an answer: ${state}`, `pawl answer ${run} ${entered.question} <answer>`];
  return problem?.message ?? `${run} is paused in ${state}`;
}

const stopActions: Partial<Record<Outcome, readonly [action: string, command: string, flags?: string]>> = {
  failed: ['failed', 'retry'],
  over_budget: ['over_budget', 'resume', ' --budget <name>=<number>'],
  unavailable: ['agent_unavailable', 'retry', ' --agent <agent>'],
  temporary: ['rate_limited', 'resume'],
  interrupted: ['interrupted', 'resume'],
};

/** Null for outcomes that only the workflow can explain. */
export function stopText({ run, snapshot: { problem } }: RunView, outcome: Outcome) {
  const [action, command, flags = ''] = stopActions[outcome] ?? [];
  if (action === undefined) return null;
  const message = action === 'interrupted' ? 'stopped; everything finished so far is kept' : (problem?.message ?? '');
  const next = (outcome === 'over_budget' && problem?.fix) || `pawl ${command} ${run}${flags}`;
  return [action, message, next] as const;
}

/** A check that stops the run. Codes are the names of signals where nothing else is given, as in journals of earlier versions. */
export function stopWith(
  signal: string,
  message: string,
  { code = signal, notes = [message], fix }: Partial<Pick<Problem, 'code' | 'fix'> & Pick<CheckResult, 'notes'>> = {},
): CheckResult {
  return { signal: { name: signal, problem: { code, message, ...(fix !== undefined && { fix }) } }, notes };
}

export async function runProgram({ exec }: Pick<CheckContext, 'exec'>, command: readonly string[], minutes: number) {
  const run = await exec(command, { timeoutMs: minutes * 60_000 });
  if (run.missing) return { ...run, end: 'missing', words: 'is not installed' } as const;
  if (run.timedOut) return { ...run, end: 'timed_out', words: 'took too long' } as const;
  if (run.exitCode === 0) return { ...run, end: 'passed', words: 'passed' } as const;
  return { ...run, end: 'failed', words: `exited with status ${run.exitCode}` } as const;
}

type Check = Workflow['checks'][string];

/** Loaded when one of them is made: most commands make none. */
export function late<const N extends string>(names: readonly N[], load: () => Promise<Readonly<Record<N, Check>>>) {
  const check =
    (name: N): Check =>
    async (context) =>
      (await load())[name](context);
  return Object.fromEntries(names.map((name) => [name, check(name)]));
}
