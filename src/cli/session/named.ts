/** The session a word means, or the only one that is not finished. */

import { isSessionId } from '../../workflows/session/files/paths.ts';
import type { Repository } from '../../workspace/git.ts';
import { Problem } from '../problem.ts';
import { allSessions } from './all-sessions.ts';
import { sessionNamed, shortList } from './known.ts';

export async function sessionMeant(repository: Repository, word: string | null): Promise<string> {
  return word === null ? onlyUnfinished(repository) : sessionNamed(repository, word);
}

async function onlyUnfinished(repository: Repository): Promise<string> {
  const sessions = await allSessions(repository);
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
