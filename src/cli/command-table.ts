/** Every command there is, with its words and flags. Code that does more than look is loaded only when it is called. */

import { bundled } from '../workflows/bundled.ts';
import type { Flags, Verb, WorkflowSurface } from '../workflows/surface.ts';
import type { CommandFunction } from './context.ts';
import { endingVerbs, trustFlag } from './ending-verbs.ts';
import { lookVerbs, pagerFlag } from './look-verbs.ts';
import type { CommandSpec } from './options.ts';
import { usageError } from './problem.ts';
import { setupVerbs } from './setup-commands.ts';
import { statusCommand } from './status-command.ts';

export interface Command {
  readonly path: readonly string[];
  /** What it is listed under: its workflow, `runs`, `workflows` or `agents`. */
  readonly group: string;
  readonly spec: CommandSpec;
  /** Its words and flags are not even looked at. */
  readonly takesAnything?: true;
  readonly load: () => Promise<CommandFunction>;
}

export interface OwnVerb extends Omit<CommandSpec, 'name' | 'words' | 'flags'> {
  readonly verb: string;
  readonly words?: readonly string[];
  readonly flags?: Flags;
  readonly load: Command['load'];
}

/** All of `pawl`, or those of a program that has the verbs of one workflow. */
export function commands(program: string, surfaces: readonly WorkflowSurface[] = bundled): readonly Command[] {
  if (program !== 'pawl') return surfaces.filter((each) => each.program?.name === program).flatMap(programCommands);
  return [
    ...surfaces.flatMap((surface) => [
      ...surface.verbs.map((verb) => verbCommand('pawl', [surface.name, verb.verb], surface, verb)),
      ...retiredCommands('pawl', [surface.name], surface),
    ]),
    // Called by the scripts of shells; not listed.
    {
      path: ['__complete'],
      group: 'runs',
      spec: { name: 'pawl __complete', about: '', words: [], flags: {} },
      takesAnything: true,
      load: async () => (await import('./completion.ts')).complete,
    },
    ...[...lookVerbs, ...runVerbs, ...setupVerbs].map((verb) => toCommand('pawl', [verb.verb], verb, 'runs')),
    ...workflowVerbs.map((verb) => toCommand('pawl', verb.verb.split(' '), verb, 'workflows')),
    ...agentVerbs.map((verb) => toCommand('pawl', verb.verb.split(' '), verb, 'agents')),
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
  const own = { work: workFlags, status: pagerFlag, list: {}, tell: {} }[verb.does];
  const personOnly =
    verb.does === 'work' ? 'start work' : verb.does === 'tell' && verb.writes ? 'write files' : undefined;
  const load = () => functionOf(surface, verb);
  const spec = { ...verb, flags: { ...own, ...verb.flags }, load, ...(personOnly !== undefined && { personOnly }) };
  return toCommand(program, path, spec, surface.name);
}

async function functionOf(surface: WorkflowSurface, verb: Verb): Promise<CommandFunction> {
  switch (verb.does) {
    case 'work':
      return (await import('./work.ts')).workVerb(surface, verb);
    case 'status':
      return statusCommand(surface);
    case 'list':
      return (await import('./reading.ts')).listOf(surface);
    case 'tell':
      return (await import('./tell-command.ts')).tellVerb(surface, verb);
  }
}

function toCommand(
  program: string,
  path: readonly string[],
  { verb, about, words = [], flags = {}, personOnly, approves, advisory, examples, load }: OwnVerb,
  group: string,
): Command {
  const before = [program, ...path.slice(0, -verb.split(' ').length)].join(' ');
  const spec = {
    name: [program, ...path].join(' '),
    about,
    words,
    flags,
    ...(personOnly !== undefined && { personOnly }),
    ...(approves && { approves }),
    ...(advisory && { advisory }),
    ...(examples && { examples: examples.map((example) => `${before} ${example}`) }),
  };
  return { path, group, spec, load };
}

/** Steps of an older tool that are no commands of their own any more. They are not listed. */
function retiredCommands(
  program: string,
  group: readonly string[],
  { name, retired = {} }: WorkflowSurface,
): Command[] {
  const before = [program, ...group].join(' ');
  return Object.entries(retired).map(([step, instead]) => ({
    path: [...group, step],
    group: name,
    spec: { name: `${before} ${step}`, about: '', words: [], flags: {} },
    takesAnything: true,
    load: () => {
      throw usageError(`"${step}" is a step of "${instead}", not a command`, `${before} ${instead} <id>`);
    },
  }));
}

const workFlags: Flags = {
  // A script approves whatever it says.
  agent: { value: '[<role>=]<agent>,…', about: 'agent of every role, or of these', many: true, vouches: ['scripted'] },
  model: { value: '[<role>=]<model>,…', about: 'model of every role, or of these', many: true },
  script: { value: '<file>', about: 'script of the scripted agent, instead of the bundled one', vouches: true },
  edits: { value: 'keep|discard', about: 'keep the local edits, or discard them (a copy is kept)', vouches: true },
  answers: { value: '<file>', about: 'prepared answers: a YAML or JSON map of decision to text', vouches: true },
  wait: { about: 'when rate-limited, wait until the limit resets' },
  'accept-state': { about: 'adopt a state file without a journal (a fresh clone)', vouches: true },
  'accept-sandbox': { about: 'continue in a weaker sandbox than before', vouches: true },
  'share-tree': { about: 'work in a checkout in which another unfinished run writes', vouches: true },
  trust: trustFlag,
  force: { about: 'take over the lock of a process on another host', vouches: true },
};

const runVerbs: readonly OwnVerb[] = [
  {
    verb: 'answer',
    personOnly: 'answer a question',
    approves: true,
    about: 'Answer a question that runs wait on; alone, choose one',
    words: ['run?', 'decision?', 'answer...?'],
    flags: {
      skip: { about: 'skip the decision, if it is optional' },
      resume: { about: 'continue the run with the answer' },
    },
    examples: ['answer', 'answer add-limit revision continue --resume'],
    load: async () => (await import('./answer-command.ts')).answer,
  },
  {
    verb: 'resume',
    personOnly: 'resume a run',
    about: 'Resume a stopped run',
    words: ['run'],
    flags: {
      ...workFlags,
      budget: { value: '<name>=<number>,…', about: 'raise dispatches, tokens, cost, hours or crashes', vouches: true },
    },
    examples: ['resume add-limit', 'resume add-limit --budget dispatches=100,cost=80'],
    load: async () => (await import('./work.ts')).resume,
  },
  {
    verb: 'retry',
    personOnly: 'retry a step',
    about: 'Retry the stopped step, with another agent or a hint',
    words: ['run'],
    flags: { ...workFlags, hint: { value: '<text>', about: 'instructions for the agent' } },
    examples: ['retry add-limit --agent claude --hint "keep the old signature"'],
    load: async () => (await import('./work.ts')).resume,
  },
  onRun('pause', 'Stop a run that works in another terminal'),
  onRun('cancel', 'Cancel the current step; the run stays in its phase'),
  onRun('diff', "Show a run's changes to the work tree"),
  onRun('undo', "Undo a run's changes to the work tree"),
  ...endingVerbs,
  {
    verb: 'restore',
    personOnly: 'restore documents',
    about: 'Restore lost or damaged documents from the journal',
    words: ['run', 'path?'],
    flags: { 'dry-run': { about: 'list what can be restored; write nothing' } },
    examples: ['restore add-limit', 'restore add-limit tasks.md'],
    load: async () => (await import('./short-work.ts')).restore,
  },
  {
    verb: 'trust',
    personOnly: 'trust a repository',
    approves: true,
    about: 'Let this repository tell Pawl what to run',
    flags: {
      yes: { about: 'do not ask' },
      forget: { about: 'trust nothing of this repository any more' },
    },
    load: async () => (await import('./trusting.ts')).trust,
  },
  {
    verb: 'demo',
    about: 'Run a complete change on a sample repository',
    words: ['folder?'],
    load: async () => (await import('./demo.ts')).demo,
  },
];

/** Short work on one run; looking at it is not reserved for people. */
function onRun(verb: 'pause' | 'cancel' | 'diff' | 'undo', about: string): OwnVerb {
  const load = async () => (await import('./short-work.ts'))[verb];
  if (verb === 'diff') return { verb, about, words: ['run'], flags: pagerFlag, load };
  return { verb, about, words: ['run'], load, personOnly: `${verb} a run` };
}

const workflowVerbs: readonly OwnVerb[] = [
  {
    verb: 'show',
    about: 'Show a workflow, or the path of a run through it',
    words: ['workflow-or-run?'],
    flags: { format: { value: 'matrix|mermaid|svg|dot|json', about: 'tables (default) or a diagram' }, ...pagerFlag },
    examples: ['show change', 'show change --format svg > change.svg', 'show add-limit'],
    load: async () => (await import('./show-workflow.ts')).show,
  },
  {
    verb: 'prompt',
    about: 'Show what a role is told, and where each part is from',
    words: ['workflow', 'role', 'run?'],
    load: async () => (await import('./prompt-command.ts')).prompt,
  },
  {
    verb: 'verify',
    about: 'Prove gates, loops, budgets and the worst case',
    words: ['workflow?'],
    examples: ['verify', 'verify change --json'],
    load: async () => (await import('./verify-command.ts')).verify,
  },
  {
    verb: 'simulate',
    about: 'Estimate agent calls, cost and time by random runs',
    words: ['workflow'],
    flags: {
      runs: { value: '<number>', about: 'number of runs (default 10000)' },
      seed: { value: '<number>', about: 'seed; the same seed gives the same runs' },
      faults: { about: 'include faults of agents' },
      odds: { value: '<file>', about: 'TOML file of probabilities (create one with --save)' },
      'from-journals': { about: 'take probabilities from the runs of this repository' },
      save: { value: '<file>', about: 'write the probabilities used to a new file' },
    },
    examples: [
      'simulate change --runs 10000 --seed 7 --faults',
      'simulate change --from-journals --save odds.toml',
      'simulate change --odds odds.toml',
    ],
    load: async () => (await import('./simulate-command.ts')).simulate,
  },
  {
    verb: 'new workflow',
    personOnly: 'add a workflow',
    about: 'Create a small complete workflow, with its tests',
    words: ['name'],
    flags: { ts: { about: 'in TypeScript instead of YAML' } },
    examples: ['new workflow release-notes'],
    load: async () => (await import('./new.ts')).newOne,
  },
];

const agentVerbs: readonly OwnVerb[] = [
  {
    verb: 'init',
    personOnly: 'set up a repository',
    about: 'Set up this repository and its coding agents for Pawl',
    flags: {
      tools: { value: '<list>', about: 'claude,codex,opencode,copilot,gemini; all or none' },
      workflows: { value: '<list>', about: 'only these workflows (default: all)' },
      yes: { about: 'change existing files without asking' },
      'dry-run': { about: 'show what would be written; write nothing' },
      remove: { about: 'remove what init wrote; edited files are kept' },
    },
    examples: ['init', 'init --tools claude,codex --dry-run', 'init --remove --yes'],
    load: async () => (await import('./init.ts')).init,
  },
  {
    verb: 'mcp',
    personOnly: 'serve runs to a coding agent',
    about: 'Serve runs to your coding agent (MCP, over stdio)',
    load: async () => (await import('./mcp-command.ts')).mcp,
  },
  {
    verb: 'hook session-start',
    advisory: true,
    about: 'Tell a coding agent at its start what is being worked on',
    flags: { format: { value: 'json|text', about: 'default: json if stdin holds a SessionStart event' } },
    load: async () => (await import('./session-hook.ts')).sessionStart,
  },
];
