/** `change archive --dry-run`: what archiving would do; nothing is recorded or written. */

import { resolve } from 'node:path';
import { readJournal } from '../../journal/journal.ts';
import { replay } from '../../runtime/run-state.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { freeArchiveName, mergeAll, mergeDiff, summaryOf } from '../../workflows/change/checks/archiving.ts';
import { archiveFolder, changeFolder, changelogPath, mainSpecPath } from '../../workflows/change/paths.ts';
import { findRepository } from '../../workspace/git.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Given } from '../options.ts';
import { Problem } from '../problem.ts';
import { runFolder } from '../run-folders.ts';
import { changeId } from './change-id.ts';

export function dryRun({ words, flags }: Given): number {
  const run = changeId(words[0] ?? '');
  const { commonDir } = findRepository(process.cwd());
  const state = replay(readJournal(runFolder(commonDir, 'change', run)) ?? []);
  if (!state) throw new Problem('ChangeNotFound', `there is no change "${run}"`, { fix: 'pawl change list' });
  if (state.snapshot.state !== 'complete') {
    throw new Problem('ChangeNotComplete', `${run} is not complete`, {
      exitCode: exitCodes.not_ready,
      fix: `pawl change status ${run}`,
    });
  }
  const files = workspaceFiles(resolve(commonDir, state.workspace));
  const view = { run, snapshot: state.snapshot, files, config: undefined, at: state.changedAt, history: state.history };
  const { merged, conflicts } = mergeAll(view, false);
  const specs = merged.map(({ id, result }) => ({
    spec: mainSpecPath(id),
    what: summaryOf(result),
    diff: mergeDiff(view, id, result),
  }));
  const judgement = conflicts.map(({ id, reasons }) => ({ spec: mainSpecPath(id), reasons: [...reasons] }));
  if (flags['json'])
    process.stdout.write(`${JSON.stringify({ workflow: 'change', run, action: 'dry_run', specs, judgement })}\n`);
  else {
    const lines = [
      ...specs.flatMap(({ spec, what, diff }) => [
        `would write ${spec}: ${what}`,
        ...diff.map((line) => `    ${line}`),
      ]),
      ...judgement.map(({ spec, reasons }) => `needs judgement (archivist): ${spec}: ${reasons.join('; ')}`),
      `would write ${changelogPath}`,
      `would move ${changeFolder(run)} to ${archiveFolder(freeArchiveName(view))}`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return exitCodes.done;
}
