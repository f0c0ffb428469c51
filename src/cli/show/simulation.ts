/** What a simulation came to, for people. */

import type { Bar, Distribution } from '../../simulation/distribution.ts';
import type { Simulation, SimulatedEnd, Spending } from '../../simulation/simulated-runs.ts';
import { duration, money } from './figures.ts';
import { barRows, percent } from './histogram.ts';
import type { Screen } from './screen.ts';
import { padEnd, padStart, widthOf, wrapped } from './text.ts';

/** A simulation and what it was told. */
export interface ShownSimulation {
  readonly workflow: string;
  readonly seed: number;
  readonly faults: boolean;
  /** Where the odds come from, in words. */
  readonly odds: string;
  readonly simulation: Simulation;
  readonly spending: Spending;
  readonly warnings: readonly string[];
  /** The command that shows the same once more. */
  readonly again: string;
}

type Shown = Pick<Screen, 'style' | 'columns'>;

/** Tables do not get easier to read by being wider. */
const columnsMax = 80;

export function simulationText(shown: ShownSimulation, screen: Shown): string {
  const { simulation } = shown;
  const { bold, dim, yellow } = screen.style;
  const columns = Math.min(columnsMax, screen.columns()) - 1;
  const inner = { style: screen.style, columns: columns - indent.length };
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', bold(title), ...lines.map((line) => indent + line)];
  const lines = [
    headline(shown, screen),
    ...wrapped(`odds: ${shown.odds}`, columns - indent.length).map((line) => indent + dim(line)),
    ...shown.warnings.flatMap((warning) =>
      wrapped(warning, columns - indent.length).map((line) => indent + yellow(line)),
    ),
    ...section('A run', runTable(simulation, screen)),
    ...section('Ends', barRows(simulation.ends.map(endRow), inner)),
    ...section('Needs its person', restTable(simulation, screen)),
    ...section('Dispatches until it rests again', workTable(simulation, screen)),
    ...section('Roles, in a run on average', roleTable(simulation, screen)),
    ...section('Dispatches of a run', bars(simulation.dispatches, inner, wholeLabel)),
    ...(simulation.costUsd ? section('Cost of a run', bars(simulation.costUsd, inner, moneyLabel)) : []),
    ...section('Over the budget of a run', budgetLines(shown)),
    '',
    dim(`The same again: ${shown.again}`),
  ];
  return `${lines.join('\n')}\n`;
}

const indent = '  ';

function headline({ workflow, simulation, seed, faults }: ShownSimulation, { style }: Shown): string {
  const how = `${simulation.runs.toLocaleString('en')} simulated runs, ${faults ? 'with' : 'without'} faults, seed ${seed}`;
  return `${style.bold(workflow)}: ${how}`;
}

function runTable({ dispatches, costUsd, agentMs, commands, answers, roles }: Simulation, screen: Shown): string[] {
  const unknown = (what: 'costUsd' | 'agentMs'): string => {
    const names = roles.filter((role) => role[what] === null && role.dispatches > 0).map(({ role }) => role);
    return `not known for ${names.length === roles.length ? 'any role' : names.join(', ')}`;
  };
  const figures = ({ median, mean, p90, most }: Distribution, show: (value: number) => string): string[] =>
    [median, mean, p90, most].map(show);
  const rows: string[][] = [
    ['dispatches', ...figures(dispatches, amountText)],
    ['cost', ...(costUsd ? figures(costUsd, money) : [])],
    ['agent time', ...(agentMs ? figures(agentMs, duration) : [])],
    ['commands', ...figures(commands, amountText)],
    ['answers', ...figures(answers, amountText)],
  ];
  const notes = [null, costUsd ? null : unknown('costUsd'), agentMs ? null : unknown('agentMs'), null, null];
  const table = figureTable(['', 'median', 'mean', '90 %', 'most'], rows, screen);
  return table.map((line, index) => {
    const note = index === 0 ? null : notes[index - 1];
    return typeof note === 'string' ? `${line}  ${screen.style.dim(note)}` : line;
  });
}

function endRow({ how, state, outcome, runs }: SimulatedEnd): { label: string; count: number } {
  const label =
    how === 'ended'
      ? `${state} (${spoken(outcome ?? '')})`
      : how === 'stuck'
        ? `stuck in ${state}: everything is refused`
        : `no end in sight, last in ${state}`;
  return { label, count: runs };
}

function restTable({ rests, runs }: Simulation, screen: Shown): string[] {
  const rows = rests.map((rest) => [
    rest.asks ? `${rest.state} (a question)` : rest.state,
    percent(rest.runs / runs),
    (rest.times / runs).toFixed(2),
  ]);
  return figureTable(['in', 'of runs', 'times a run'], rows, screen);
}

function workTable({ afterPerson }: Simulation, screen: Shown): string[] {
  const rows = afterPerson
    .filter(({ dispatches, atMost }) => dispatches.most > 0 || (atMost ?? 0) > 0)
    .map(({ after, dispatches: { median, mean, p90, most }, atMost }) => [
      after,
      ...[median, mean, p90, most].map(amountText),
      atMost === null ? '?' : amountText(atMost),
    ]);
  return figureTable(['after', 'median', 'mean', '90 %', 'most', 'proven bound'], rows, screen);
}

function roleTable({ roles, dispatches }: Simulation, screen: Shown): string[] {
  const rows = roles
    .filter((role) => role.dispatches > 0)
    .map((role) => [
      role.role,
      role.dispatches.toFixed(2),
      percent(role.dispatches / dispatches.mean),
      role.costUsd === null ? '?' : money(role.costUsd),
      role.agentMs === null ? '?' : duration(role.agentMs),
    ]);
  return figureTable(['', 'dispatches', 'of all', 'cost', 'agent time'], rows, screen);
}

/** The first column to the left, figures to the right. */
function figureTable(head: readonly string[], rows: readonly (readonly string[])[], { style }: Shown): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...all.map((row) => widthOf(row[at] ?? ''))));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, at) =>
        at === 0 ? padEnd(cell, Math.max(firstColumns, widths[0] ?? 0)) : padStart(cell, widths[at] ?? 0),
      )
      .join('   ');
  return all.map((row, index) => (index === 0 ? style.dim(line(row)) : line(row)));
}

const firstColumns = 16;

function bars(
  { histogram }: Distribution,
  inner: Parameters<typeof barRows>[1],
  label: (bar: Bar, index: number, all: readonly Bar[]) => string,
): string[] {
  return barRows(
    histogram.map((bar, index, all) => ({ label: label(bar, index, all), count: bar.count })),
    inner,
  );
}

function wholeLabel({ from, below }: Bar): string {
  if (below === null) return `${from} and more`;
  return below - from <= 1 ? String(from) : `${from} - ${below - 1}`;
}

/** All with as many digits as their edges need, so that they stand in line. */
function moneyLabel({ from, below }: Bar, _: number, all: readonly Bar[]): string {
  const digits = Math.max(centDigits, ...all.map((bar) => digitsOf(bar.from)));
  const dollars = (value: number): string => `$${value.toFixed(digits)}`;
  return below === null ? `${dollars(from)} and more` : `${dollars(from)} - ${dollars(below)}`;
}

const centDigits = 2;

function digitsOf(value: number): number {
  return String(value).split('.')[1]?.length ?? 0;
}

function budgetLines({ simulation: { overBudget, runs }, spending }: ShownSimulation): string[] {
  const lines: [number | null, string][] = [
    [overBudget.dispatches, `${spending.dispatches} dispatches`],
    [overBudget.costUsd, money(spending.costUsd)],
    [overBudget.agentMs, `${duration(spending.agentMs)} of agent time`],
  ];
  return lines.flatMap(([count, what]) =>
    count === null || count === 0 ? [] : [`${padStart(percent(count / runs), 7)} of runs need more than ${what}`],
  );
}

function amountText(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function spoken(word: string): string {
  return word.replaceAll('_', ' ');
}
