/** The commands of `pawl session`. */

import { workFlags, type Verb } from '../verb.ts';

export const sessionVerbs: readonly Verb[] = [
  {
    verb: 'start',
    about: 'carry a goal through design, approval, implementation, review and release, by a team of agents',
    words: ['goal'],
    flags: {
      ...workFlags,
      lean: { about: 'for a small, clear matter: one task, reviewed, without design and gates' },
      'project-type': { value: 'web|api|cli|lib|mixed', about: 'what reviewers look at (mixed)' },
      slug: { value: '<words>', about: "the session's name after the date: two to four words joined by hyphens" },
      worktree: { about: 'work in a git worktree of its own, prepared as [worktree] in pawl.toml says' },
    },
    examples: ['start "Export the list as CSV"', 'start "Fix the typo in the help" --lean --slug help-typo'],
    load: async () => (await import('./start.ts')).start,
  },
  {
    verb: 'resume',
    about: 'go on with a session; without a name, with the only one that is not finished',
    words: ['session?'],
    flags: workFlags,
    examples: ['resume', 'resume csv-export'],
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    verb: 'status',
    about: 'where a session is: tasks, decisions, criteria, what blocks it, and what to run next',
    words: ['session?'],
    flags: {},
    load: async () => (await import('./status.ts')).status,
  },
  {
    verb: 'list',
    about: 'all sessions of this repository',
    words: [],
    flags: {},
    load: async () => (await import('./list.ts')).list,
  },
];
