/** The status of a session for people: the answer first, then what stands in its way, then the work and the figures. */

import { age } from '../show/age.ts';
import { budgetLeft, duration } from '../show/figures.ts';
import { decisionLines, questionLines } from '../show/decision.ts';
import type { Style } from '../show/screen.ts';
import { plainLine, plainText, widthOf, wrapped } from '../show/text.ts';
import type { Gathered } from './status-facts.ts';
import type { SessionStatus } from './status-shape.ts';

/** Lists are cut here; `--json` has them whole. */
const listedMax = 12;
const columnsMax = 100;

export interface Sheet {
  readonly style: Style;
  readonly nowMs: number;
  /** Of the terminal. */
  readonly columns: number;
}

export function statusLines({ status, pending }: Gathered, sheet: Sheet): string[] {
  const { style } = sheet;
  const { run, next } = status;
  return [
    `${style.bold(run)}  ${headOf(status, sheet)}`,
    ...(status.goal === null ? [] : para(`goal: ${status.goal}`, '  ', sheet)),
    ...stopLines(status, sheet),
    ...notesOf(status, sheet).flatMap((note) => para(note, `  ${style.yellow('!')} `, sheet)),
    ...listed(status.putRight.map((note) => hanging(note, '    - ', sheet))),
    '',
    ...figureLines(status, sheet),
    ...section('Tasks', taskLines(status, sheet), sheet),
    ...section('Acceptance criteria', criteriaLines(status, sheet), sheet),
    ...section('Known issues', issueLines(status, sheet), sheet),
    ...decisionsOf({ status, pending }, sheet),
    ...(next === null ? [] : ['', `Next: ${style.cyan(next)}`]),
  ];
}

function headOf({ phase, state: journal, mode, updatedAt }: SessionStatus, { style, nowMs }: Sheet): string {
  const state = phase ?? (journal === null ? 'state unknown' : 'new');
  const painted = phase === 'BLOCKED' ? style.red(state) : phase === 'DONE' ? style.green(state) : style.cyan(state);
  return [painted, ...(mode === null ? [] : [`${mode} mode`]), `updated ${age(updatedAt, nowMs)}`].join(', ');
}

/** What the session waits for; for a blocked one, what blocks it and the way out. */
function stopLines({ blocked, message, outcome, next }: SessionStatus, sheet: Sheet): string[] {
  const { style } = sheet;
  if (!blocked) return outcome === 'needs_person' ? [] : para(message, '  ', sheet);
  const from = blocked.from === null ? '' : ` (in ${blocked.from})`;
  return [
    `  ${style.red(style.symbols.failed)} ${style.bold(plainLine(blocked.blocker || 'blocked'))}${from}`,
    ...para(blocked.detail, '    ', sheet),
    ...(blocked.wayOut === '' ? [] : para(`way out: ${withoutCommand(blocked.wayOut, next)}`, '    ', sheet)),
  ];
}

/** A command that stands below on a line of its own is easier to copy there. */
function withoutCommand(wayOut: string, next: string | null): string {
  return next === null ? wayOut : wayOut.replace(next, 'the command below');
}

function notesOf({ owner, open, edited, putRight, problems, run }: SessionStatus, { nowMs }: Sheet): string[] {
  const work = open ? `${open.role} (${open.agent}) on ${open.step}, started ${age(open.startedAt, nowMs)}` : null;
  return [
    ...(owner ? [`a process is at work: pid ${owner.pid} on ${owner.host}${work === null ? '' : `; ${work}`}`] : []),
    ...(!owner && work !== null ? [`cut off: ${work}; pawl session resume ${run} starts it again`] : []),
    ...(edited
      ? [
          `status.json says ${edited.phase}, the journal ${edited.journal}: ` +
            'the next command takes the edit over, and asks first where it passes a gate',
        ]
      : []),
    ...problems,
    ...(putRight.length > 0 ? ['status.json is not as Pawl writes it, and is read like this:'] : []),
  ];
}

function figureLines(status: SessionStatus, sheet: Sheet): string[] {
  const { strategy, tasks, criteria, ci, dispatches, budget, phase, mode, usage } = status;
  const current = tasks?.all.find(({ id }) => id === tasks.current);
  const last = dispatches.at(-1);
  const done = criteria.filter(({ status: each }) => each !== 'open').length;
  const rows: (readonly [string, string])[] = [
    ...(tasks ? [['tasks', taskCounts(tasks)] as const] : []),
    ...(current && phase !== 'DONE' ? [['at hand', `${current.id} ${plainLine(current.title)}`] as const] : []),
    ['review', strategy ?? (mode === 'lean' ? 'after each task (lean)' : 'not chosen yet')],
    ...repairRows(status),
    ...(criteria.length > 0 ? [['criteria', `${done} of ${criteria.length} settled`] as const] : []),
    ...(ci === 'unknown' ? [] : [['build', ci] as const]),
    ...(usage ? [['dispatches', last ? `${usage.dispatches}, last ${lastWords(last)}` : 'none yet'] as const] : []),
    ...(budget ? [['budget left', budgetLeft(budget.remaining)] as const] : []),
  ];
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  return rows.flatMap(([name, value]) => hanging(value, `  ${sheet.style.dim(name.padEnd(width))}  `, sheet));
}

function taskCounts({ all, total }: NonNullable<SessionStatus['tasks']>): string {
  const words = ['blocked', 'in-progress', 'implemented', 'not-started'] as const;
  const count = (word: string): number => all.filter(({ status }) => status === word).length;
  const rest = words.filter((word) => count(word) > 0).map((word) => `${count(word)} ${word}`);
  return [`${count('completed')} of ${total} completed`, ...rest].join(', ');
}

function repairRows({ repairs }: SessionStatus): (readonly [string, string])[] {
  if (!repairs) return [];
  const kinds = ['FIX_REVIEW', 'FIX_TESTS', 'FIX_SECURITY', 'FIX_BUILD'] as const;
  const used = kinds.filter((kind) => repairs.counts[kind] > 0);
  if (used.length === 0) return [];
  const words = used.map((kind) => {
    const limit = repairs.limits?.[kind];
    return `${kind} ${repairs.counts[kind]}${limit === undefined ? '' : ` of ${limit}`}`;
  });
  const scope = repairs.scope === 'meta' ? 'the whole session' : repairs.scope;
  return [['repairs', `${scope}: ${words.join(', ')}`]];
}

function lastWords({ role, agent, signal, ms }: SessionStatus['dispatches'][number]): string {
  return `${role} (${plainLine(agent)}): ${signal.replaceAll('_', ' ')} in ${duration(ms)}`;
}

/** What is not completed; the first of it, where it is long. */
function taskLines({ tasks, phase }: SessionStatus, sheet: Sheet): string[] {
  const open = phase === 'DONE' ? [] : (tasks?.all ?? []).filter(({ status }) => status !== 'completed');
  const { symbols, cyan, red, dim } = sheet.style;
  const lines = open.map(({ id, title, status }) => {
    const isCurrent = id === tasks?.current;
    const mark = status === 'blocked' ? red(symbols.failed) : isCurrent ? cyan(symbols.started) : symbols.small;
    return hanging(plainLine(title), `  ${mark} ${id}  ${dim(status.padEnd('not-started'.length))}  `, sheet);
  });
  return listed(lines);
}

function criteriaLines({ criteria }: SessionStatus, sheet: Sheet): string[] {
  const { symbols, green, yellow, dim } = sheet.style;
  const marks = { met: green(symbols.done), waived: yellow('!'), open: symbols.small };
  const width = Math.max(0, ...criteria.map(({ id }) => widthOf(id)));
  const lines = criteria.map(({ id, description, status }) =>
    hanging(
      plainLine(description),
      `  ${marks[status]} ${plainLine(id).padEnd(width)}  ${dim(status.padEnd(6))}  `,
      sheet,
    ),
  );
  return listed(lines);
}

function issueLines({ knownIssues }: SessionStatus, sheet: Sheet): string[] {
  return listed(knownIssues.map((issue) => hanging(plainLine(issue), '  - ', sheet)));
}

/** One or more lines for each item. */
function listed(items: readonly (readonly string[])[]): string[] {
  const more = items.length - listedMax;
  return [...items.slice(0, listedMax).flat(), ...(more > 0 ? [`    and ${more} more (--json has all)`] : [])];
}

function section(title: string, lines: readonly string[], { style }: Sheet): string[] {
  return lines.length === 0 ? [] : ['', style.bold(title), ...lines];
}

/** A question that cannot be shown in full, because a document is missing, is at least named. */
function decisionsOf({ status, pending }: Gathered, { style }: Sheet): string[] {
  const { run, decisions } = status;
  const open = pending ? ['', ...decisionLines(run, pending, style)] : [];
  const others = decisions.filter(({ answerWith }) => answerWith === null);
  return [
    ...open,
    ...others.flatMap(({ id, title, ...more }) => ['', ...questionLines({ ...more, title: `${id}: ${title}` }, style)]),
  ];
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
  const room = Math.max(20, Math.min(columns, columnsMax) - 1 - indent);
  const [first = '', ...rest] = wrapped(plainLine(text), room);
  return [`${head}${first}`, ...rest.map((line) => `${' '.repeat(indent)}${line}`)];
}
