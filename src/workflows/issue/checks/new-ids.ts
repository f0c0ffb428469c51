/** Ids that nobody has: neither here nor in another branch or worktree, nor a run that works at the same time. */

import type { CheckContext } from '../../workflow.ts';
import { claimId, issueIdIn, prefixOf, todoFolder } from '../files/ids.ts';

export async function newIds({ run, files, git }: CheckContext): Promise<() => Promise<string>> {
  const names = [...files.list(todoFolder, 'shallow'), ...(await git.namesElsewhere(todoFolder))];
  const taken = names.flatMap((name) => issueIdIn(name) ?? []);
  return async () => {
    const id = await claimId(prefixOf(run), taken, (each) => git.claim(each));
    taken.push(id);
    return id;
  };
}
