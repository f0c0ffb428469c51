/** A workflow as small as one can be: it asks one question, and is over when it is answered. */

import { defineMachine } from '../../src/engine/define-machine.ts';
import type { Snapshot } from '../../src/engine/snapshot.ts';
import { word } from '../../src/schema/simple.ts';
import { defineWorkflow } from '../../src/workflows/define-workflow.ts';
import { runSettings } from '../../src/workflows/run-config.ts';
import { configPath, readWorkflowConfig } from '../../src/workflows/workflow-config.ts';
import { yamlStateFile } from '../../src/workflows/yaml-state-file.ts';

const phases = ['open', 'closed'] as const;
const votes = { yes: 'it shall be done', no: 'it shall not' };
const nothing = { refuse: 'NothingToRetry', outcome: 'not_ready' } as const;

const machine = defineMachine({
  initial: 'new',
  commands: ['ask', 'retry'],
  budgets: {},
  flags: {},
  lists: [],
  artifacts: [],
  gates: {},
  states: {
    new: { kind: 'parked', phase: null, outcome: 'not_ready', on: { ask: { to: 'open' }, retry: nothing } },
    open: {
      kind: 'decide',
      question: 'vote',
      on: { yes: { to: 'closed' }, no: { to: 'closed' }, withdrawn: { to: 'new' } },
    },
    closed: { kind: 'final', outcome: 'done', on: { ask: nothing, retry: nothing } },
  },
});

const subjectOf = ({ subject }: Snapshot['data']): string => (typeof subject === 'string' ? subject : '');

const noAgent = (): never => {
  throw new Error('a poll needs no agent');
};

export const poll = defineWorkflow({
  name: 'poll',
  machine,
  controlFolder: 'polls',
  configPaths: [configPath],
  roles: {},
  dispatching: () => Promise.resolve({ tools: {}, brief: noAgent, conclude: noAgent }),
  checks: {},
  questions: {
    vote: ({ snapshot }) => ({
      title: subjectOf(snapshot.data),
      detail: '',
      answers: votes,
      about: '',
      withdrawn: null,
      paths: [],
    }),
  },
  settings: (files) => {
    const { config, ...found } = readWorkflowConfig(files, { sections: {}, roles: [] });
    return { ...runSettings(config, []), limits: {}, ...found };
  },
  enter: (command, { subject }) => ({ name: command, data: subject === undefined ? {} : { subject } }),
  stateFile: yamlStateFile({
    path: (run) => `polls/${run}.yaml`,
    fields: ({ snapshot, at }) => ({ phase: snapshot.state, updated_at: at, subject: subjectOf(snapshot.data) }),
    phase: { schema: word(phases), expected: `one of ${phases.join(', ')}` },
    adopt: (phase) => ({ state: phase, data: {}, gate: null }),
  }),
  words: {
    refusals: {},
    rests: { closed: ({ run }) => ['closed', `${run} is closed`, null] },
    next: ({ run }) => `pawl answer ${run} vote <answer>`,
    verdict: () => null,
  },
  listed: ({ snapshot }) => ({ subject: subjectOf(snapshot.data) }),
  nextIn: (run, phase) => (phase === 'open' ? `pawl answer ${run} vote <answer>` : null),
  status: ({ snapshot }) => ({
    keys: { subject: subjectOf(snapshot.data) },
    title: [snapshot.state],
    notes: [],
  }),
  journalPath: ({ run }) => `polls/${run}.jsonl`,
});
