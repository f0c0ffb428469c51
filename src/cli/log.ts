/** `log`: a run's journal, for people or as it is, and as it grows. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readJournal } from '../store/journal.ts';
import type { JournalRecord } from '../store/record.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { findJournal, type FoundRun } from './find-run.ts';
import { recordText } from './show/record-text.ts';
import { screenOf } from './show/screen.ts';

const pollMs = 200;

/** With `--follow --json` each record is a line of its own: a document that goes on has no end to be printed at. */
export const log: CommandFunction = async ({ words, flags }) => {
  const found = findJournal(findRepository(process.cwd()), words[0] ?? '');
  const json = flags['json'] === true;
  const screen = screenOf(process.stdout);
  const lineOf = (record: JournalRecord): string =>
    `${json ? JSON.stringify(record) : recordText(record, { columns: screen.columns(), style: screen.style })}\n`;
  if (!flags['follow']) {
    screen.write(json ? `${JSON.stringify(journalDocument(found))}\n` : recordsOf(found).map(lineOf).join(''));
    return exitCodes.done;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // A reader that has seen enough, such as `head`, ends it too.
  process.stdout.once('error', () => stop.abort());
  await follow(found.folder, {
    onRecord: (record) => process.stdout.write(lineOf(record)),
    signal: stop.signal,
  });
  return exitCodes.interrupted;
};

function journalDocument(found: FoundRun): {
  workflow: string;
  run: string;
  records: readonly JournalRecord[];
} {
  return { workflow: found.workflow, run: found.run, records: recordsOf(found) };
}

function recordsOf({ folder }: FoundRun): readonly JournalRecord[] {
  return readJournal(folder) ?? [];
}

/** Hands on every record there is and every one that is added, each once, until `signal` aborts. */
export async function follow(
  folder: string,
  { onRecord, signal }: { onRecord: (record: JournalRecord) => void; signal: AbortSignal },
): Promise<void> {
  let shown = 0;
  let bytes = -1;
  while (!signal.aborted) {
    const size = statSync(join(folder, 'journal.jsonl'), { throwIfNoEntry: false })?.size ?? 0;
    if (size !== bytes) {
      bytes = size;
      const records = readJournal(folder) ?? [];
      for (const record of records.slice(shown)) onRecord(record);
      shown = records.length;
    }
    await pause(signal);
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  try {
    await wait(pollMs, undefined, { signal });
  } catch {
    // Aborted: the loop ends.
  }
}
