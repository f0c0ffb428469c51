/** The surface of `poll`. */

import type { WorkflowSurface } from '../../src/workflows/surface.ts';

export const pollSurface: WorkflowSurface = {
  name: 'poll',
  title: 'Polls, for a test',
  verbs: [
    {
      verb: 'ask',
      does: 'work',
      delivers: ['ask'],
      about: 'ask a question',
      words: ['poll', 'subject'],
      flags: {},
      intent: () =>
        Promise.resolve(({ words: [run = '', subject = ''] }) => ({
          kind: 'command',
          run,
          command: 'ask',
          args: { subject },
          begins: 'anywhere',
        })),
    },
    { verb: 'status', does: 'status', about: 'where a poll is', words: ['poll'], flags: {} },
    { verb: 'list', does: 'list', about: 'all polls', words: [], flags: {} },
  ],
  roles: [],
  begin: 'pawl poll ask <poll> "<subject>"',
  isRunName: (text) => /^[a-z]+$/.test(text),
  matches: (word, run) => (word === run ? 'name' : null),
  invalidName: (word) => ({ code: 'InvalidPollName', message: `${word} cannot name a poll`, fix: 'use letters' }),
  notFound: (word) => ({ code: 'PollNotFound', message: `there is no poll ${word}`, fix: 'ask it' }),
  list: {
    plural: 'polls',
    nameKey: 'run',
    titles: ['POLL', 'STATE', 'SUBJECT'],
    blank: { subject: null },
    cells: ({ subject }) => [typeof subject === 'string' ? subject : null],
    showsNext: false,
  },
  load: async () => (await import('./poll.ts')).poll,
};
