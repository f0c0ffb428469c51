/** `runs`, `list` and `log`: they look at runs, change nothing and need no lease. */

import { resolve } from 'node:path';
import { listArchived, listRuns, type ListedRun } from '../runs/catalog.ts';
import { findJournal, follow, recordsOf } from '../runs/find.ts';
import { selectRuns } from '../runs/overview.ts';
import { withCast } from '../runs/work-order.ts';
import { anonymizer, type Anonymize } from '../runtime/journal-export.ts';
import type { JournalRecord } from '../store/record.ts';
import { didYouMean } from '../schema/nearest.ts';
import type { CommandInput, WorkflowSurface } from '../workflows/surface.ts';
import type { CommandContext, CommandFunction } from './context.ts';
import { runDocument } from './overview-command.ts';
import { spelled } from './program-name.ts';
import { exitCodes, accepted, usageError } from './problem.ts';
import { age, notedCost } from './show/figures.ts';
import { sinceMs } from './since.ts';
import { recordText } from './show/record-text.ts';
import { print, printLong, screenOf, styleOf } from './show/screen.ts';
import { jsonText, plainLine, tableWithin } from './show/text.ts';

export const runs: CommandFunction = async ({ flags }, context) => {
  const repository = context.repository();
  const listed = await listRuns(repository);
  const all = flags['all'] === true;
  const workflow = workflowIn(flags, [...context.workflows.bundled.map(({ name }) => name), ...namesIn(listed)]);
  const shown = selectRuns(listed, { all, workflow, sinceMs: sinceMs(flags['since'], Date.now()) });
  const table = (): string => tableWithin(runRows(shown, context), screenOf(process.stdout).columns()).join('\n');
  const none = `There are no runs. Start one: ${context.workflows.bundled[0]?.begin ?? ''}`;
  const hidden = all ? 'No run is like that.' : 'No run is open. All runs: pawl runs --all';
  const empty = listed.length === 0 ? none : hidden;
  return printLong(flags, { runs: shown.map(runDocument) }, shown.length === 0 ? () => empty : table);
};

function namesIn(listed: readonly ListedRun[]): readonly string[] {
  return [...new Set(listed.map(({ workflow }) => workflow))];
}

function workflowIn({ workflow }: CommandInput['flags'], known: readonly string[]): string | null {
  if (typeof workflow !== 'string') return null;
  if (known.includes(workflow)) return workflow;
  const hint = didYouMean(workflow, known) || `; there are ${[...new Set(known)].join(', ')}`;
  throw usageError(`no run is of the workflow "${workflow}"${hint}`, 'pawl runs --all');
}

function runRows(shown: readonly ListedRun[], { workflows }: CommandContext): string[][] {
  const shortNames = shown.map(({ workflow, run }) => workflows.surfaceOf(workflow).shortName?.(run) ?? run);
  /** Long names make a table too wide: where a short one names no other run, it does. */
  const short = (listed: ListedRun, index: number): ListedRun => {
    const name = shortNames[index] ?? listed.run;
    const isOne = shortNames.filter((each) => each === name).length === 1;
    return isOne && listed.next !== null ? { ...listed, next: listed.next.replace(listed.run, name) } : listed;
  };
  const rowOf = (found: ListedRun, index: number): string[] => {
    const listed = short(found, index);
    return [
      plainLine(listed.run),
      plainLine(listed.workflow),
      phaseOf(listed),
      listed.owner ? `pid ${listed.owner.pid}` : age(listed.updatedAt, Date.now()),
      notedCost(listed.spent),
      lastCell(listed, true),
    ];
  };
  return [['RUN', 'WORKFLOW', 'PHASE', 'UPDATED', 'COST', 'NEXT'], ...shown.map(rowOf)];
}

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
    const table = (): string => tableWithin([head, ...found.map(rowOf)], screenOf(process.stdout).columns()).join('\n');
    const none = archived ? 'Nothing is archived.' : `There are no ${plural}. Start one: ${surface.begin}`;
    return print(flags, { [plural]: documents }, found.length === 0 ? none : table);
  };
}

/** A run's journal. With `--follow --json` each record is a line of its own: a document that goes on has no end. */
export const log: CommandFunction = async ({ words, flags }, context) => {
  const repository = context.repository();
  const found = accepted(findJournal(repository, words[0] ?? ''));
  const json = flags['json'] === true;
  const last = numberIn(flags, 'last');
  const dispatch = numberIn(flags, 'dispatch');
  if (dispatch !== null) {
    const [{ dispatchRecord }, { dispatchText }] = await Promise.all([
      import('../runs/dispatch-record.ts'),
      import('./show/dispatch-text.ts'),
    ]);
    const call = accepted(dispatchRecord(repository, found, dispatch));
    const { workflow, run } = found;
    const shared = json ? anonymizer({ workspace: repository.root, commonDir: repository.commonDir })(call) : call;
    return printLong(flags, { workflow, run, dispatch: shared }, () => dispatchText(call, styleOf(process.stdout)));
  }
  const screen = screenOf(process.stdout);
  const { ellipsis } = screen.style.symbols;
  let anonymize: Anonymize | undefined;
  /** A document is made to be passed on; the first record names the workspace. */
  const shared = (record: JournalRecord): JournalRecord => {
    const workspace = record.type === 'created' ? resolve(repository.commonDir, record.workspace) : repository.root;
    anonymize ??= anonymizer({ workspace, commonDir: repository.commonDir });
    return anonymize(record);
  };
  const lineOf = (record: JournalRecord): string =>
    json ? jsonText(shared(record)) : recordText(record, { columns: screen.columns(), ellipsis });
  if (!flags['follow']) {
    const all = recordsOf(repository, found);
    // The first record is read in any case: it names the workspace.
    const documents = json ? all.map(shared) : [];
    const shown = <T>(records: readonly T[]): readonly T[] => (last === null ? records : records.slice(-last));
    const { workflow, run } = found;
    return printLong(flags, { workflow, run, records: shown(documents) }, () => shown(all).map(lineOf).join('\n'));
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough, such as `head`, ends it too.
  process.stdout.once('error', () => stop.abort());
  const after = last === null ? 0 : Math.max(0, recordsOf(repository, found).length - last);
  for await (const record of follow(repository, found, stop.signal)) {
    const line = lineOf(record);
    if (record.seq > after) screen.write(`${line}\n`);
  }
  return exitCodes.interrupted;
};

function numberIn(flags: CommandInput['flags'], name: string): number | null {
  const value = flags[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw usageError(`--${name} is "${String(value)}"`, `use a whole number from 1, such as --${name} 3`);
}

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
