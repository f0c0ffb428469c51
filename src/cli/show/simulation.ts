/** The result of a simulation, for people. */

import type { Bar, Distribution } from '../../simulation/distribution.ts';
import type { Simulation, SimulatedEnd, Spending } from '../../simulation/simulated-runs.ts';
import { duration, grouped, money } from './figures.ts';
import { words } from './lines.ts';
import type { Screen, Style } from './screen.ts';
import { padEnd, padStart, widthOf, wrapped } from './text.ts';

export interface ShownSimulation {
  readonly workflow: string;
  readonly seed: number;
  readonly faults: boolean;
  readonly odds: string;
  readonly simulation: Simulation;
  readonly spending: Spending;
  readonly warnings: readonly string[];
  readonly again: string;
}

type Cells = readonly string[];
type Section = readonly [title: string, lines: Cells];

/** Tables do not get easier to read by being wider. */
const columnsMax = 80;
const indent = '  ';

export function simulationText(shown: ShownSimulation, { style, columns }: Pick<Screen, 'style' | 'columns'>): string {
  const { workflow, seed, faults, odds, simulation, warnings, again } = shown;
  const { bold, dim, yellow } = style;
  const room = Math.min(columnsMax, columns()) - 1 - indent.length;
  const { runs } = simulation;
  const how = `${grouped(runs)} simulated runs, ${faults ? 'with' : 'without'} faults, seed ${seed}`;
  const lines = [
    `${bold(workflow)}: ${how}`,
    ...wrapped(`odds: ${odds}`, room).map((line) => indent + dim(line)),
    ...warnings.flatMap((warning) => wrapped(warning, room).map((line) => indent + yellow(line))),
    ...sectionsOf(shown, style, room).flatMap(([title, rows]) =>
      rows.length === 0 ? [] : ['', bold(title), ...rows.map((line) => indent + line)],
    ),
    '',
    dim(`Repeat: ${again}`),
  ];
  return lines.join('\n');
}

function sectionsOf({ simulation, spending }: ShownSimulation, style: Style, columns: number): readonly Section[] {
  const { runs, dispatches, costUsd, rests, afterPerson, roles, ends } = simulation;
  const tableOf = (head: Cells, rows: readonly Cells[]): string[] => figureTable(head, rows, style);
  const known = (value: number | null, show: (value: number) => string) => (value === null ? '?' : show(value));
  const restRows = rests.map(({ state, asks, times, ...rest }) => {
    return [asks ? `${state} (a question)` : state, percent(rest.runs / runs), (times / runs).toFixed(2)];
  });
  const work = afterPerson.filter((row) => row.dispatches.most > 0 || (row.atMost ?? 0) > 0);
  const workRows = work.map(({ after, dispatches: calls, atMost }) => {
    return [after, ...figuresOf(calls, amountText), known(atMost, amountText)];
  });
  const sent = roles.filter((role) => role.dispatches > 0);
  const roleRows = sent.map(({ role, dispatches: calls, costUsd: cost, agentMs }) => {
    return [role, calls.toFixed(2), percent(calls / dispatches.mean), known(cost, money), known(agentMs, duration)];
  });
  const bars = (rows: readonly BarRow[]): string[] => barRows(rows, { style, columns });
  return [
    ['One run', runTable(simulation, style)],
    ['Ends', bars(ends.map(endRow))],
    ['Waits for a person', tableOf(['in', 'of runs', 'times a run'], restRows)],
    ['Agent calls until the run next pauses', tableOf(['after', ...distributionHead, 'proven bound'], workRows)],
    ['Roles, average of a run', tableOf(['', 'agent calls', 'of all', 'cost', 'agent time'], roleRows)],
    ['Agent calls of a run', bars(dispatches.histogram.map((bar) => ({ label: wholeLabel(bar), count: bar.count })))],
    ['Cost of a run', costUsd ? bars(moneyRows(costUsd.histogram)) : []],
    ['Over the budget of a run', budgetLines(simulation, spending)],
  ];
}

const distributionHead = ['median', 'mean', '90 %', 'most'];

function figuresOf({ median, mean, p90, most }: Distribution, show: (value: number) => string): string[] {
  return [median, mean, p90, most].map(show);
}

function runTable({ dispatches, costUsd, agentMs, commands, answers, roles }: Simulation, style: Style): string[] {
  const unknown = (what: 'costUsd' | 'agentMs'): string => {
    const names = roles.filter((role) => role[what] === null && role.dispatches > 0).map(({ role }) => role);
    return style.dim(`  not known for ${names.length === roles.length ? 'any role' : names.join(', ')}`);
  };
  const rows: Cells[] = [
    ['agent calls', ...figuresOf(dispatches, amountText)],
    ['cost', ...(costUsd ? figuresOf(costUsd, money) : [])],
    ['agent time', ...(agentMs ? figuresOf(agentMs, duration) : [])],
    ['commands', ...figuresOf(commands, amountText)],
    ['answers', ...figuresOf(answers, amountText)],
  ];
  const notes = ['', '', costUsd ? '' : unknown('costUsd'), agentMs ? '' : unknown('agentMs')];
  return figureTable(['', ...distributionHead], rows, style).map((line, index) => line + (notes[index] ?? ''));
}

function endRow({ how, state, outcome, runs }: SimulatedEnd): BarRow {
  if (how === 'ended') return { label: `${state} (${words(outcome ?? '')})`, count: runs };
  const label = how === 'stuck' ? `stuck in ${state}: every signal is refused` : `unfinished, last in ${state}`;
  return { label, count: runs };
}

const firstColumns = 16;

/** The first column to the left, figures to the right. */
function figureTable(head: Cells, rows: readonly Cells[], style: Style): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows];
  const widths = head.map((_, at) =>
    Math.max(at === 0 ? firstColumns : 0, ...all.map((row) => widthOf(row[at] ?? ''))),
  );
  return all.map((row, index) => {
    const cells = row.map((cell, at) => (at === 0 ? padEnd : padStart)(cell, widths[at] ?? 0));
    return index === 0 ? style.dim(cells.join('   ')) : cells.join('   ');
  });
}

function wholeLabel({ from, below }: Bar): string {
  if (below === null) return `${from} and more`;
  return below - from <= 1 ? String(from) : `${from} - ${below - 1}`;
}

/** All with as many digits as their edges need, so that they stand in line. */
function moneyRows(histogram: readonly Bar[]): BarRow[] {
  const digits = Math.max(centDigits, ...histogram.map(({ from }) => String(from).split('.')[1]?.length ?? 0));
  const dollars = (value: number): string => `$${value.toFixed(digits)}`;
  return histogram.map(({ from, below, count }) => ({
    label: below === null ? `${dollars(from)} and more` : `${dollars(from)} - ${dollars(below)}`,
    count,
  }));
}

const centDigits = 2;

function budgetLines({ overBudget, runs }: Simulation, spending: Spending): string[] {
  const lines: [number | null, string][] = [
    [overBudget.dispatches, `${spending.dispatches} agent calls`],
    [overBudget.costUsd, money(spending.costUsd)],
    [overBudget.agentMs, `${duration(spending.agentMs)} of agent time`],
  ];
  return lines.flatMap(([count, what]) =>
    count ? [`${padStart(percent(count / runs), 7)} of runs need more than ${what}`] : [],
  );
}

function amountText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

export interface BarRow {
  readonly label: string;
  readonly count: number;
}

/** One row a bar: label, bar, share of all; the longest bar takes the room there is. */
export function barRows(rows: readonly BarRow[], { style, columns }: { style: Style; columns: number }): string[] {
  const total = rows.reduce((sum, { count }) => sum + count, 0);
  const longest = Math.max(0, ...rows.map(({ count }) => count));
  const labels = Math.max(...rows.map(({ label }) => widthOf(label)));
  const room = Math.max(1, columns - labels - shareColumns - gaps);
  return rows.map(({ label, count }) => {
    const drawn = bar(longest === 0 ? 0 : count / longest, room, style.symbols.bar);
    return `${padStart(label, labels)}  ${style.cyan(padEnd(drawn, room))}  ${padStart(percent(count / total), shareColumns)}`;
  });
}

const shareColumns = '>99.9 %'.length;
const gaps = 4;

/** To an eighth of a character where the screen can; the smallest part stands for anything above nothing. */
export function bar(share: number, room: number, parts: readonly string[]): string {
  const whole = parts.at(-1) ?? '#';
  const units = Math.round(share * room * parts.length);
  const length = share > 0 ? Math.max(1, units) : 0;
  const rest = length % parts.length;
  return whole.repeat(Math.floor(length / parts.length)) + (rest === 0 ? '' : (parts[rest - 1] ?? ''));
}

/** Never rounded to all or nothing. */
export function percent(share: number): string {
  if (share <= 0) return '0 %';
  if (share >= 1) return '100 %';
  if (share < 0.0005) return '<0.1 %';
  if (share > 0.9995) return '>99.9 %';
  return `${(share * 100).toFixed(1)} %`;
}
