/** `session resume`: going on with a session, be it Pawl's own or one that only has files. */

import { join } from 'node:path';
import { hasBegun } from '../../store/journal.ts';
import { readStatus } from '../../workflows/session/files/status.ts';
import { isSessionId, sessionFolder, statusPath } from '../../workflows/session/files/paths.ts';
import { readText } from '../../workspace/files.ts';
import type { Repository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { Problem } from '../problem.ts';
import { goOnWith } from '../resume.ts';
import { runFolder } from '../run-folders.ts';
import { listRuns } from '../../runs/catalog.ts';
import { shortList } from '../../runs/find.ts';
import { findRunOf } from '../../runs/find.ts';
import { isRefusal } from '../../runs/refusal.ts';
import type { RunRepository } from '../../runs/run-repository.ts';
import { sessionSurface } from '../../workflows/session/surface.ts';
import { refused } from '../problem.ts';

export const resume: CommandFunction = async (given, context) => {
  const repository = context.repository();
  const [word] = given.words;
  const run = word === undefined ? await onlyUnfinished(repository) : named(repository, word);
  const folder = runFolder(repository.commonDir, 'session', run);
  if (!hasBegun(folder) && isFinished(repository, run)) return sayFinished(run, given.flags['json'] === true);
  return goOnWith(repository, { workflow: 'session', run, folder }, { given });
};

function named(repository: RunRepository, word: string): string {
  const found = findRunOf(repository, sessionSurface, word);
  if (isRefusal(found)) throw refused(found);
  return found.run;
}

async function onlyUnfinished(repository: RunRepository): Promise<string> {
  const sessions = await listRuns(repository, sessionSurface);
  const open = sessions.filter(({ run, phase }) => phase !== 'DONE' && isSessionId(run)).map(({ run }) => run);
  const [only, ...more] = open;
  if (only === undefined)
    throw new Problem('SessionNotFound', 'there is no unfinished session in this repository', {
      fix: 'begin one: pawl session start "<goal>"',
    });
  if (more.length === 0) return only;
  throw new Problem('ambiguous_session', `several sessions are not finished: ${shortList(open)}`, {
    fix: `say which one, for example pawl session resume ${only}`,
  });
}

/** Where there are only files, they must say where the session is. */
function isFinished({ root }: Repository, run: string): boolean {
  const path = statusPath(run);
  const text = readText(join(root, path));
  if (text === undefined)
    throw new Problem('no_status', `${sessionFolder(run)} has neither a journal nor a status.json`, {
      target: path,
      fix: `write ${path} with the state it is in, such as {"current_state": "IMPLEMENT_LOOP"}, and run this again`,
    });
  return readStatus(text, path).status.current_state === 'DONE';
}

/** As a session with a journal says it. */
function sayFinished(run: string, json: boolean): number {
  const phase = 'DONE';
  const facts = { workflow: 'session', run, state: null, phase, verdict: null, action: 'finished', outcome: 'done' };
  const document = { ...facts, exitCode: exitCodes.done, next: null, decisions: [], diagnostics: [] };
  const text = `${run} is finished; its files are read-only`;
  process.stdout.write(`${json ? JSON.stringify(document) : text}\n`);
  return exitCodes.done;
}
