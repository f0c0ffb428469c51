/** `session list`: every session of the repository, the newest first. */

import { relative } from 'node:path';
import { controlFolder } from '../../workflows/session/files/paths.ts';
import { findRepository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { age } from '../show/age.ts';
import { screenOf } from '../show/screen.ts';
import { aligned, plainLine } from '../show/text.ts';
import { allSessions, nextOf, type KnownSession } from './all-sessions.ts';

/** What `--json` prints of each; its keys are a promise to scripts. */
export interface ListedSession extends Omit<KnownSession, 'folder'> {
  readonly next: string | null;
  /** Whether its journal is in this repository. */
  readonly journal: boolean;
}

export const list: CommandFunction = async ({ flags }) => {
  const repository = findRepository(process.cwd());
  const sessions = (await allSessions(repository)).map((session): ListedSession => {
    const { folder, workspace, ...facts } = session;
    return {
      ...facts,
      workspace: workspace === null ? null : relative(repository.root, workspace),
      journal: folder !== null,
      next: nextOf(session),
    };
  });
  screenOf(process.stdout).write(flags['json'] ? `${JSON.stringify({ sessions })}\n` : listText(sessions, Date.now()));
  return exitCodes.done;
};

function listText(sessions: readonly ListedSession[], nowMs: number): string {
  if (sessions.length === 0) return 'There are no sessions. Begin one: pawl session start "<goal>"\n';
  const rows = sessions.map(({ run, phase, mode, tasks, pending, updatedAt, workspace, problem }) => [
    plainLine(run),
    problem === null ? (phase ?? 'new') : 'broken',
    mode ?? '-',
    tasks === null ? '-' : `${tasks.done}/${tasks.total}`,
    pending === 0 ? '-' : String(pending),
    age(updatedAt, nowMs),
    plainLine(problem?.replace(`${controlFolder}/${run}/`, '') ?? (workspace === null ? '' : `in ${workspace}`)),
  ]);
  return `${aligned([['SESSION', 'STATE', 'MODE', 'TASKS', 'OPEN', 'UPDATED'], ...rows]).join('\n')}\n`;
}
