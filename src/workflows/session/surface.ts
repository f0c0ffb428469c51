/** The surface of `session`. */

import { isRecord } from '../../schema/values.ts';
import type { ForeignRun, NameMatch, WorkflowSurface } from '../surface.ts';
import {
  controlFolder,
  isSessionId,
  sessionFolder,
  sessionIdExpectation,
  shortName,
  statusPath,
} from './files/session-paths.ts';
import { roles } from './session-words.ts';

const shownCharsMax = 80;

export const sessionSurface: WorkflowSurface = {
  name: 'session',
  title: 'Sessions',
  verbs: [
    {
      verb: 'start',
      does: 'work',
      delivers: ['start', 'start_lean'],
      intent: async () => (await import('./intents.ts')).start,
      about: 'Start a session: from a goal to a release',
      words: ['goal'],
      flags: {
        lean: { about: 'one reviewed task, without design and gates' },
        'project-type': { value: 'web|api|cli|lib|mixed', about: 'kind of project (default mixed)' },
        slug: { value: '<words>', about: 'session name: two to four words joined by hyphens' },
        worktree: { about: 'use a git worktree, prepared as set in [worktree]' },
        new: { about: 'reuse the name of an abandoned session' },
      },
      examples: ['start "Export the list as CSV"', 'start "Fix the typo in the help" --lean --slug help-typo'],
    },
    {
      verb: 'resume',
      does: 'work',
      delivers: [],
      intent: async () => (await import('./intents.ts')).resume,
      about: 'Resume a session (default: the only unfinished one)',
      words: ['session?'],
      flags: {},
      examples: ['resume', 'resume csv-export'],
    },
    {
      verb: 'status',
      does: 'status',
      about: 'Show tasks, decisions, blockers and the next command',
      words: ['session?'],
      flags: {},
    },
    { verb: 'list', does: 'list', about: 'List all sessions', words: [], flags: {} },
  ],
  formerFlags: { course: { name: 'mode' }, owed: { name: 'pending_reviews', values: { nothing: 'none' } } },
  begin: 'pawl session start "<goal>"',
  roles,
  isRunName: isSessionId,
  shortName,
  matches,
  invalidName: (word) => ({
    code: 'SessionNotFound',
    message: `${quoted(word)} is not a valid session name`,
    fix: `use ${sessionIdExpectation}`,
  }),
  notFound: (word, { near, none }) => ({
    code: 'SessionNotFound',
    message: `there is no session ${quoted(word)} in this repository${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: none ? 'pawl session start "<goal>"' : 'pawl session list',
  }),
  foreignRuns: (namesIn, known) =>
    namesIn(controlFolder)
      .filter((name) => !known.has(name))
      .map(foreignRun),
  list: {
    plural: 'sessions',
    nameKey: 'run',
    titles: ['SESSION', 'STATE', 'MODE', 'TASKS', 'OPEN'],
    blank: { mode: null, pending: 0, tasks: null },
    cells: ({ mode, tasks, pending }) => [
      typeof mode === 'string' ? mode : null,
      isRecord(tasks) ? `${Number(tasks['done'])}/${Number(tasks['total'])}` : null,
      typeof pending === 'number' && pending > 0 ? String(pending) : null,
    ],
    showsNext: false,
  },
  // A lean session goes another way than a full one, so it has a rehearsal of its own.
  rehearsal: async ({ mode }) =>
    (await (mode === 'lean' ? import('./rehearsal-lean.yaml') : import('./rehearsal-full.yaml'))).default,
  config: async () => (await import('./config.ts')).format,
  load: async () => (await import('./session.ts')).session,
};

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

function foreignRun(run: string): ForeignRun {
  if (isSessionId(run)) return { run, path: statusPath(run), journal: `${sessionFolder(run)}/journal.jsonl` };
  const folder = `${controlFolder}/${run}`;
  const problem = `${folder} is not a valid session name; rename it to ${sessionIdExpectation}`;
  return { run, path: `${folder}/status.json`, problem };
}
