/** `diff`: what a run did to the work tree, untracked files included. */

import { join, resolve } from 'node:path';
import { seenOutput } from '../runtime/own-output.ts';
import { findRepository } from '../workspace/git.ts';
import { WorkTree } from '../workspace/tree.ts';
import type { CommandFunction } from './commands.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { loadWorkflow } from './workflows.ts';
import { stateIn } from './run-folders.ts';

export const diff: CommandFunction = async ({ words, flags }) => {
  const { commonDir } = findRepository(process.cwd());
  const found = findRun(commonDir, words[0] ?? '');
  const state = stateIn(found.folder);
  const { controlFolder } = await loadWorkflow(found.workflow);
  const from = state?.firstTree ?? null;
  const to = state?.lastTree ?? null;
  const workspace = resolve(commonDir, state?.workspace ?? '..');
  const tree = new WorkTree({
    root: workspace,
    shadowDir: join(found.folder, 'shadow'),
    commonDir,
  });
  const options = {
    exceptFolders: [controlFolder, ...seenOutput({ workspace, folder: found.folder })],
    color: process.stdout.isTTY && !process.env['NO_COLOR'],
  };
  const text =
    from === null || to === null
      ? ''
      : await tree.diff(from, to, { ...options, color: options.color && !flags['json'] });
  if (flags['json'])
    process.stdout.write(`${JSON.stringify({ workflow: found.workflow, run: found.run, from, to, diff: text })}\n`);
  else process.stdout.write(text === '' ? `${found.run} has changed nothing outside ${controlFolder}/\n` : text);
  return exitCodes.done;
};
