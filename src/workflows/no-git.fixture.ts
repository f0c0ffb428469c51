/** A check's git work, for checks that do none. */

import type { GitWork } from './workflow.ts';

const none = (): never => {
  throw new Error('there is no repository here');
};

export const noGit: GitWork = {
  workTree: '/repository',
  mainWorkTree: '/repository',
  commit: none,
  snapshot: none,
  rewind: none,
  diff: none,
  claim: none,
  namesElsewhere: none,
  branch: none,
  mainBranch: none,
  head: none,
  movedFrom: none,
  mergeBase: none,
  landing: { uncommitted: none, merge: none, pullRequest: none, remove: none },
};
