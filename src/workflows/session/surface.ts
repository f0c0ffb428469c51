/** The surface of `session`. */

import type { ForeignRun, NameMatch, WorkflowSurface } from '../surface.ts';
import { controlFolder, isSessionId, sessionFolder, sessionIdExpectation, statusPath } from './files/paths.ts';
import { roles } from './vocabulary.ts';

const shownCharsMax = 80;

export const sessionSurface: WorkflowSurface = {
  name: 'session',
  title: 'Sessions, from a goal to a release, by a team of agents and with your decisions',
  verbs: [
    {
      verb: 'start',
      does: 'work',
      delivers: ['start', 'start_lean'],
      intent: async () => (await import('./intents.ts')).start,
      about: 'carry a goal through design, approval, implementation, review and release, by a team of agents',
      words: ['goal'],
      flags: {
        lean: { about: 'for a small, clear matter: one task, reviewed, without design and gates' },
        'project-type': { value: 'web|api|cli|lib|mixed', about: 'what reviewers look at (mixed)' },
        slug: { value: '<words>', about: "the session's name after the date: two to four words joined by hyphens" },
        worktree: { about: 'work in a git worktree of its own, prepared as [worktree] in pawl.toml says' },
      },
      examples: ['start "Export the list as CSV"', 'start "Fix the typo in the help" --lean --slug help-typo'],
    },
    {
      verb: 'resume',
      does: 'work',
      delivers: [],
      intent: async () => (await import('./intents.ts')).resume,
      about: 'go on with a session; without a name, with the only one that is not finished',
      words: ['session?'],
      flags: {},
      examples: ['resume', 'resume csv-export'],
    },
    {
      verb: 'status',
      does: 'status',
      about: 'where a session is: tasks, decisions, criteria, what blocks it, and what to run next',
      words: ['session?'],
      flags: {},
    },
    { verb: 'list', does: 'list', about: 'all sessions of this repository', words: [], flags: {} },
  ],
  begin: 'pawl session start "<goal>"',
  roles,
  isRunName: isSessionId,
  shortName,
  matches,
  invalidName: (word) => ({
    code: 'SessionNotFound',
    message: `${quoted(word)} cannot name a session`,
    fix: `use ${sessionIdExpectation}`,
  }),
  notFound: (word, { near, none }) => ({
    code: 'SessionNotFound',
    message: `there is no session ${quoted(word)} in this repository${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: none ? 'begin one: pawl session start "<goal>"' : 'pawl session list shows them',
  }),
  foreignRuns,
  list: {
    plural: 'sessions',
    nameKey: 'run',
    titles: ['SESSION', 'STATE', 'MODE', 'TASKS', 'OPEN'],
    blank: { mode: null, pending: 0, tasks: null },
    cells: ({ mode, tasks, pending }) => [
      typeof mode === 'string' ? mode : null,
      isTally(tasks) ? `${tasks.done}/${tasks.total}` : null,
      typeof pending === 'number' && pending > 0 ? String(pending) : null,
    ],
    showsNext: false,
  },
  // A lean session goes another way than a full one, so it has a rehearsal of its own.
  rehearsal: async ({ mode }) =>
    (await (mode === 'lean' ? import('./rehearsal-lean.yaml') : import('./rehearsal-full.yaml'))).default,
  load: async () => (await import('./session.ts')).session,
};

/** The date may be left out. */
function shortName(run: string): string {
  return run.slice(run.indexOf('_') + 1);
}

function matches(word: string, run: string): NameMatch | null {
  // Completion in a shell gives the path of the folder.
  const wanted = word.replace(/\/+$/, '').split('/').at(-1) ?? '';
  if (wanted === run) return 'name';
  if (wanted === '') return null;
  if (shortName(run) === wanted) return 'short';
  return run.includes(wanted) ? 'part' : null;
}

function quoted(word: string): string {
  return JSON.stringify(word.length > shownCharsMax ? `${word.slice(0, shownCharsMax)}…` : word);
}

function foreignRuns(
  namesIn: (folder: string) => readonly string[],
  known: ReadonlySet<string>,
): readonly ForeignRun[] {
  return namesIn(controlFolder)
    .filter((name) => !known.has(name))
    .map((name) => {
      if (isSessionId(name))
        return { run: name, path: statusPath(name), journal: `${sessionFolder(name)}/journal.jsonl` };
      const folder = `${controlFolder}/${name}`;
      const problem = `${folder} cannot name a session; rename it to ${sessionIdExpectation}`;
      return { run: name, path: `${folder}/status.json`, problem };
    });
}

function isTally(value: unknown): value is { readonly done: number; readonly total: number } {
  return typeof value === 'object' && value !== null && 'done' in value && 'total' in value;
}
