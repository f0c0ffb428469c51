/** The surface of `poll`. */

import type { TellVerb, WorkflowSurface } from '../../src/workflows/surface.ts';

type Tell = Awaited<ReturnType<TellVerb['tell']>>;

const topics: Tell = (_, { files }) => {
  const lines = (files.read('polls/topics.txt') ?? '').split('\n').filter((line) => line !== '');
  return { document: { topics: lines }, lines };
};

const noteTopic: Tell = async ({ words: [topic = ''] }, { files, today, claim, namesElsewhere }) => {
  if (topic === 'none') return { code: 'NoTopic', message: 'none is no topic', fix: 'name one' };
  const known = await namesElsewhere('topics');
  let number = 1;
  while (known.includes(`T-${number}.md`) || !claim(`T-${number}`)) number += 1;
  const id = `T-${number}`;
  const list = `${files.read('polls/topics.txt') ?? ''}${id} ${topic}\n`;
  const writes = [
    { path: `topics/${id}.md`, content: `${today}: ${topic}\n` },
    { path: 'polls/topics.txt', content: list },
  ];
  return { document: { id, topic }, lines: [`noted as ${id}`], writes };
};

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
          admit: async ({ git }) => {
            const { branch } = await git();
            return branch === 'closed'
              ? { code: 'NoPolls', message: 'no polls on this branch', fix: 'leave it' }
              : null;
          },
        })),
    },
    {
      verb: 'topic',
      does: 'tell',
      writes: true,
      about: 'note a topic for a poll, with a number of its own',
      words: ['topic'],
      flags: {},
      tell: () => Promise.resolve(noteTopic),
    },
    {
      verb: 'topics',
      does: 'tell',
      slash: true,
      about: 'all topics',
      words: [],
      flags: {},
      tell: () => Promise.resolve(topics),
    },
    { verb: 'status', does: 'status', about: 'where a poll is', words: ['poll'], flags: {} },
    { verb: 'list', does: 'list', about: 'all polls', words: [], flags: {} },
  ],
  roles: [],
  begin: 'pawl poll ask <poll> "<subject>"',
  isRunName: (text) => /^[a-z]+$/.test(text),
  matches: (word, run) => (word === run ? 'name' : null),
  invalidName: (word) => ({ code: 'InvalidPollName', message: `${word} is not a valid poll name`, fix: 'use letters' }),
  notFound: (word) => ({ code: 'PollNotFound', message: `there is no poll ${word}`, fix: 'ask it' }),
  list: {
    plural: 'polls',
    nameKey: 'run',
    titles: ['POLL', 'STATE', 'SUBJECT'],
    blank: { subject: null },
    cells: ({ subject }) => [typeof subject === 'string' ? subject : null],
    showsNext: false,
  },
  sessionContext: () =>
    Promise.resolve(({ files, main, cwd, modifiedMs }) => {
      const path = 'polls/now.txt';
      const now = files.read(path);
      if (now === 'broken') throw new Error('a defect of the workflow');
      if (now === undefined || modifiedMs(path) === undefined) return null;
      return `Poll ${now}; next: pawl poll topics${cwd === main ? '' : `\nwarning: the poll is in ${main}`}`;
    }),
  load: async () => (await import('./poll.ts')).poll,
};
