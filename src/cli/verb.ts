/** What a command of one word needs to be listed, explained and called; and the flags of all that set agents to work. */

import type { CommandSpec, FlagSpec, Given } from './options.ts';

export type CommandFunction = (given: Given, spec: CommandSpec) => Promise<number>;

export interface Verb {
  readonly verb: string;
  readonly about: string;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, FlagSpec>>;
  readonly examples?: readonly string[];
  load(): Promise<CommandFunction>;
}

const agentFlags: Readonly<Record<string, FlagSpec>> = {
  agent: {
    value: '<agent>',
    about: 'use this agent for every role (scripted: plays a script, for trying out and tests)',
  },
  script: { value: '<file>', about: 'the script of the scripted agent; without it the bundled rehearsal plays' },
};

export const workFlags: Readonly<Record<string, FlagSpec>> = {
  ...agentFlags,
  edits: {
    value: 'keep|discard',
    about: 'files somebody changed where Pawl wants to write: keep them, or take them back',
  },
  answers: {
    value: '<file>',
    about:
      'answers to decisions, written down beforehand: a YAML or JSON map of decision to text, or to a list of texts',
  },
  wait: { about: 'when an agent is out of quota, wait until it has some again instead of stopping (exit 75)' },
  'accept-state': { about: 'take over a state file that has no journal here (a fresh clone)' },
  force: { about: 'take over from an owner that cannot be seen from here' },
};
