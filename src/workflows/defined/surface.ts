/** What every workflow of a project's own shows to those who call it. */

import { abandoned } from '../../engine/transition.ts';
import { shown } from '../../schema/values.ts';
import type { Verb, WorkflowSurface } from '../surface.ts';
import type { Workflow } from '../workflow.ts';

/** Its verbs are those of its machine, which only the loaded workflow has. */
export function definedSurface(name: string, load: () => Promise<Workflow>): WorkflowSurface {
  return {
    name,
    title: name,
    verbs: [],
    roles: [],
    begin: `pawl ${name} start <run> "<description>"`,
    isRunName: (text) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(text),
    matches: (word, run) => (word === run ? 'name' : null),
    invalidName: (word) => ({
      code: 'InvalidRunName',
      message: `${shown(word)} is not a valid run name`,
      fix: 'use lower-case letters, digits and -, at most 64, beginning with a letter or digit',
    }),
    notFound: (word, { near }) => ({
      code: 'RunNotFound',
      message: `there is no run "${name}/${word}" in this repository${near === undefined ? '' : `; did you mean ${name}/${near}?`}`,
      fix: 'pawl runs',
    }),
    list: { plural: 'runs', nameKey: 'run', titles: ['RUN', 'STATE'], blank: {}, cells: () => [], showsNext: true },
    load,
  };
}

export function definedVerbs({ machine }: Workflow): readonly Verb[] {
  const commands = machine.commands.filter((command) => command !== 'retry' && command !== 'undo');
  return [
    ...commands.map(workVerb),
    {
      verb: 'status',
      does: 'status',
      about: 'Show the state of a run, and the next command',
      words: ['run'],
      flags: {},
    },
  ];
}

function workVerb(command: string): Verb {
  const begins = command === 'start';
  return {
    verb: command,
    does: 'work',
    delivers: [command],
    about: begins ? 'Start a run' : `Deliver the command "${command}" to a run`,
    words: begins ? ['run', 'description?'] : ['run'],
    flags: {
      unproven: { about: 'run it although the verifier refutes it (recorded)', vouches: true },
      ...(begins && { new: { about: 'reuse the name of an abandoned run' } }),
    },
    intent: () =>
      Promise.resolve(({ words: [run = '', description], flags: { new: anew } }) => ({
        kind: 'command',
        run,
        command,
        args: description === undefined ? {} : { description },
        begins: 'anywhere',
        ...(anew && { admit: (traces) => (traces.state() === abandoned ? 'anew' : null) }),
      })),
  };
}
