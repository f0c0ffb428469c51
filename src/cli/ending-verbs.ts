/** The commands by which runs are brought home, given up and tidied away. */

import type { OwnVerb } from './command-table.ts';

export const trustFlag = { about: 'trust what the repository runs, for this command only', vouches: true } as const;

export const endingVerbs: readonly OwnVerb[] = [
  {
    verb: 'finish',
    personOnly: 'finish a run',
    about: 'Bring the work of a run home: commit, merge or discard',
    words: ['run'],
    flags: {
      commit: { about: 'commit it where it is' },
      merge: { about: 'commit, merge, and remove the worktree', vouches: true },
      'pull-request': { about: 'commit, push, and open a pull request' },
      keep: { about: 'leave everything as it is' },
      discard: { value: '<run>', about: 'remove worktree and branch; repeat the name', vouches: true },
      message: { value: '<text>', about: 'commit message (default: from the documents)' },
      into: { value: '<branch>', about: 'branch to merge into (default: where it began)' },
      trust: trustFlag,
    },
    examples: ['finish add-limit', 'finish add-limit --merge --message "Limit slugs"'],
    load: async () => (await import('./finish.ts')).finish,
  },
  {
    verb: 'gc',
    personOnly: 'remove data of runs',
    about: 'List old journals, merged worktrees and caches to remove',
    flags: {
      'older-than': { value: '<time>', about: 'only runs that ended before that: 12h, 30d (default)' },
      yes: { about: 'remove what is listed' },
    },
    examples: ['gc', 'gc --older-than 90d --yes'],
    load: async () => (await import('./gc.ts')).gc,
  },
  {
    verb: 'abandon',
    personOnly: 'abandon a run',
    about: 'Give a run up for good; its files are moved away',
    words: ['run', 'reason'],
    flags: { yes: { about: 'do not ask for confirmation' } },
    examples: ['abandon add-limit "Replaced by another change"'],
    load: async () => (await import('./short-work.ts')).abandon,
  },
];
