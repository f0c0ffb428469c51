/** `session status`: where a session is, and what to run next. It changes nothing and needs no lease. */

import { findRepository, type Repository } from '../../workspace/git.ts';
import type { CommandFunction } from '../commands.ts';
import { exitCodes } from '../exit-codes.ts';
import { screenOf } from '../show/screen.ts';
import { Problem } from '../problem.ts';
import { allSessions } from './all-sessions.ts';
import { sessionNamed } from './known.ts';
import { gatherStatus } from './status-facts.ts';
import { statusLines } from './status-text.ts';

export const status: CommandFunction = async ({ words, flags }) => {
  const repository = findRepository(process.cwd());
  const [word] = words;
  const run = word === undefined ? await latest(repository) : sessionNamed(repository, word);
  const facts = gatherStatus(repository, run);
  const screen = screenOf(process.stdout);
  const lines = flags['json']
    ? [JSON.stringify(facts.status, null, 2)]
    : statusLines(facts, { style: screen.style, nowMs: Date.now(), columns: screen.columns() });
  screen.write(`${lines.join('\n')}\n`);
  return exitCodes.done;
};

/** Without a name: the one that is unfinished, else the newest. */
async function latest(repository: Repository): Promise<string> {
  const sessions = (await allSessions(repository)).filter(({ problem }) => problem === null);
  const found = sessions.find(({ phase }) => phase !== 'DONE') ?? sessions[0];
  if (found) return found.run;
  throw new Problem('SessionNotFound', 'there is no session in this repository', {
    fix: 'begin one: pawl session start "<goal>"',
  });
}
