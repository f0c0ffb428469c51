/** `runs`, `list` and `log`: they look at runs, change nothing and need no lease. */

import { listArchived, listRuns, type ListedRun } from '../runs/catalog.ts';
import { findJournal, follow, recordsOf } from '../runs/find.ts';
import type { JournalRecord } from '../store/record.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { age } from './show/figures.ts';
import { recordText } from './show/record-text.ts';
import { screenOf } from './show/screen.ts';
import { aligned, plainLine } from './show/text.ts';

export const runs: CommandFunction = async ({ flags }, context) => {
  const all = await listRuns(context.repository());
  const begin = context.workflows.bundled[0]?.begin ?? '';
  screenOf(process.stdout).write(
    flags['json'] ? `${JSON.stringify({ runs: all.map(runDocument) })}\n` : runsText(all, begin, Date.now()),
  );
  return exitCodes.done;
};

/** The runs of one workflow. */
export function listOf(surface: WorkflowSurface): CommandFunction {
  return async ({ flags }, context) => {
    const repository = context.repository();
    const archived = flags['archived'] === true;
    const found = archived
      ? await listArchived(repository, surface)
      : (await listRuns(repository, surface)).filter(
          ({ phase }) => phase === null || phase !== surface.list.archivedPhase,
        );
    screenOf(process.stdout).write(
      flags['json']
        ? `${JSON.stringify(listDocument(found, surface))}\n`
        : listText(found, { surface, archived, nowMs: Date.now() }),
    );
    return exitCodes.done;
  };
}

/** A run's journal. With `--follow --json` each record is a line of its own: a document that goes on has no end. */
export const log: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const found = accepted(findJournal(repository, words[0] ?? ''));
  const json = flags['json'] === true;
  const screen = screenOf(process.stdout);
  const lineOf = (record: JournalRecord): string =>
    `${json ? JSON.stringify(record) : recordText(record, { columns: screen.columns(), ellipsis: screen.style.symbols.ellipsis })}\n`;
  if (!flags['follow']) {
    const records = recordsOf(repository, found);
    const { workflow, run } = found;
    screen.write(json ? `${JSON.stringify({ workflow, run, records })}\n` : records.map(lineOf).join(''));
    return exitCodes.done;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough, such as `head`, ends it too.
  process.stdout.once('error', () => stop.abort());
  for await (const record of follow(repository, found, stop.signal)) process.stdout.write(lineOf(record));
  return exitCodes.interrupted;
};

/** All runs of all workflows; `begin` is a way to begin one. */
export function runsText(runs: readonly ListedRun[], begin: string, nowMs: number): string {
  if (runs.length === 0) return `There are no runs. Begin one: ${begin}\n`;
  const rows = runs.map((listed) => [
    plainLine(listed.run),
    listed.workflow,
    phaseOf(listed),
    age(listed.updatedAt, nowMs),
    listed.owner ? `pid ${listed.owner.pid}` : '-',
    lastCell(listed, true),
  ]);
  return table([['RUN', 'WORKFLOW', 'PHASE', 'UPDATED', 'AT WORK', 'NEXT'], ...rows]);
}

/** What `--json` prints of each. */
export function runDocument(listed: ListedRun): Readonly<Record<string, unknown>> {
  const { workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem } = listed;
  return { workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem };
}

export interface Listing {
  readonly surface: WorkflowSurface;
  /** Whether it is those that were filed away. */
  readonly archived: boolean;
  readonly nowMs: number;
}

export function listText(runs: readonly ListedRun[], { surface, archived, nowMs }: Listing): string {
  const { titles, plural, showsNext } = surface.list;
  if (runs.length === 0)
    return archived ? 'Nothing is archived.\n' : `There are no ${plural}. Begin one: ${surface.begin}\n`;
  const rows = runs.map((listed) => [
    plainLine(listed.run),
    phaseOf(listed),
    ...titles.slice(2).map((_, index) => plainLine(surface.list.cells(listed.details)[index] ?? '-')),
    age(listed.updatedAt, nowMs),
    lastCell(listed, showsNext),
  ]);
  return table([[...titles, 'UPDATED', ...(showsNext && !archived ? ['NEXT'] : [])], ...rows]);
}

/** The same runs as one document, each with the keys of its workflow. */
export function listDocument(runs: readonly ListedRun[], { list }: WorkflowSurface): Readonly<Record<string, unknown>> {
  const { plural, nameKey, blank } = list;
  return {
    [plural]: runs.map(({ run, phase, updatedAt, next, workspace, problem, journal, details }) => ({
      [nameKey]: run,
      phase,
      ...blank,
      ...details,
      updatedAt,
      problem,
      workspace,
      journal,
      next,
    })),
  };
}

function phaseOf({ phase, problem }: ListedRun): string {
  return problem === null ? (phase ?? 'new') : 'broken';
}

function lastCell({ problem, next, workspace }: ListedRun, showsNext: boolean): string {
  const place = workspace === null ? '' : ` (in ${workspace})`;
  return plainLine(problem ?? `${showsNext ? (next ?? '') : ''}${place}`);
}

function table(rows: readonly (readonly string[])[]): string {
  return `${aligned(rows).join('\n')}\n`;
}
