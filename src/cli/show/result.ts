/** The first and the last words about a command: what it will use, and what it came to. */

import type { Outcome } from '../../engine/machine.ts';
import { agentsByRole } from '../../runtime/agent-choice.ts';
import type { Rest } from '../../runtime/drive.ts';
import type { Run } from '../../runtime/run.ts';
import type { Spent } from '../../runtime/run-state.ts';
import { remaining } from '../../runtime/spending.ts';
import type { RunSummary, Workflow } from '../../workflows/workflow.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { decisionLines } from './decision.ts';
import { budgetLeft, count, dispatches, duration, money } from './figures.ts';
import type { Presenter } from './presenter.ts';
import { resultDocument, type DocumentedRun } from './result-document.ts';
import type { Style } from './screen.ts';
import { aligned, plainText } from './text.ts';

/** Who will work, what may be spent, and how often at most: the words before the first dispatch. */
export async function showOpening(run: Run, options: { agent: string | null; presenter: Presenter }): Promise<void> {
  const { presenter } = options;
  const { dim } = presenter.style;
  const rows = [
    ...agentRows(run, options.agent),
    ['dispatches', await worstCaseWords(run)],
    ['budget left', budgetLeft(remaining(run.state.spent, run.spendingLimits))],
  ];
  for (const line of aligned(rows)) presenter.say(`  ${dim(line)}`);
}

/** Proven, not estimated: the verifier follows every way the run can take from here. */
async function worstCaseWords({ workflow: { machine }, state: { snapshot } }: Run): Promise<string> {
  const [{ dispatchesFrom }, { formulaText }] = await Promise.all([
    import('../../verifier/dispatches-from.ts'),
    import('../../verifier/formula.ts'),
  ]);
  const most = dispatchesFrom(machine, snapshot);
  if (!most) return 'any number: see pawl verify';
  return `at most ${formulaText(most.dispatches)} (${formulaText(most.withFaults)} if all fail as often as they may)`;
}

function agentRows(run: Run, override: string | null): string[][] {
  if (override !== null) return [['every role', `${override}  ${modelWords(run, override)}`]];
  const agents = agentsByRole(run);
  const roles = Object.keys(run.workflow.roles);
  const used = aligned(roles.map((role) => [agents[role] ?? 'none', modelWords(run, agents[role] ?? 'none')]));
  return roles.map((role, index) => [role, used[index] ?? '']);
}

/** Which of an agent's models is taken depends on the work, so the ceiling is named. */
function modelWords(run: Run, agent: string): string {
  if (agent === 'scripted') return '(plays a script, no model is called)';
  const model = run.settings.modelFor(agent, undefined);
  return model === null ? 'its own default model' : `up to ${model}`;
}

/** A run whose result can be told, be it open for work or only looked at. */
export type ToldRun = DocumentedRun & Pick<Run, 'view'> & { readonly workflow: Pick<Workflow, 'summarize'> };

/** Prints what the command came to, and returns its exit code. */
export function showResult(run: ToldRun, rest: Rest, options: { json: boolean; presenter: Presenter }): ExitCode {
  const summary = run.workflow.summarize(run.view(), { outcome: rest.outcome, refusal: rest.refusal?.reason ?? null });
  const { presenter, json } = options;
  for (const line of resultLines({ run, rest, summary }, presenter.style)) presenter.say(line);
  if (json) process.stdout.write(`${JSON.stringify(resultDocument(run, rest, summary), null, 2)}\n`);
  return exitCodes[rest.outcome];
}

interface Result {
  readonly run: Pick<Run, 'id' | 'state'>;
  readonly rest: Rest;
  readonly summary: RunSummary;
}

export function resultLines({ run, rest, summary }: Result, style: Style): string[] {
  const [first = '', ...more] = plainText(summary.message).split('\n');
  return [
    '',
    `${markOf(rest.outcome, style)} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...(run.state.spent.dispatches > 0 ? [`  ${style.dim(totals(run.state.spent, style))}`] : []),
    ...(rest.decision ? ['', ...decisionLines(run.id, rest.decision, style)] : []),
    ...(summary.next === null ? [] : ['', `Next: ${style.cyan(summary.next)}`]),
  ];
}

function markOf(outcome: Outcome, { symbols, green, red, yellow }: Style): string {
  if (outcome === 'done') return green(symbols.done);
  return outcome === 'failed' || outcome === 'unavailable' ? red(symbols.failed) : yellow('!');
}

/** What the run has used so far. Unknown usage is said, not left out. */
function totals(spent: Spent, { symbols }: Style): string {
  const known = (text: string, missing: number) =>
    missing === 0 ? text : `${text}, unknown for ${missing} of ${spent.dispatches}`;
  const tokens = `${count(spent.inputTokens + spent.outputTokens)} tokens`;
  return [
    dispatches(spent.dispatches) + (spent.reruns > 0 ? `, ${spent.reruns} cut off` : ''),
    spent.unknownTokens === spent.dispatches ? 'tokens unknown' : known(tokens, spent.unknownTokens),
    spent.unknownCost === spent.dispatches ? 'cost unknown' : known(money(spent.costUsd), spent.unknownCost),
    duration(spent.wallMs),
  ].join(` ${symbols.dot} `);
}
