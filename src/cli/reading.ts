/** `runs`, `list` and `log`: they look at runs, change nothing and need no lease. */

import { listArchived, listRuns } from '../runs/catalog.ts';
import { findJournal } from '../runs/find.ts';
import { follow, recordsOf } from '../runs/foreign.ts';
import type { JournalRecord } from '../store/record.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { exitCodes } from './exit-codes.ts';
import { accepted } from './problem.ts';
import { recordText } from './show/record-text.ts';
import { listDocument, listText, runDocument, runsText } from './show/run-list.ts';
import { screenOf } from './show/screen.ts';
import type { CommandFunction } from './context.ts';

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
