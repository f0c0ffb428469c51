/** The surface of `issue`. */

import { shown } from '../../schema/values.ts';
import type { WorkflowSurface } from '../surface.ts';
import { idExpectation, isIssueId } from './files/ids.ts';
import { roleNames } from './role-words.ts';

export const issueSurface: WorkflowSurface = {
  name: 'issue',
  title: 'Issues',
  verbs: [
    {
      verb: 'run',
      does: 'work',
      delivers: ['run'],
      intent: async () => (await import('./intents.ts')).run,
      about: 'Take one issue from a plan to local commits, unattended',
      words: ['id?', 'base-branch?'],
      flags: {
        resume: { about: 'continue a run that was killed or stopped' },
        worktree: { about: 'use a git worktree, prepared as set in [worktree]' },
        all: { about: 'work through everything that can be run, each in a worktree' },
        jobs: { value: '<n>', about: 'with --all: how many at the same time (default 1)' },
        budget: {
          value: '<name>=<number>,…',
          about: 'limit dispatches, tokens, cost or hours; with --all in total',
          vouches: true,
        },
        limit: { value: '<n>', about: 'with --all: how many in total, at most (default 20)' },
      },
      examples: ['run GAL-42', 'run GAL-42 develop', 'run GAL-42 --resume', 'run --all --jobs 2 --budget cost=20'],
    },
    {
      verb: 'next',
      does: 'tell',
      tell: async () => (await import('./files/issue-verbs.ts')).next,
      about: 'List what can be run now, in dependency order',
      words: [],
      flags: {},
    },
    {
      verb: 'list',
      does: 'tell',
      tell: async () => (await import('./files/issue-verbs.ts')).list,
      about: 'List the issues in TODO/',
      words: [],
      flags: {
        status: { value: '<status>', about: 'only those: todo, in-progress or done' },
        label: { value: '<label>', about: 'only those with the label' },
        parent: { value: '<id>', about: 'only the sub-issues of one' },
      },
    },
    {
      verb: 'view',
      does: 'tell',
      tell: async () => (await import('./files/issue-verbs.ts')).view,
      about: 'Show an issue, and what it waits for',
      words: ['id'],
      flags: {},
    },
    {
      verb: 'new',
      does: 'tell',
      writes: true,
      tell: async () => (await import('./files/issue-verbs.ts')).create,
      about: 'Create an issue',
      words: ['title'],
      flags: {
        parent: { value: '<id>', about: 'as a sub-issue of this one' },
        category: { value: '<name>', about: 'category in TODO/README.md' },
      },
      examples: ['new "Read limits in one place" --category Parser', 'new "Document limits" --parent GAL-42'],
    },
    {
      verb: 'status',
      does: 'status',
      about: 'Show the run of an issue, and the next command',
      words: ['id'],
      flags: {},
    },
  ],
  roles: roleNames,
  begin: 'pawl issue run <id>',
  isRunName: isIssueId,
  matches: (word, run) => (word === run ? 'name' : word.toLowerCase() === run.toLowerCase() ? 'short' : null),
  invalidName: (word) => ({
    code: 'InvalidIssueId',
    message: `${shown(word)} is not a valid issue name`,
    fix: `use ${idExpectation}`,
  }),
  notFound: (word, { near }) => ({
    code: 'IssueNotFound',
    message: `there is no run of an issue "${word}"${near === undefined ? '' : `; did you mean ${near}?`}`,
    fix: `pawl issue run ${word}`,
  }),
  list: {
    plural: 'issues',
    nameKey: 'id',
    titles: ['ID', 'PHASE', 'TITLE'],
    blank: { title: null },
    cells: ({ title }) => [typeof title === 'string' ? title : null],
    showsNext: true,
  },
  rehearsal: async () => (await import('./rehearsal.yaml')).default,
  config: async () => (await import('./config.ts')).format,
  load: async () => (await import('./issue.ts')).issue,
};
