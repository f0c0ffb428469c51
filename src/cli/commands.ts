/** Every command there is, with its words and flags. What takes more than looking is loaded only when it is called. */

import { list } from './change/list.ts';
import { status } from './change/status.ts';
import { log } from './log.ts';
import type { CommandSpec } from './options.ts';
import { runs } from './runs.ts';
import { sessionVerbs } from './session/verbs.ts';
import { workFlags, type CommandFunction, type Verb } from './verb.ts';

export type { CommandFunction } from './verb.ts';

export interface Command {
  readonly path: readonly string[];
  /** What it is listed under: its workflow, `runs` or `workflows`. */
  readonly group: string;
  readonly spec: CommandSpec;
  /** Its words and flags are not even looked at. */
  readonly takesAnything?: true;
  load(): Promise<CommandFunction>;
}

export function commands(program: 'pawl' | 'agentd'): readonly Command[] {
  return program === 'pawl' ? pawlCommands : agentdCommands;
}

const changeVerbs: readonly Verb[] = [
  {
    verb: 'plan',
    about: 'plan a change: proposal, specs, tasks; then have it challenged',
    words: ['id', 'description?'],
    flags: {
      ...workFlags,
      worktree: { about: 'work in a git worktree of its own, prepared as [worktree] in pawl.toml says' },
      new: { about: 'begin anew under the id of an archived change' },
    },
    examples: ['plan add-limit "Slugs get a maximum length" --agent scripted'],
    load: async () => (await import('./change/work.ts')).plan,
  },
  {
    verb: 'impl',
    about: 'implement the approved plan, check, review and fix it',
    words: ['id'],
    flags: {
      ...workFlags,
      tasks: { value: '<ids>', about: 'only these tasks, separated by commas' },
      review: { about: 'a fresh review of what is there' },
      'accept-edits': {
        about: 'take edits made to the plan after its approval as approved (recorded as your decision)',
      },
    },
    examples: ['impl add-limit', 'impl add-limit --tasks 1.1,2.1'],
    load: async () => (await import('./change/work.ts')).impl,
  },
  {
    verb: 'archive',
    about: 'merge the specs of a complete change into agentd/specs and file it away',
    words: ['id'],
    flags: { ...workFlags, 'dry-run': { about: 'show what would happen, or why it would stop; nothing is written' } },
    load: async () => (await import('./change/work.ts')).archive,
  },
  {
    verb: 'status',
    about: 'where a change is, and what to run next',
    words: ['id'],
    flags: {},
    load: () => Promise.resolve(status),
  },
  {
    verb: 'list',
    about: 'all changes of this repository',
    words: [],
    flags: { archived: { about: 'the archived ones' } },
    load: () => Promise.resolve(list),
  },
];

const runVerbs: readonly Verb[] = [
  {
    verb: 'runs',
    about: 'all runs of all workflows',
    words: [],
    flags: {},
    load: () => Promise.resolve(runs),
  },
  {
    verb: 'log',
    about: "a run's journal",
    words: ['run'],
    flags: { follow: { about: 'go on showing what is added; with --json each record is a line of its own' } },
    load: () => Promise.resolve(log),
  },
  {
    verb: 'answer',
    about: 'answer a question a run is waiting with',
    words: ['run', 'decision', 'answer...?'],
    flags: { cancel: { about: 'pass the decision over, where that is allowed' } },
    examples: ['answer add-limit revision continue'],
    load: async () => (await import('./answer.ts')).answerRun,
  },
  {
    verb: 'resume',
    about: 'go on where a run was stopped',
    words: ['run'],
    flags: {
      ...workFlags,
      budget: { value: '<name>=<number>,…', about: "raise the run's budgets: dispatches, tokens, cost, hours" },
    },
    examples: ['resume add-limit', 'resume add-limit --budget dispatches=100,cost=80'],
    load: async () => (await import('./resume.ts')).resume,
  },
  {
    verb: 'retry',
    about: 'repeat the step a run stopped at, differently',
    words: ['run'],
    flags: { ...workFlags, hint: { value: '<text>', about: 'words of yours for the agent' } },
    examples: ['retry add-limit --agent claude --hint "keep the old signature"'],
    load: async () => (await import('./resume.ts')).retry,
  },
  {
    verb: 'pause',
    about: 'stop a run that is at work elsewhere; resume goes on with it',
    words: ['run'],
    flags: {},
    load: async () => (await import('./stop.ts')).pause,
  },
  {
    verb: 'cancel',
    about: 'give up the step a run is at; its change rests in its phase',
    words: ['run'],
    flags: {},
    load: async () => (await import('./stop.ts')).cancel,
  },
  {
    verb: 'diff',
    about: 'what a run did to the work tree',
    words: ['run'],
    flags: {},
    load: async () => (await import('./diff.ts')).diff,
  },
  {
    verb: 'undo',
    about: 'take back what a run did to the work tree',
    words: ['run'],
    flags: {},
    load: async () => (await import('./undo.ts')).undo,
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

const workflowVerbs: readonly Verb[] = [
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
    about: 'write a small complete workflow of your own, with its tests',
    words: ['name'],
    flags: { ts: { about: 'in TypeScript instead of YAML' } },
    examples: ['new workflow release-notes'],
    load: async () => (await import('./own/new.ts')).newOne,
  },
];

/** Names of an older tool, and what became of them. */
const olderNames: Readonly<Record<string, string>> = {
  'plan-change': 'plan',
  'impl-change': 'impl',
  'merge-change': 'archive',
};
const retired: Readonly<Record<string, string>> = {
  proposal: 'plan',
  challenge: 'plan',
  reproposal: 'plan',
  review: 'impl',
  'resolve-reviews': 'impl',
};

const pawlCommands: readonly Command[] = [
  ...changeVerbs.map((verb) => toCommand('pawl', ['change', verb.verb], verb)),
  ...Object.entries(retired).map(([name, instead]) => retiredCommand('pawl', ['change', name], instead)),
  ...sessionVerbs.map((verb) => toCommand('pawl', ['session', verb.verb], verb, 'session')),
  ...runVerbs.map((verb) => toCommand('pawl', [verb.verb], verb, 'runs')),
  ...workflowVerbs.map((verb) => toCommand('pawl', verb.verb.split(' '), verb, 'workflows')),
];

const agentdCommands: readonly Command[] = [
  ...changeVerbs.map((verb) => toCommand('agentd', [verb.verb], verb)),
  ...Object.entries(olderNames).flatMap(([older, name]) =>
    changeVerbs.filter(({ verb }) => verb === name).map((verb) => toCommand('agentd', [older], verb)),
  ),
  ...Object.entries(retired).map(([name, instead]) => retiredCommand('agentd', [name], instead)),
];

function toCommand(
  program: string,
  path: readonly string[],
  { verb: words, examples, ...verb }: Verb,
  group = 'change',
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
      ...(examples && { examples: examples.map((example) => [program, ...before, example].join(' ')) }),
    },
    load: () => verb.load(),
  };
}

/** A step of an older tool that is no command of its own any more. It is not listed. */
function retiredCommand(program: string, path: readonly string[], instead: string): Command {
  const name = [program, ...path].join(' ');
  return {
    path,
    group: 'change',
    spec: { name, about: '', words: [], flags: {} },
    takesAnything: true,
    load: async () => {
      const { Problem } = await import('./problem.ts');
      const group = path.slice(0, -1);
      throw new Problem('usage', `"${path.at(-1)}" is a step inside "${instead}", not a command`, {
        fix: `run ${[program, ...group, instead].join(' ')} <id>`,
      });
    },
  };
}
