/** `session start`: a goal becomes a session. Everything that can be wrong with it is found before anything is written. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nearest } from '../../documents/nearest.ts';
import { projectTypes } from '../../workflows/session/files/checklists.ts';
import { isSlug, sessionFolder, sessionId, slugExpectation, slugOf } from '../../workflows/session/files/paths.ts';
import { session } from '../../workflows/session/session.ts';
import { readText } from '../../workspace/files.ts';
import { findRepository, type Repository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { firstCommandInput, type FirstCommand } from '../../runs/first-command.ts';
import type { Given } from '../options.ts';
import { Problem } from '../problem.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import { workOn } from '../work-on.ts';
import type { PlannedWorktree } from '../worktree.ts';

export const start: CommandFunction = (given) => {
  const goal = goalIn(given);
  const projectType = projectTypeIn(given);
  const slug = slugFor(goal, given);
  const repository = findRepository(process.cwd());
  const run = sessionId(localDate(new Date()), slug);
  refuseTaken(repository, run);
  const first: FirstCommand = {
    command: given.flags['lean'] ? 'start_lean' : 'start',
    args: { goal, ...(projectType !== null && { projectType }) },
    flags: chosenFlags(given),
  };
  return workOn({
    workflow: session,
    run,
    workspace: repository.root,
    commonDir: repository.commonDir,
    command: first.command,
    args: first.args,
    input: firstCommandInput(first),
    given,
    ...(given.flags['worktree'] && { worktree: () => worktreeFor(repository, run) }),
  });
};

function goalIn({ words }: Given): string {
  const goal = (words[0] ?? '').trim();
  if (goal !== '') return goal;
  throw new Problem('GoalMissing', 'a session needs a goal', {
    fix: 'say what shall be reached: pawl session start "Export the list as CSV"',
  });
}

function projectTypeIn({ flags: { 'project-type': said } }: Given): string | null {
  if (said === undefined || projectTypes.some((type) => type === said)) return typeof said === 'string' ? said : null;
  const near = nearest(String(said), projectTypes);
  throw new Problem(
    'usage',
    `there is no project type "${String(said)}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    { fix: `--project-type takes one of ${projectTypes.join(', ')}` },
  );
}

function slugFor(goal: string, { flags: { slug: said } }: Given): string {
  if (typeof said === 'string') {
    if (isSlug(said)) return said;
    throw new Problem('usage', `${JSON.stringify(said)} cannot be the name of a session`, {
      fix: `--slug takes ${slugExpectation}, such as csv-export`,
    });
  }
  const slug = slugOf(goal);
  if (slug !== undefined) return slug;
  throw new Problem('usage', 'no name can be made of this goal: it has fewer than two telling words', {
    fix: `name the session yourself with --slug: ${slugExpectation}, such as csv-export`,
  });
}

/** As people name the day, wherever they are. */
function localDate(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** A session that was cut off before it began is begun by the same command. */
function refuseTaken({ root, commonDir }: Repository, run: string): void {
  const state = stateIn(runFolder(commonDir, 'session', run));
  const begun = state !== undefined && state.snapshot.state !== session.machine.initial;
  const folder = sessionFolder(run);
  if (!begun && !existsSync(join(root, folder))) return;
  const where = begun ? `there is a session ${run} already` : `${folder} is there already, without a journal`;
  const resume = `pawl session resume ${run}${begun ? '' : ' --accept-state'}`;
  throw new Problem('SessionExists', where, {
    fix: `go on with it: ${resume}; or name the new one otherwise with --slug`,
  });
}

/** Remembered with the beginning, for whoever takes up a session that was cut off before it began. */
function chosenFlags({ flags: { agent, script } }: Given): FirstCommand['flags'] {
  return {
    ...(typeof agent === 'string' && { agent }),
    ...(typeof script === 'string' && { script: resolve(script) }),
  };
}

async function worktreeFor(repository: Repository, run: string): Promise<PlannedWorktree> {
  const { worktree } = session.settings(readText(join(repository.root, session.configPath)));
  const { planWorktree } = await import('../worktree.ts');
  const settings = worktree ?? { setup: null, timeoutMs: 0, copy: [] };
  return planWorktree(repository, { workflow: session.name, run }, settings);
}
