/** Every command there is, with its words and flags. What takes more than looking is loaded only when it is called. */

import { bundled } from '../workflows/bundled.ts';
import type { Verb, WorkflowSurface } from '../workflows/surface.ts';
import type { CommandSpec } from './options.ts';
import { Problem } from './problem.ts';
import { statusCommand } from './run-status.ts';
import { workFlags, type CommandFunction, type OwnVerb } from './verb.ts';

export interface Command {
  readonly path: readonly string[];
  /** What it is listed under: its workflow, `runs` or `workflows`. */
  readonly group: string;
  readonly spec: CommandSpec;
  /** Its words and flags are not even looked at. */
  readonly takesAnything?: true;
  load(): Promise<CommandFunction>;
}

/** All of `pawl`, or those of a program that has the verbs of one workflow. */
export function commands(program: string, surfaces: readonly WorkflowSurface[] = bundled): readonly Command[] {
  if (program !== 'pawl') return surfaces.filter((each) => each.program?.name === program).flatMap(programCommands);
  return [
    ...surfaces.flatMap((surface) => [
      ...surface.verbs.map((verb) => verbCommand('pawl', [surface.name, verb.verb], surface, verb)),
      ...retiredCommands('pawl', [surface.name], surface),
    ]),
    ...runVerbs.map((verb) => toCommand('pawl', [verb.verb], verb, 'runs')),
    ...workflowVerbs.map((verb) => toCommand('pawl', verb.verb.split(' '), verb, 'workflows')),
  ];
}

function programCommands(surface: WorkflowSurface): Command[] {
  const { name: program = '', olderNames = {} } = surface.program ?? {};
  const named = (path: string, name: string) =>
    surface.verbs.filter(({ verb }) => verb === name).map((verb) => verbCommand(program, [path], surface, verb));
  return [
    ...surface.verbs.flatMap(({ verb }) => named(verb, verb)),
    ...Object.entries(olderNames).flatMap(([older, name]) => named(older, name)),
    ...retiredCommands(program, [], surface),
  ];
}

export function verbCommand(program: string, path: readonly string[], surface: WorkflowSurface, verb: Verb): Command {
  const flags = verb.does === 'work' ? { ...workFlags, ...verb.flags } : verb.flags;
  return toCommand(program, path, { ...verb, flags, load: () => functionOf(surface, verb) }, surface.name);
}

async function functionOf(surface: WorkflowSurface, verb: Verb): Promise<CommandFunction> {
  switch (verb.does) {
    case 'work':
      return (await import('./work.ts')).workVerb(surface, verb);
    case 'status':
      return statusCommand(surface);
    case 'list':
      return (await import('./reading.ts')).listOf(surface);
  }
}

const runVerbs: readonly OwnVerb[] = [
  {
    verb: 'runs',
    about: 'all runs of all workflows',
    words: [],
    flags: {},
    load: async () => (await import('./reading.ts')).runs,
  },
  {
    verb: 'log',
    about: "a run's journal",
    words: ['run'],
    flags: { follow: { about: 'go on showing what is added; with --json each record is a line of its own' } },
    load: async () => (await import('./reading.ts')).log,
  },
  {
    verb: 'answer',
    personOnly: 'answer a question',
    about: 'answer a question a run is waiting with',
    words: ['run', 'decision', 'answer...?'],
    flags: { cancel: { about: 'pass the decision over, where that is allowed' } },
    examples: ['answer add-limit revision continue'],
    load: async () => (await import('./answer.ts')).answer,
  },
  {
    verb: 'resume',
    about: 'go on where a run was stopped',
    words: ['run'],
    flags: {
      ...workFlags,
      budget: {
        value: '<name>=<number>,…',
        about: "raise the run's budgets: dispatches, tokens, cost, hours",
        vouches: true,
      },
    },
    examples: ['resume add-limit', 'resume add-limit --budget dispatches=100,cost=80'],
    load: async () => (await import('./work.ts')).resume,
  },
  {
    verb: 'retry',
    about: 'repeat the step a run stopped at, differently',
    words: ['run'],
    flags: { ...workFlags, hint: { value: '<text>', about: 'words of yours for the agent' } },
    examples: ['retry add-limit --agent claude --hint "keep the old signature"'],
    load: async () => (await import('./work.ts')).resume,
  },
  {
    verb: 'pause',
    personOnly: 'pause a run',
    about: 'stop a run that is at work elsewhere; resume goes on with it',
    words: ['run'],
    flags: {},
    load: async () => (await import('./short-work.ts')).pause,
  },
  {
    verb: 'cancel',
    personOnly: 'cancel a run',
    about: 'give up the step a run is at; its change rests in its phase',
    words: ['run'],
    flags: {},
    load: async () => (await import('./short-work.ts')).cancel,
  },
  {
    verb: 'diff',
    about: 'what a run did to the work tree',
    words: ['run'],
    flags: {},
    load: async () => (await import('./short-work.ts')).diff,
  },
  {
    verb: 'undo',
    personOnly: 'undo a run',
    about: 'take back what a run did to the work tree',
    words: ['run'],
    flags: {},
    load: async () => (await import('./short-work.ts')).undo,
  },
  {
    verb: 'doctor',
    about: 'what this machine has, and which agent would play which role',
    words: [],
    flags: {},
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    verb: 'demo',
    about: 'a whole change on a sample repository, with the scripted agent',
    words: ['folder?'],
    flags: {},
    load: async () => (await import('./demo.ts')).demo,
  },
];

const workflowVerbs: readonly OwnVerb[] = [
  {
    verb: 'show',
    about: 'a workflow as tables or a picture, or where a run is in it and how it got there',
    words: ['workflow-or-run?'],
    flags: { format: { value: 'matrix|mermaid|svg|dot|json', about: 'tables (if nothing is said), or a picture' } },
    examples: ['show change', 'show change --format svg > change.svg', 'show add-limit'],
    load: async () => (await import('./show-workflow.ts')).show,
  },
  {
    verb: 'verify',
    about: 'prove that a workflow cannot go wrong: gates, loops, budgets, worst case',
    words: ['workflow?'],
    flags: {},
    examples: ['verify', 'verify change --json'],
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    verb: 'simulate',
    about: 'play a workflow by chance: how many dispatches, what cost and time, which ends',
    words: ['workflow'],
    flags: {
      runs: { value: '<number>', about: 'how many runs to play (10000)' },
      seed: { value: '<number>', about: 'the same seed gives the same runs; without it one is chosen and shown' },
      faults: { about: 'let dispatches fail, too' },
      odds: { value: '<file>', about: 'how likely what is: a TOML file as --save writes it' },
      'from-journals': { about: 'take the odds from the runs of this repository' },
      save: { value: '<file>', about: 'write the odds that were used to a new file, to edit' },
    },
    examples: [
      'simulate change --runs 10000 --seed 7 --faults',
      'simulate change --from-journals --save odds.toml',
      'simulate change --odds odds.toml',
    ],
    load: async () => (await import('./simulate.ts')).simulate,
  },
  {
    verb: 'new workflow',
    personOnly: 'add a workflow',
    about: 'write a small complete workflow of your own, with its tests',
    words: ['name'],
    flags: { ts: { about: 'in TypeScript instead of YAML' } },
    examples: ['new workflow release-notes'],
    load: async () => (await import('./new.ts')).newOne,
  },
];

function toCommand(
  program: string,
  path: readonly string[],
  { verb: words, examples, ...verb }: OwnVerb,
  group: string,
): Command {
  const before = path.slice(0, -words.split(' ').length);
  return {
    path,
    group,
    spec: {
      name: [program, ...path].join(' '),
      about: verb.about,
      words: verb.words,
      flags: verb.flags,
      ...(verb.personOnly !== undefined && { personOnly: verb.personOnly }),
      ...(examples && { examples: examples.map((example) => [program, ...before, example].join(' ')) }),
    },
    load: () => verb.load(),
  };
}

/** Steps of an older tool that are no commands of their own any more. They are not listed. */
function retiredCommands(
  program: string,
  group: readonly string[],
  { name, retired = {} }: WorkflowSurface,
): Command[] {
  return Object.entries(retired).map(([step, instead]) => ({
    path: [...group, step],
    group: name,
    spec: { name: [program, ...group, step].join(' '), about: '', words: [], flags: {} },
    takesAnything: true,
    load: () => {
      throw new Problem('UsageError', `"${step}" is a step inside "${instead}", not a command`, {
        fix: `run ${[program, ...group, instead].join(' ')} <id>`,
      });
    },
  }));
}
