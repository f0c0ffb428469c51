/** Commands that look at runs and change nothing. */

import type { Flags } from '../workflows/surface.ts';
import type { OwnVerb } from './command-table.ts';
import { status } from './overview-command.ts';

export const pagerFlag: Flags = { 'no-pager': { about: 'print long output without a pager' } };
const sinceFlag = { value: '<date|3d>', about: 'only since a date, or so many m, h, d or w ago' };

export const lookVerbs: readonly OwnVerb[] = [
  {
    verb: 'status',
    about: 'Show what needs you, what works and what stopped, or one run',
    words: ['run?'],
    flags: pagerFlag,
    examples: ['status', 'status add-limit'],
    load: () => Promise.resolve(status),
  },
  {
    verb: 'runs',
    about: 'List open runs, with phase, cost and next command',
    flags: {
      all: { about: 'finished runs too' },
      workflow: { value: '<name>', about: 'only runs of this workflow' },
      since: sinceFlag,
      ...pagerFlag,
    },
    examples: ['runs --all --since 3d', 'runs --workflow session'],
    load: async () => (await import('./reading.ts')).runs,
  },
  {
    verb: 'log',
    about: "Show a run's journal",
    words: ['run'],
    flags: {
      follow: { about: 'keep showing new records; with --json one per line' },
      last: { value: '<number>', short: 'n', about: 'only the last records' },
      dispatch: { value: '<number>', about: 'prompt, transcript and reports of one agent call' },
      ...pagerFlag,
    },
    examples: ['log add-limit -n 20', 'log add-limit --dispatch 3'],
    load: async () => (await import('./reading.ts')).log,
  },
  {
    verb: 'watch',
    about: 'Keep what `status` shows on screen',
    load: async () => (await import('./watch-command.ts')).watch,
  },
  {
    verb: 'completion',
    about: 'Print the completion script of a shell',
    words: ['shell'],
    examples: ['completion bash', 'completion fish > ~/.config/fish/completions/pawl.fish'],
    load: async () => (await import('./completion.ts')).completion,
  },
  {
    verb: 'attach',
    about: 'Follow a run that works in another process',
    words: ['run'],
    load: async () => (await import('./attach-command.ts')).attach,
  },
  {
    verb: 'usage',
    about: 'Show cost and tokens per run, workflow, role and agent',
    flags: { since: sinceFlag, ...pagerFlag },
    examples: ['usage', 'usage --since 7d --json'],
    load: async () => (await import('./usage-command.ts')).usage,
  },
];
