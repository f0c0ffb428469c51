/** The last words about a command: what it came to. */

import type { Outcome } from '../../engine/machine.ts';
import type { PreviewedRun } from '../../runs/dry-run.ts';
import type { OverRun } from '../../runs/run-command.ts';
import type { WorkResult } from '../../runs/work-result.ts';
import type { RunState, Spent } from '../../runtime/run-state.ts';
import { exitCodes, type ExitCode } from '../exit-codes.ts';
import { decisionLines } from './decision.ts';
import { count, dispatches, duration, money } from './figures.ts';
import type { Presenter } from './presenter.ts';
import { resultDocument } from './result-document.ts';
import type { Style } from './screen.ts';
import { plainText } from './text.ts';

/** Prints what the command came to, and returns its exit code. */
export function showResult(result: WorkResult, options: { json: boolean; presenter: Presenter }): ExitCode {
  const { presenter, json } = options;
  for (const line of resultLines(result, presenter.style)) presenter.say(line);
  if (json) process.stdout.write(`${JSON.stringify(resultDocument(result), null, 2)}\n`);
  return exitCodes[result.rest.outcome];
}

/** What a command would do. */
export function showPreview({ workflow, run, preview: { details, lines } }: PreviewedRun, json: boolean): ExitCode {
  const document = { workflow, run, action: 'dry_run', ...details };
  process.stdout.write(`${json ? JSON.stringify(document) : lines.join('\n')}\n`);
  return exitCodes.done;
}

/** A run that is over and has no journal here. */
export function showOver({ workflow, run, over }: OverRun, json: boolean): ExitCode {
  const { action, phase, verdict, next, message } = over;
  const facts = { workflow, run, state: null, phase, verdict, action, outcome: 'done' };
  const document = { ...facts, exitCode: exitCodes.done, next, decisions: [], diagnostics: [] };
  process.stdout.write(`${json ? JSON.stringify(document) : message}\n`);
  return exitCodes.done;
}

type ShownResult = Pick<WorkResult, 'run' | 'rest' | 'summary'> & { readonly state: Pick<RunState, 'spent'> };

export function resultLines({ run, state, rest, summary }: ShownResult, style: Style): string[] {
  const [first = '', ...more] = plainText(summary.message).split('\n');
  return [
    '',
    `${markOf(rest.outcome, style)} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...(state.spent.dispatches > 0 ? [`  ${style.dim(totals(state.spent, style))}`] : []),
    ...(rest.decision ? ['', ...decisionLines(run, rest.decision, style)] : []),
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
