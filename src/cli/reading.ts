/** `runs`, `list` and `log`: they look at runs, change nothing and need no lease. */

import { listArchived, listRuns, type ListedRun } from '../runs/catalog.ts';
import { findJournal, follow, recordsOf } from '../runs/find.ts';
import { withCast } from '../runs/work-order.ts';
import type { JournalRecord } from '../store/record.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { CommandFunction } from './context.ts';
import { spelled } from './program-name.ts';
import { exitCodes, accepted } from './problem.ts';
import { age } from './show/figures.ts';
import { recordText } from './show/record-text.ts';
import { print, screenOf } from './show/screen.ts';
import { aligned, jsonText, plainLine } from './show/text.ts';

export const runs: CommandFunction = async ({ flags }, context) => {
  const all = await listRuns(context.repository());
  const documents = all.map(({ workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem }) => {
    const state = { workflow, run, phase, outcome, updatedAt };
    return { ...state, owner, next, workspace, problem };
  });
  const shortNames = all.map(({ workflow, run }) => context.workflows.surfaceOf(workflow).shortName?.(run) ?? run);
  /** Long names make a table too wide: where a short one names no other run, it does. */
  const short = (listed: ListedRun, index: number): ListedRun => {
    const name = shortNames[index] ?? listed.run;
    const isOne = shortNames.filter((each) => each === name).length === 1;
    return isOne && listed.next !== null ? { ...listed, next: listed.next.replace(listed.run, name) } : listed;
  };
  const rowOf = (found: ListedRun, index: number): readonly string[] => {
    const listed = short(found, index);
    return [
      plainLine(listed.run),
      plainLine(listed.workflow),
      phaseOf(listed),
      age(listed.updatedAt, Date.now()),
      listed.owner ? `pid ${listed.owner.pid}` : '-',
      lastCell(listed, true),
    ];
  };
  const titles = ['RUN', 'WORKFLOW', 'PHASE', 'UPDATED', 'AT WORK', 'NEXT'];
  const table = (): string => aligned([titles, ...all.map(rowOf)]).join('\n');
  const none = `There are no runs. Start one: ${context.workflows.bundled[0]?.begin ?? ''}`;
  return print(flags, { runs: documents }, all.length === 0 ? none : table);
};

/** The runs of one workflow, each with the keys of its workflow. */
export function listOf(surface: WorkflowSurface): CommandFunction {
  const { plural, nameKey, blank, titles, showsNext, archivedPhase } = surface.list;
  return async ({ flags }, context) => {
    const repository = context.repository();
    const archived = flags['archived'] === true;
    const found = archived
      ? await listArchived(repository, surface)
      : (await listRuns(repository, surface)).filter(({ phase }) => phase === null || phase !== archivedPhase);
    const documents = found.map(({ run, phase, updatedAt, next, workspace, problem, journal, details }) => {
      const own = { [nameKey]: run, phase, ...blank, ...details };
      return { ...own, updatedAt, problem, workspace, journal, next: spelled(next) };
    });
    const rowOf = (listed: ListedRun): readonly string[] => [
      plainLine(listed.run),
      phaseOf(listed),
      ...titles.slice(2).map((_, index) => plainLine(surface.list.cells(listed.details)[index] ?? '-')),
      age(listed.updatedAt, Date.now()),
      lastCell(listed, showsNext),
    ];
    const head = [...titles, 'UPDATED', ...(showsNext && !archived ? ['NEXT'] : [])];
    const table = (): string => aligned([head, ...found.map(rowOf)]).join('\n');
    const none = archived ? 'Nothing is archived.' : `There are no ${plural}. Start one: ${surface.begin}`;
    return print(flags, { [plural]: documents }, found.length === 0 ? none : table);
  };
}

/** A run's journal. With `--follow --json` each record is a line of its own: a document that goes on has no end. */
export const log: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const found = accepted(findJournal(repository, words[0] ?? ''));
  const json = flags['json'] === true;
  const screen = screenOf(process.stdout);
  const { ellipsis } = screen.style.symbols;
  const lineOf = (record: JournalRecord): string =>
    json ? jsonText(record) : recordText(record, { columns: screen.columns(), ellipsis });
  if (!flags['follow']) {
    const records = recordsOf(repository, found);
    const { workflow, run } = found;
    return print(flags, { workflow, run, records }, records.map(lineOf).join('\n'));
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough, such as `head`, ends it too.
  process.stdout.once('error', () => stop.abort());
  for await (const record of follow(repository, found, stop.signal)) screen.write(`${lineOf(record)}\n`);
  return exitCodes.interrupted;
};

function phaseOf({ phase, problem }: ListedRun): string {
  return problem === null ? plainLine(phase ?? 'new') : 'broken';
}

function lastCell(listed: ListedRun, showsNext: boolean): string {
  const { problem, workspace } = listed;
  const next = spelled(withCast(listed.next, listed.workflow, listed));
  const place = workspace === null ? '' : ` (in ${workspace})`;
  if (problem !== null) return plainLine(next === null ? problem : `${next} (${problem})`);
  return plainLine(`${showsNext ? (next ?? '') : ''}${place}`);
}
