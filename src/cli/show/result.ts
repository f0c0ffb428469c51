/** The first and the last words about a command: what it will use, its notices, its result. */

import { spelled } from '../program-name.ts';
import { existsSync } from 'node:fs';
import { isAbsolute, relative } from 'node:path';
import type { Outcome } from '../../engine/machine.ts';
import type { Notice, Opening } from '../../runs/caller.ts';
import type { PreviewedRun } from '../../runs/dry-run.ts';
import type { OverRun, WorkResult } from '../../runs/run-command.ts';
import { shownBudget, shownDecisions, shownUsage } from '../../runs/run-document.ts';
import { withCast } from '../../runs/work-order.ts';
import type { RunEvent } from '../../runtime/host.ts';
import { waitsUntil, type RunState } from '../../runtime/run-state.ts';
import type { Spent } from '../../runtime/spending.ts';
import { exitCodes, type ExitCode, type Diagnostic } from '../problem.ts';
import { decisionLines } from './question-lines.ts';
import { budgetLeft, count, agentCalls, duration, money, withLocalTimes } from './figures.ts';
import type { Presenter } from './presenter.ts';
import { print, screenOf, type Style } from './screen.ts';
import { aligned, jsonText, plainLine, plainText, wrapped } from './text.ts';

export function noticeLines(notice: Notice, style: Style): string[] {
  switch (notice.kind) {
    case 'settings':
      return notice.warnings.map((warning) => `warning: ${warning}`);
    case 'foreign_state':
      return [
        `warning: ${notice.path} is not as Pawl writes it:`,
        ...notice.notes.map((note) => `  ${plainLine(note)}`),
      ];
    case 'opening':
      return openingLines(notice.opening, style);
    case 'waiting':
      return [`rate-limited until ${withLocalTimes(notice.until)}; Ctrl-C stops, and nothing is lost`];
  }
}

function openingLines({ cast, dispatches: most, left, sandbox }: Opening, style: Style): string[] {
  const agents = aligned(cast.map((each) => [each.agent, modelWords(each)]));
  const calls = most ? `at most ${most.most} (${most.withFaults} with retries)` : 'unbounded: see pawl verify';
  const rows = [
    ...cast.map(({ role }, index) => [role ?? 'every role', agents[index] ?? '']),
    ['agent calls', calls],
    ['budget left', budgetLeft(left)],
    ['sandbox', sandbox.problem === null ? sandbox.level : `${sandbox.level} (${plainLine(sandbox.problem)})`],
  ];
  return aligned(rows, '  ').map(style.dim);
}

function modelWords({ agent, model, exact }: Opening['cast'][number]): string {
  if (agent === 'scripted') return '(plays a script, calls no model)';
  return model === null ? '(its default model)' : exact ? model : `up to ${model}`;
}

/** A check that the command made. */
export type CheckResult = Pick<Extract<RunEvent, { type: 'check.ended' }>, 'check' | 'signal' | 'notes'>;

export function showResult(
  result: WorkResult,
  { json, presenter, checks = [] }: { json: boolean; presenter: Presenter; checks?: readonly CheckResult[] },
): ExitCode {
  for (const line of resultLines(result, presenter.style)) presenter.say(line);
  if (json) screenOf(process.stdout).write(`${jsonText(resultDocument(result, checks), 2)}\n`);
  return exitCodes[result.rest.outcome];
}

export function showPreview({ workflow, run, preview: { details, lines } }: PreviewedRun, json: boolean): number {
  const document = { workflow, run, action: 'dry_run', ...details };
  return print({ json }, document, lines.join('\n'));
}

/** A run that is over and has no journal here. */
export function showOver({ workflow, run, over }: OverRun, json: boolean): number {
  const { action, phase, verdict, next, message } = over;
  const facts = { workflow, run, state: null, phase, verdict, action, outcome: 'done' };
  const document = { ...facts, exitCode: exitCodes.done, next, decisions: [], diagnostics: [] };
  return print({ json }, document, message);
}

/** The one document a command prints with `--json`. Its keys are a promise to scripts. */
export function resultDocument(result: WorkResult, checks: readonly CheckResult[] = []) {
  const { workflow, run, rest, summary, state, limits } = result;
  const { snapshot, history, spent } = state;
  return {
    workflow,
    run,
    state: snapshot.state,
    phase: summary.phase,
    verdict: summary.verdict,
    action: summary.action,
    outcome: rest.outcome,
    exitCode: exitCodes[rest.outcome],
    next: spelled(summary.next),
    until: waitsUntil(snapshot),
    decisions: rest.decision ? shownDecisions(rest.decision) : [],
    dispatches: history.map(({ id, role, step, agent, model, signal, ms, usage, problem, beside }) => {
      const who = { id, role, step, agent, model };
      return { ...who, signal, ms, usage, problem, ...(beside && { beside }) };
    }),
    checks,
    usage: shownUsage(spent),
    budget: shownBudget(spent, limits),
    worktree: shownWorktree(result.end),
    diagnostics: diagnosticsOf(result),
  };
}

function shownWorktree(end: WorkResult['end']) {
  return end?.branch ? { path: end.path, branch: end.branch, committed: end.committed } : null;
}

function diagnosticsOf({ warnings, rest, summary: { action, message, next } }: WorkResult): Diagnostic[] {
  const unknown = { severity: 'warning', code: 'UnknownSetting' } as const;
  const settings = warnings.map(({ file: target, message }) => ({ ...unknown, message, target, fix: null }));
  if (rest.outcome === 'done') return settings;
  const resumable = rest.outcome === 'needs_person' || rest.outcome === 'interrupted';
  const severity = resumable ? 'warning' : 'error';
  return [...settings, { severity, code: rest.refusal?.reason ?? action, message, target: null, fix: spelled(next) }];
}

type ShownResult = Pick<WorkResult, 'workflow' | 'run' | 'rest' | 'summary' | 'workspace'> & {
  readonly end?: WorkResult['end'];
  readonly state: Pick<RunState, 'spent' | 'choice'>;
};

export function resultLines(result: ShownResult, style: Style): string[] {
  const { workflow, run, state, rest, summary, workspace, end = null } = result;
  const next = spelled(withCast(summary.next, workflow, state.choice));
  const columns = screenOf(process.stdout).columns();
  const [first = '', ...more] = withLocalTimes(plainText(summary.message))
    .split('\n')
    .flatMap((line) => wrapped(line, columns - 2));
  return [
    '',
    `${markOf(rest.outcome, style)} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...elsewhere(workspace),
    ...(state.spent.dispatches + state.spent.reruns > 0 ? [`  ${style.dim(totals(state.spent, style))}`] : []),
    ...(rest.decision ? ['', ...decisionLines(run, rest.decision, style)] : []),
    ...(end === null ? [] : ['', ...wrapped(endText(end), columns)]),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}

function endText({ path, branch, committed }: NonNullable<WorkResult['end']>): string {
  if (branch === null) return 'Its work is in your checkout, and not committed.';
  const place = relative(process.cwd(), path) || '.';
  return `Its work is in ${place}, on the branch ${branch}${committed ? '' : ', and not committed'}.`;
}

/** Paths are relative to the workspace, so it is named to somebody who is in another folder. */
function elsewhere(workspace: string): string[] {
  // A run that is over may have removed it.
  if (!existsSync(workspace)) return [];
  const here = process.cwd();
  const inside = relative(workspace, here);
  return inside.startsWith('..') || isAbsolute(inside) ? [`  in ${relative(here, workspace)}`] : [];
}

export function markOf(outcome: Outcome, { symbols, green, red, yellow }: Style): string {
  if (outcome === 'done') return green(symbols.done);
  return outcome === 'failed' || outcome === 'unavailable' ? red(symbols.failed) : yellow('!');
}

/** Usage of the run so far. Unknown usage is shown, not left out. */
function totals(spent: Spent, { symbols }: Style): string {
  const calls = spent.dispatches + spent.reruns;
  const known = (text: string, missing: number) =>
    missing === 0 ? text : `${text}, unknown for ${missing} of ${calls}`;
  const tokens = `${count(spent.inputTokens + spent.outputTokens)} tokens`;
  return [
    agentCalls(calls) + (spent.reruns > 0 ? `, ${spent.reruns} interrupted` : ''),
    spent.unknownTokens === calls ? 'tokens unknown' : known(tokens, spent.unknownTokens),
    spent.unknownCost === calls ? 'cost unknown' : known(money(spent.costUsd), spent.unknownCost),
    duration(spent.wallMs),
  ].join(` ${symbols.dot} `);
}
