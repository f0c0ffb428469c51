/** The first and the last words about a command: what it will use, its notices, its result. */

import { spelled } from '../program-name.ts';
import { isAbsolute, relative } from 'node:path';
import type { Outcome } from '../../engine/machine.ts';
import type { Notice, Opening } from '../../runs/caller.ts';
import type { PreviewedRun } from '../../runs/dry-run.ts';
import type { OverRun, WorkResult } from '../../runs/run-command.ts';
import { shownBudget, shownDecisions, shownUsage } from '../../runs/run-document.ts';
import { withCast } from '../../runs/work-order.ts';
import { waitsUntil, type RunState, type Spent } from '../../runtime/run-state.ts';
import { exitCodes, type ExitCode, type Diagnostic } from '../problem.ts';
import { decisionLines } from './question-lines.ts';
import { budgetLeft, count, agentCalls, duration, money } from './figures.ts';
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
    case 'waiting': {
      const at = `${notice.until.slice(0, 16)}Z, in ${duration(notice.ms)}`;
      return [`rate-limited: the run continues at ${at} (Ctrl-C stops; nothing is lost)`];
    }
  }
}

function openingLines({ cast, dispatches: most, left, sandbox }: Opening, style: Style): string[] {
  const agents = aligned(cast.map(({ agent, model }) => [agent, modelWords(agent, model)]));
  const calls = most ? `at most ${most.most} (${most.withFaults} with retries)` : 'unbounded: see pawl verify';
  const rows = [
    ...cast.map(({ role }, index) => [role ?? 'every role', agents[index] ?? '']),
    ['agent calls', calls],
    ['budget left', budgetLeft(left)],
    ['sandbox', sandbox.problem === null ? sandbox.level : `${sandbox.level} (${plainLine(sandbox.problem)})`],
  ];
  const lowered =
    sandbox.before === null
      ? []
      : [`warning: the sandbox of this run was ${sandbox.before} before, and is ${sandbox.level} now`];
  return [...aligned(rows, '  ').map(style.dim), ...lowered];
}

function modelWords(agent: string, model: string | null): string {
  if (agent === 'scripted') return '(plays a script, no model is called)';
  return model === null ? 'its own default model' : `up to ${model}`;
}

export function showResult(result: WorkResult, { json, presenter }: { json: boolean; presenter: Presenter }): ExitCode {
  for (const line of resultLines(result, presenter.style)) presenter.say(line);
  if (json) screenOf(process.stdout).write(`${jsonText(resultDocument(result), 2)}\n`);
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
export function resultDocument(result: WorkResult) {
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
    dispatches: history.map(({ id, role, step, agent, model, signal, ms, usage, problem }) => {
      const who = { id, role, step, agent, model };
      return { ...who, signal, ms, usage, problem };
    }),
    usage: shownUsage(spent),
    budget: shownBudget(spent, limits),
    worktree: result.worktree,
    diagnostics: diagnosticsOf(result),
  };
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
  readonly worktree?: WorkResult['worktree'];
  readonly state: Pick<RunState, 'spent' | 'choice'>;
};

export function resultLines(result: ShownResult, style: Style): string[] {
  const { workflow, run, state, rest, summary, workspace, worktree = null } = result;
  const next = spelled(withCast(summary.next, workflow, state.choice));
  const columns = screenOf(process.stdout).columns();
  const [first = '', ...more] = plainText(summary.message)
    .split('\n')
    .flatMap((line) => wrapped(line, columns - 2));
  return [
    '',
    `${markOf(rest.outcome, style)} ${style.bold(first)}`,
    ...more.map((line) => `  ${line}`),
    ...elsewhere(workspace),
    ...(state.spent.dispatches + state.spent.reruns > 0 ? [`  ${style.dim(totals(state.spent, style))}`] : []),
    ...(rest.decision ? ['', ...decisionLines(run, rest.decision, style)] : []),
    ...(worktree === null ? [] : ['', ...worktreeLines(worktree, style)]),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}

/** The end of a worktree: nothing of it is committed by Pawl. */
function worktreeLines({ path, branch, commands }: NonNullable<WorkResult['worktree']>, style: Style): string[] {
  const head = `Its work is in ${path}, on the branch ${branch}, and not committed. To commit, merge and remove it:`;
  return [head, ...commands.map((command) => `  ${style.cyan(command)}`)];
}

/** Paths are relative to the workspace, so it is named to somebody who is in another folder. */
function elsewhere(workspace: string): string[] {
  const here = process.cwd();
  const inside = relative(workspace, here);
  return inside.startsWith('..') || isAbsolute(inside) ? [`  in ${relative(here, workspace)}`] : [];
}

function markOf(outcome: Outcome, { symbols, green, red, yellow }: Style): string {
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
