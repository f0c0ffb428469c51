/** The status of a run for people: the answer first, then what stands in its way, then the work and the figures. */

import { basename } from 'node:path';
import type { KnownStatus, OpenDecision, RunStatus } from '../../runs/status.ts';
import type { StatusDetails, StatusItem, StatusSection } from '../../workflows/workflow.ts';
import { age } from './age.ts';
import { decisionLines, questionLines } from './decision.ts';
import { budgetLeft, costOf, count, dispatches as dispatchCount, duration, money, tokensOf } from './figures.ts';
import type { Style } from './screen.ts';
import { aligned, cut, dispatchNumber, padEnd, plainLine, plainText, widthOf, wrapped } from './text.ts';

/** Lists are cut here; `--json` has them whole. */
const listedMax = 12;
const dispatchesMax = 5;
const columnsMax = 100;
const problemColumnsMax = 100;

export interface Sheet {
  readonly style: Style;
  readonly nowMs: number;
  /** Of the terminal; infinite where nothing wraps. */
  readonly columns: number;
}

export function statusLines(known: KnownStatus, sheet: Sheet): string[] {
  const { status, details } = known;
  const { style } = sheet;
  const { goal = null, figures } = details;
  return [
    titleLine(known, sheet),
    ...(goal === null ? [] : para(`goal: ${goal}`, '  ', sheet)),
    ...stopLines(status, details, sheet),
    ...noteLines(known, sheet),
    ...(figures ? ['', ...figureLines(status, figures, sheet)] : []),
    ...(details.sections ?? []).flatMap((section) => sectionLines(section, sheet)),
    ...decisionsLines(known, style),
    ...(figures ? [] : [...dispatchLines(status, style), ...usageLines(status)]),
    ...(status.next === null ? [] : ['', `Next: ${style.cyan(status.next)}`]),
  ];
}

function titleLine({ status, details, finished }: KnownStatus, { style, nowMs }: Sheet): string {
  const [phase = '', ...facts] = details.title.map(plainLine);
  const paint = details.blocker ? style.red : finished ? style.green : style.cyan;
  return `${style.bold(status.run)}  ${[paint(phase), ...facts, `updated ${age(status.updatedAt, nowMs)}`].join(', ')}`;
}

/** What the run came to; for a blocked one, what blocks it and the way out. */
function stopLines({ message, next }: RunStatus, { blocker }: StatusDetails, sheet: Sheet): string[] {
  if (!blocker) return para(message, '  ', sheet);
  const { style } = sheet;
  const from = blocker.from === null ? '' : ` (in ${blocker.from})`;
  // A command that stands below on a line of its own is easier to copy there.
  const wayOut = next === null ? blocker.wayOut : blocker.wayOut.replace(next, 'the command below');
  return [
    `  ${style.red(style.symbols.failed)} ${style.bold(plainLine(blocker.blocker || 'blocked'))}${from}`,
    ...para(blocker.detail, '    ', sheet),
    ...(wayOut === '' ? [] : para(`way out: ${wayOut}`, '    ', sheet)),
  ];
}

function noteLines({ status, details, stateFile }: KnownStatus, sheet: Sheet): string[] {
  const { run, owner, open, edited, problems } = status;
  const work = open
    ? `${open.role} (${open.agent}) on ${open.step}, started ${age(open.startedAt, sheet.nowMs)}`
    : null;
  const notes = [
    ...(owner ? [`a process is at work: pid ${owner.pid} on ${owner.host}${work === null ? '' : `; ${work}`}`] : []),
    ...(!owner && work !== null ? [`cut off: ${work}; pawl resume ${run} starts it again`] : []),
    ...(edited
      ? [
          `${basename(stateFile)} says ${edited.phase}; the journal says ${edited.journal}: ` +
            'the next command takes the edit over, and asks first where it passes a gate',
        ]
      : []),
    ...problems,
  ].map((text) => ({ text, items: [] }));
  return [...notes, ...details.notes].flatMap(({ text, items = [] }) => [
    ...para(text, `  ${sheet.style.yellow('!')} `, sheet),
    ...firstOf(items.map((item) => hanging(item, '    - ', sheet))),
  ]);
}

function figureLines(
  { usage, budget, dispatches }: RunStatus,
  figures: NonNullable<StatusDetails['figures']>,
  sheet: Sheet,
): string[] {
  const last = dispatches.at(-1);
  const lastWords = last && `${last.role} (${last.agent}): ${last.signal.replaceAll('_', ' ')} in ${duration(last.ms)}`;
  const rows = [
    ...figures,
    ...(usage ? [['dispatches', last ? `${usage.dispatches}, last ${lastWords}` : 'none yet'] as const] : []),
    ...(budget ? [['budget left', budgetLeft(budget.remaining)] as const] : []),
  ];
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  return rows.flatMap(([name, value]) => hanging(value, `  ${sheet.style.dim(name.padEnd(width))}  `, sheet));
}

function sectionLines({ title, items }: StatusSection, sheet: Sheet): string[] {
  if (items.length === 0) return [];
  const { style } = sheet;
  const [idWidth, stateWidth] = [widest(items, 'id'), widest(items, 'state')];
  const lines = items.map(({ mark, id, state, text }) => {
    if (id === undefined) return hanging(text, '  - ', sheet);
    const cells = [padEnd(plainLine(id), idWidth), style.dim(padEnd(state ?? '', stateWidth))];
    return hanging(text, `  ${markOf(mark, style)} ${cells.join('  ')}  `, sheet);
  });
  return ['', style.bold(title), ...firstOf(lines)];
}

function widest(items: readonly StatusItem[], key: 'id' | 'state'): number {
  return Math.max(...items.map((item) => widthOf(item[key] ?? '')));
}

function markOf(mark: StatusItem['mark'], { symbols, green, yellow, red, cyan }: Style): string {
  const marks = {
    done: green(symbols.done),
    failed: red(symbols.failed),
    current: cyan(symbols.started),
    warning: yellow('!'),
    open: symbols.small,
  };
  return marks[mark];
}

function decisionsLines({ status, pending }: KnownStatus, style: Style): string[] {
  const { run, decisions } = status;
  const others = pending ? decisions.filter(({ answerWith }) => answerWith === null) : decisions;
  return [
    ...(pending ? ['', ...decisionLines(run, pending, style)] : []),
    ...others.flatMap((decision) => ['', ...otherLines(decision, run, style)]),
  ];
}

/** A decision that is open without being asked, or whose question cannot be made. */
function otherLines(
  { id, title, detail, paths, answers, answerWith }: OpenDecision,
  run: string,
  style: Style,
): string[] {
  if (answerWith === null) return questionLines({ title: `${id}: ${title}`, detail, paths }, style);
  const rows = Object.entries(answers).map(([answer, meaning]) => [
    style.cyan(`pawl answer ${run} ${id} ${answer}`),
    meaning,
  ]);
  return [...questionLines({ title, detail, paths }, style), ...aligned(rows).map((line) => `  ${line}`)];
}

function dispatchLines({ dispatches }: RunStatus, style: Style): string[] {
  if (dispatches.length === 0) return [];
  const last = dispatches.slice(-dispatchesMax);
  const rows = last.map(({ id, role, step, agent, model, signal, ms, usage, problem }) => [
    plainLine(dispatchNumber(id)),
    role,
    step,
    plainLine(model === null ? agent : `${agent} ${model}`),
    signal,
    duration(ms),
    tokensOf(usage),
    costOf(usage),
    cut(plainLine(problem ?? ''), problemColumnsMax, style.symbols.ellipsis),
  ]);
  const which = last.length === dispatches.length ? '' : `, the last ${last.length}`;
  return ['', `${dispatchCount(dispatches.length)}${which}:`, ...aligned(rows).map((row) => `  ${row}`)];
}

/** Used, of what may be used. */
function usageLines({ usage, budget }: RunStatus): string[] {
  if (!usage) return [];
  const of = (used: string, limit: string | undefined) => (limit === undefined ? used : `${used} of ${limit}`);
  const limits = budget?.limits;
  const tokens = usage.inputTokens === null ? 'unknown' : count(usage.inputTokens + (usage.outputTokens ?? 0));
  const parts = [
    `dispatches ${of(String(usage.dispatches), limits && String(limits.dispatches))}`,
    `tokens ${of(tokens, limits && count(limits.tokens))}`,
    `cost ${of(usage.costUsd === null ? 'unknown' : money(usage.costUsd), limits && money(limits.costUsd))}`,
    `agent time ${of(duration(usage.wallMs), limits && duration(limits.wallMs))}`,
  ];
  return ['', `Used: ${parts.join(', ')}`];
}

/** One or more lines for each item. */
function firstOf(items: readonly (readonly string[])[]): string[] {
  const more = items.length - listedMax;
  return [...items.slice(0, listedMax).flat(), ...(more > 0 ? [`    and ${more} more (--json has all)`] : [])];
}

/** Text of one or more lines, each behind the same indentation. */
function para(text: string, indent: string, sheet: Sheet): string[] {
  return plainText(text)
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => hanging(line, indent, sheet));
}

/** One line of text behind `head`; what does not fit goes below it. */
function hanging(text: string, head: string, { columns }: Sheet): string[] {
  const indent = widthOf(head);
  const room = Number.isFinite(columns) ? Math.max(20, Math.min(columns, columnsMax) - 1 - indent) : columns;
  const [first = '', ...rest] = wrapped(plainLine(text), room);
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(indent)}${line}`)];
}
