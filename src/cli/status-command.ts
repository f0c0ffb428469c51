/** `status`: the state of a run and the next command. It changes nothing and needs no lease. */

import { basename } from 'node:path';
import { findRunOf, type FoundRun } from '../runs/find.ts';
import { landedText } from '../runs/landed-text.ts';
import { refusal, type Refusal } from '../runs/refusal.ts';
import { withCast, type RunRepository } from '../runs/work-order.ts';
import { statusDocument, statusOf, type KnownStatus, type RunStatus } from '../runs/status.ts';
import type { CommandInput, WorkflowSurface } from '../workflows/surface.ts';
import type { StatusDetails, StatusSection } from '../workflows/workflow.ts';
import type { CommandFunction } from './context.ts';
import { spelled } from './program-name.ts';
import { accepted } from './problem.ts';
import { decisionLines, questionLines } from './show/question-lines.ts';
import { age, budgetLeft, costOf, count, agentCalls, duration, money, tokensOf } from './show/figures.ts';
import { printLong, screenOf, type Style } from './show/screen.ts';
import { aligned, cut, dispatchNumber, padEnd, plainLine, plainText, widthOf, wrapped } from './show/text.ts';

/** Of one workflow's runs; without a word, of the latest that is not finished. */
export function statusCommand(surface: WorkflowSurface): CommandFunction {
  return async ({ words: [word], flags }, context) => {
    const repository = context.repository();
    const found = word === undefined ? await latest(repository, surface) : findRunOf(repository, surface, word);
    return showStatus(repository, accepted(found), flags);
  };
}

export async function showStatus(
  repository: RunRepository,
  found: FoundRun,
  flags: CommandInput['flags'],
): Promise<number> {
  const known = accepted(await statusOf(repository, found));
  const screen = screenOf(process.stdout);
  const layout = { style: screen.style, nowMs: Date.now(), columns: screen.columns() };
  const text = (): string => statusLines(known, layout).join('\n');
  return printLong(flags, { ...statusDocument(known), next: spelled(known.status.next) }, text, 2);
}

async function latest(repository: RunRepository, surface: WorkflowSurface): Promise<FoundRun | Refusal> {
  const { latestRun } = await import('../runs/catalog.ts');
  const listed = await latestRun(repository, surface);
  if (listed) return findRunOf(repository, surface, listed.run);
  return refusal('RunNotFound', `there are no ${surface.list.plural} in this repository`, { fix: surface.begin });
}

/** Lists are cut here; `--json` has them whole. */
const listedMax = 12;
const dispatchesMax = 5;
const columnsMax = 100;
const problemColumnsMax = 100;

export interface Layout {
  readonly style: Style;
  readonly nowMs: number;
  /** Of the terminal; infinite where nothing wraps. */
  readonly columns: number;
}

export function statusLines(known: KnownStatus, layout: Layout): string[] {
  const { status, details } = known;
  const { style } = layout;
  const { goal = null, figures } = details;
  const next = spelled(withCast(status.next, status.workflow, known.cast));
  return [
    titleLine(known, layout),
    ...(goal === null ? [] : para(`goal: ${goal}`, '  ', layout)),
    ...castLines(known, layout),
    ...stopLines(status, details, layout),
    ...(status.landed === null ? [] : para(`finished: ${landedText(status.landed)}`, '  ', layout)),
    ...noteLines(known, layout),
    ...(figures ? ['', ...figureLines(status, figures, layout)] : []),
    ...(details.sections ?? []).flatMap((section) => sectionLines(section, layout)),
    ...decisionsLines(known, style),
    ...(figures ? [] : [...dispatchLines(status, style), ...usageLines(status)]),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}

function titleLine({ status, details, finished }: KnownStatus, { style, nowMs }: Layout): string {
  const [phase = '', ...facts] = details.title.map(plainLine);
  const paint = details.blocker ? style.red : finished ? style.green : style.cyan;
  return `${style.bold(status.run)}  ${[paint(phase), ...facts, `updated ${age(status.updatedAt, nowMs)}`].join(', ')}`;
}

/** What a person chose with the last command, and `resume` goes on with. */
function castLines({ cast, finished }: KnownStatus, layout: Layout): string[] {
  const words = Object.entries(cast).map(([flag, value]) => `--${flag} ${plainLine(value)}`);
  return words.length === 0 || finished ? [] : hanging(words.join(' '), '  chosen: ', layout);
}

/** The run's message; for a blocked one, its blocker and the way out. */
function stopLines({ message, next }: RunStatus, { blocker }: StatusDetails, layout: Layout): string[] {
  if (!blocker) return para(message, '  ', layout);
  const { style } = layout;
  const from = blocker.from === null ? '' : ` (in ${blocker.from})`;
  // A command that stands below on a line of its own is easier to copy there.
  const fix = blocker.wayOut === next ? '' : blocker.wayOut.replace(next ?? '\0', 'the command below');
  return [
    `  ${style.red(style.symbols.failed)} ${style.bold(plainLine(blocker.blocker || 'blocked'))}${from}`,
    ...para(blocker.detail, '    ', layout),
    ...(fix === '' ? [] : para(`fix: ${fix}`, '    ', layout)),
  ];
}

function noteLines({ status, details, stateFile }: KnownStatus, layout: Layout): string[] {
  const { run, owner, open, edited, problems } = status;
  const started = open && `${open.role} (${open.agent}) on ${open.step}, started ${age(open.startedAt, layout.nowMs)}`;
  const work = started === null ? '' : `; ${started}`;
  const adopts = edited?.adoptable
    ? 'the next command adopts the edit, and asks first where it skips a gate'
    : 'no command adopts this, only the work itself leads there';
  const notes = [
    ...(owner ? [`process ${owner.pid} on ${owner.host} works on it${work}`] : []),
    ...(!owner && started !== null ? [`interrupted: ${started}; pawl resume ${run} starts it again`] : []),
    ...(edited ? [`${basename(stateFile)} says ${edited.phase}; the journal says ${edited.journal}: ${adopts}`] : []),
    ...problems,
  ].map((text) => ({ text, items: [] }));
  return [...notes, ...details.notes].flatMap(({ text, items = [] }) => [
    ...para(text, `  ${layout.style.yellow('!')} `, layout),
    ...firstOf(items.map((item) => hanging(item, '    - ', layout))),
  ]);
}

function figureLines(
  { usage, budget, dispatches }: RunStatus,
  figures: NonNullable<StatusDetails['figures']>,
  layout: Layout,
): string[] {
  const last = dispatches.at(-1);
  const lastWords = last && `${last.role} (${last.agent}): ${last.signal.replaceAll('_', ' ')} in ${duration(last.ms)}`;
  const rows = [
    ...figures,
    ...(usage ? [['agent calls', last ? `${usage.dispatches}, last ${lastWords}` : 'none yet'] as const] : []),
    ...(budget ? [['budget left', budgetLeft(budget.remaining)] as const] : []),
  ];
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  return rows.flatMap(([name, value]) => hanging(value, `  ${layout.style.dim(name.padEnd(width))}  `, layout));
}

function sectionLines({ title, items }: StatusSection, layout: Layout): string[] {
  if (items.length === 0) return [];
  const { bold, dim, green, red, cyan, yellow, symbols } = layout.style;
  const marks = {
    done: green(symbols.done),
    failed: red(symbols.failed),
    current: cyan(symbols.started),
    warning: yellow('!'),
    open: symbols.small,
  };
  const widest = (key: 'id' | 'state'): number => Math.max(...items.map((item) => widthOf(item[key] ?? '')));
  const [idWidth, stateWidth] = [widest('id'), widest('state')];
  const lines = items.map(({ mark, id, state, text }) => {
    if (id === undefined) return hanging(text, '  - ', layout);
    const cells = [padEnd(plainLine(id), idWidth), dim(padEnd(state ?? '', stateWidth))];
    return hanging(text, `  ${marks[mark]} ${cells.join('  ')}  `, layout);
  });
  return ['', bold(title), ...firstOf(lines)];
}

/** The question that is asked; then decisions that are open without being asked, or whose question cannot be made. */
function decisionsLines({ status, pending: asked }: KnownStatus, style: Style): string[] {
  const { run } = status;
  // The message says why a question was withdrawn; it need not be answered.
  const pending = typeof asked?.question.withdrawn === 'string' ? null : asked;
  const decisions = status.decisions.filter(({ withdrawn }) => withdrawn === null);
  const others = pending ? decisions.filter(({ answerWith }) => answerWith === null) : decisions;
  return [
    ...(pending ? ['', ...decisionLines(run, pending, style)] : []),
    ...others.flatMap(({ id, answerWith, ...question }) => [
      '',
      ...(answerWith === null
        ? questionLines({ ...question, title: `${id}: ${question.title}` }, style)
        : decisionLines(run, { id, question, options: Object.keys(question.answers) }, style)),
    ]),
  ];
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
  return ['', `${agentCalls(dispatches.length)}${which}:`, ...aligned(rows, '  ')];
}

function usageLines({ usage, budget }: RunStatus): string[] {
  if (!usage) return [];
  const of = (used: string, limit: string | undefined) => (limit === undefined ? used : `${used} of ${limit}`);
  const limits = budget?.limits;
  const tokens = usage.inputTokens === null ? 'unknown' : count(usage.inputTokens + (usage.outputTokens ?? 0));
  const parts = [
    `agent calls ${of(String(usage.dispatches + usage.reruns), limits && String(limits.dispatches))}`,
    `tokens ${of(tokens, limits && count(limits.tokens))}`,
    `cost ${of(usage.costUsd === null ? 'unknown' : money(usage.costUsd), limits && money(limits.costUsd))}`,
    `agent time ${of(duration(usage.wallMs), limits && duration(limits.wallMs))}`,
  ];
  return ['', `Used: ${parts.join(', ')}`];
}

function firstOf(items: readonly (readonly string[])[]): string[] {
  const more = items.length - listedMax;
  return [...items.slice(0, listedMax).flat(), ...(more > 0 ? [`    and ${more} more (--json has all)`] : [])];
}

/** Text of one or more lines, each behind the same indentation. */
function para(text: string, indent: string, layout: Layout): string[] {
  return plainText(text)
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => hanging(line, indent, layout));
}

/** One line of text behind `head`; what does not fit goes below it. */
function hanging(text: string, head: string, { columns }: Layout): string[] {
  const indent = widthOf(head);
  const room = Number.isFinite(columns) ? Math.max(20, Math.min(columns, columnsMax) - 1 - indent) : columns;
  const [first = '', ...rest] = wrapped(plainLine(text), room);
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(indent)}${line}`)];
}
