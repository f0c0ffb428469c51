/** All runs at once, as a person sees them: by what has to be done about them, each with the command that leads on. */

import type { ListedRun } from '../../runs/catalog.ts';
import type { Overview, OverviewGroup } from '../../runs/overview.ts';
import { withCast } from '../../runs/work-order.ts';
import { spelled } from '../program-name.ts';
import { age, duration } from './figures.ts';
import { words } from './lines.ts';
import type { Style } from './screen.ts';
import { plainLine, wrapped } from './text.ts';

const shownMax = 10;
const whyLinesMax = 2;
const columnsMax = 100;

export interface Paper {
  readonly style: Style;
  readonly nowMs: number;
  /** Infinite where nothing wraps. */
  readonly columns: number;
}

export function overviewLines(overview: Overview, paper: Paper): string[] {
  const { finished } = overview;
  const { bold, dim } = paper.style;
  const shown = groups.filter(({ group }) => overview[group].length > 0);
  const sections = shown.map(({ group, title, mark }) => {
    const all = overview[group];
    const more = all.length - shownMax;
    return [
      bold(`${title} (${all.length})`),
      ...all.slice(0, shownMax).flatMap((run) => runLines(run, mark(paper.style), paper)),
      ...(more > 0 ? [`  and ${more} more: ${spelled('pawl runs')}`] : []),
    ];
  });
  const none = shown.length === 0 ? ['No run is open.'] : [];
  const rest = finished === 0 ? [] : [dim(`${finished} finished: pawl runs --all`)];
  return [...sections, [...none, ...rest]].filter((lines) => lines.length > 0).flatMap(separated);
}

function separated(lines: readonly string[], index: number): readonly string[] {
  return index === 0 ? lines : ['', ...lines];
}

const groups: readonly { group: OverviewGroup; title: string; mark: (style: Style) => string }[] = [
  { group: 'needsYou', title: 'Needs you', mark: ({ yellow }) => yellow('?') },
  { group: 'working', title: 'Working', mark: ({ cyan, symbols }) => cyan(symbols.started) },
  { group: 'stopped', title: 'Stopped', mark: ({ red, symbols }) => red(symbols.failed) },
  { group: 'ready', title: 'Ready for the next step', mark: ({ green, symbols }) => green(symbols.done) },
];

function runLines(listed: ListedRun, mark: string, { style, nowMs, columns }: Paper): string[] {
  const { run, workflow, phase, updatedAt, workspace, next } = listed;
  const room = Math.min(columns, columnsMax) - 5;
  const place = workspace === null ? [] : [`in ${workspace}`];
  const facts = [`${workflow} ${phase ?? 'new'}`, age(updatedAt, nowMs), ...place].map(plainLine).join(', ');
  const command = spelled(withCast(next, workflow, listed));
  const why = wrapped(plainLine(whyOf(listed, nowMs)), room);
  const head = `${plainLine(run)}  ${facts}`;
  const heads = head.length > room ? [plainLine(run), ...wrapped(facts, room)] : [head];
  return [
    ...heads.map((line, at) => (at === 0 ? `  ${mark} ${line.replace(run, style.bold(run))}` : `    ${line}`)),
    ...why.slice(0, whyLinesMax).map((line, at) => {
      const isCut = at === whyLinesMax - 1 && why.length > whyLinesMax;
      return `    ${line}${isCut ? ` ${style.symbols.ellipsis}` : ''}`;
    }),
    ...(command === null ? [] : [`    ${style.cyan(plainLine(command))}`]),
  ].filter((line) => line.trim() !== '');
}

/** What it does, or why it stands still. */
export function whyOf({ problem, owner, doing, message, outcome, phase }: ListedRun, nowMs: number): string {
  if (problem !== null) return problem;
  if (owner && outcome === null) {
    const { role, agent, step, since } = doing ?? {};
    if (since === undefined) return `at work, process ${owner.pid}`;
    return `${words(role ?? '')} (${agent}) on ${words(step ?? '')}, ${duration(nowMs - Date.parse(since))}`;
  }
  return message ?? (outcome === null ? '' : `${phase ?? 'new'}: ${words(outcome)}`);
}
