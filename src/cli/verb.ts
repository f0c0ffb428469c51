/** What a command needs to be listed, explained and called; and the flags of all that set agents to work. */

import type { Flags, Given, Verb } from '../workflows/surface.ts';
import type { CommandContext } from './context.ts';

export type CommandFunction = (given: Given, context: CommandContext) => Promise<number>;

/** A verb of Pawl itself. */
export interface OwnVerb extends Omit<Verb, 'does'> {
  readonly personOnly?: string;
  load(): Promise<CommandFunction>;
}

const agentFlags: Flags = {
  agent: {
    value: '<agent>',
    about: 'use this agent for every role (scripted: plays a script, for trying out and tests)',
  },
  script: { value: '<file>', about: 'the script of the scripted agent; without it the bundled rehearsal plays' },
};

export const workFlags: Flags = {
  ...agentFlags,
  edits: {
    value: 'keep|discard',
    about: 'files somebody changed where Pawl wants to write: keep them, or take them back',
    vouches: true,
  },
  answers: {
    value: '<file>',
    about:
      'answers to decisions, written down beforehand: a YAML or JSON map of decision to text, or to a list of texts',
    vouches: true,
  },
  wait: { about: 'when an agent is out of quota, wait until it has some again instead of stopping (exit 75)' },
  'accept-state': { about: 'take over a state file that has no journal here (a fresh clone)', vouches: true },
  force: { about: 'take over from an owner that cannot be seen from here', vouches: true },
};
