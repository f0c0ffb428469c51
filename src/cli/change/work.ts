/** `change plan | impl | archive`. */

import type { Json } from '../../engine/snapshot.ts';
import { change } from '../../workflows/change/change.ts';
import { findRepository } from '../../workspace/git.ts';
import { isAttended } from '../attended.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import type { Given } from '../options.ts';
import { Problem } from '../problem.ts';
import { workOn } from '../work-on.ts';
import { changeId } from './change-id.ts';
import { findPlace } from './place.ts';

export const plan: CommandFunction = async (given, context) => {
  const [id = '', description] = given.words;
  const args = description === undefined ? {} : { description };
  if (!isAttended(given)) return work(given, 'plan', args);
  const { stateOf, wantsImplementation } = await import('./after-plan.ts');
  const change = { run: changeId(id), commonDir: findRepository(process.cwd()).commonDir };
  const before = stateOf(change);
  const exitCode = await work(given, 'plan', args);
  if (exitCode !== exitCodes.done || !(await wantsImplementation(change, before))) return exitCode;
  const { agent, script, answers } = given.flags;
  const flags = { ...(agent && { agent }), ...(script && { script }), ...(answers && { answers }) };
  return impl({ words: [id], flags }, context);
};

export const impl: CommandFunction = (given) => {
  const { tasks, review } = given.flags;
  if (review && tasks !== undefined)
    throw new Problem('usage', '--review and --tasks do not go together', { fix: 'leave one of them out' });
  return work(given, review ? 'review' : 'impl', {
    ...(typeof tasks === 'string' && {
      tasks: tasks
        .split(',')
        .map((id) => id.trim())
        .filter(Boolean),
    }),
    ...(given.flags['accept-edits'] && { acceptEdits: true }),
  });
};

export const archive: CommandFunction = async (given) => {
  if (given.flags['dry-run']) return (await import('./dry-run.ts')).dryRun(given);
  return work(given, 'archive', {});
};

async function work(given: Given, command: string, args: Readonly<Record<string, Json>>): Promise<number> {
  const run = changeId(given.words[0] ?? '');
  const repository = findRepository(process.cwd());
  const place = await findPlace(repository, run, { command, given });
  return workOn({ workflow: change, run, ...place, commonDir: repository.commonDir, command, args, given });
}
