/** From a command line to an exit code: finds the command, loads it, shows its problems. */

import { chosenNames } from '../agents/role-choice.ts';
import { notReady } from '../runs/refusal.ts';
import { bundled } from '../workflows/bundled.ts';
import type { CommandInput } from '../workflows/surface.ts';
import { commands, type Command } from './command-table.ts';
import { contextFor, findRepositoryIfAny, workflowsHere } from './context.ts';
import { exitCodes, Problem, problemText, toProblem, usageError, type Diagnostic } from './problem.ts';
import { speakAs } from './program-name.ts';
import { readCommandLine, unknownWord, type CommandSpec } from './options.ts';
import { ignoreOutputErrors, print, screenOf } from './show/screen.ts';
import { jsonText, plainText } from './show/text.ts';
import type { Surfaces } from './workflows.ts';

export async function main(program: string, args: readonly string[], surfaces: Surfaces = bundled): Promise<number> {
  speakAs(program, surfaces);
  for (const stream of [process.stdout, process.stderr]) screenOf(stream);
  try {
    return await route(program, meantBy(program, args), surfaces);
  } catch (error) {
    const problem = toProblem(error);
    const { exitCode, diagnostic } = problem;
    screenOf(process.stderr).write(problemText(problem));
    const document = errorDocument(program, exitCode, diagnostic);
    if (args.includes('--json')) screenOf(process.stdout).write(`${jsonText(document)}\n`);
    return exitCode;
  }
}

/** With the keys of every result, so that a script need not tell them apart first. */
function errorDocument(program: string, exitCode: number, diagnostic: Diagnostic) {
  const { fix } = diagnostic;
  const next = fix !== null && new RegExp(`^(?:pawl|git|${program}) `).test(fix) ? fix : null;
  return { action: 'refused', outcome: 'error', exitCode, phase: null, verdict: null, next, diagnostics: [diagnostic] };
}

/** What people type: `pawl` alone in a repository, `pawl help <command>`. */
function meantBy(program: string, args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === 'help' && rest.some((arg) => !arg.startsWith('-'))) return [...rest, '--help'];
  const isBare = args.every((arg) => arg.startsWith('-')) && !asksForHelp(args);
  return program === 'pawl' && isBare && findRepositoryIfAny(process.cwd()) ? ['status', ...args] : args;
}

/** Words of other tools for commands of ours; a project's own workflow may have such a name. */
const otherNames: Readonly<Record<string, string>> = { list: 'runs', ls: 'runs' };

async function route(program: string, args: readonly string[], surfaces: Surfaces): Promise<number> {
  const known = await knownCommands(program, args, surfaces).catch((error: unknown) => {
    if (!asksForHelp(args)) throw error;
    return toProblem(error);
  });
  if (known instanceof Problem) {
    // Nobody can tell what the words mean; the help that there is does not depend on the project.
    const flags = args.filter((arg) => arg.startsWith('-'));
    return showHelp(program, commands(program, surfaces), flags, { surfaces, unread: known.message });
  }
  const command = findCommand(known, args);
  const [first = '', ...rest] = args;
  const other = program === 'pawl' && Object.hasOwn(otherNames, first) ? otherNames[first] : undefined;
  if (!command && other !== undefined) return route(program, [other, ...rest], surfaces);
  if (!command) return showHelp(program, known, args, { surfaces });
  if (command.spec.advisory && !asksForHelp(args)) return advise(command, args, surfaces);
  const { spec, path, takesAnything } = command;
  const given = takesAnything ? { words: [], flags: {} } : readCommandLine(spec, args.slice(path.length));
  if (given.flags['help']) {
    const { commandHelp, helpDocument } = await import('./help.ts');
    return print(given.flags, helpDocument([spec]), commandHelp(spec).trimEnd());
  }
  await refuseAgents(spec, given);
  const run = await command.load();
  return run(given, contextFor(spec, surfaces));
}

/** A mistake in the command line is told, for whoever set it up; nothing else is. */
async function advise({ spec, path, load }: Command, args: readonly string[], surfaces: Surfaces): Promise<number> {
  ignoreOutputErrors();
  try {
    const given = readCommandLine(spec, args.slice(path.length));
    await (
      await load()
    )(given, contextFor(spec, surfaces));
  } catch (error) {
    if (error instanceof Problem) screenOf(process.stderr).write(problemText(error));
  }
  return exitCodes.done;
}

/** A workflow of the project has commands of its own; looked for only where no other command fits. */
async function knownCommands(
  program: string,
  args: readonly string[],
  surfaces: Surfaces,
): Promise<readonly Command[]> {
  const known = commands(program, surfaces);
  const [first = ''] = args;
  const mayBeOwn = program === 'pawl' && first !== 'help' && /^[a-z][a-z0-9_-]*$/.test(first);
  if (!mayBeOwn || known.some(({ path }) => path[0] === first)) return known;
  const { ownCommands } = await import('./workflows.ts');
  const own = await ownCommands(first, workflowsHere(surfaces));
  return own.length > 0 ? own : known;
}

function findCommand(known: readonly Command[], args: readonly string[]): Command | undefined {
  return known
    .filter(({ path }) => path.every((word, index) => args[index] === word))
    .toSorted((left, right) => right.path.length - left.path.length)[0];
}

/** An agent that Pawl started only looks; no agent approves. */
async function refuseAgents({ personOnly, approves, flags }: CommandSpec, given: CommandInput): Promise<void> {
  const vouching = Object.entries(given.flags)
    .filter(([name, value]) => {
      const vouches = flags[name]?.vouches ?? [];
      return vouches === true || chosenNames(String(value)).some((each) => vouches.includes(each));
    })
    .map((use) => `--${useOf(use, flags)}`);
  if (personOnly === undefined && vouching.length === 0) return;
  const caller = (await import('./calling-agent.ts')).callingAgent();
  if (caller === null) return;
  const approval = approves ? personOnly : vouching.length > 0 ? `use ${vouching.join(', ')}` : undefined;
  const what = approval ?? (caller === 'dispatched' ? personOnly : undefined);
  if (what === undefined) return;
  const message = `an agent may not ${what}; only a person may`;
  throw new Problem(notReady('AgentNotAllowed', message, 'leave it to a person, in a terminal of their own'));
}

function useOf([name, value]: readonly [string, string | true], flags: CommandSpec['flags']): string {
  return flags[name]?.vouches === true ? name : `${name} ${value}`;
}

function asksForHelp(args: readonly string[]): boolean {
  return args.includes('--help') || args.includes('-h');
}

async function ownWorkflows(program: string, isGroup: boolean, surfaces: Surfaces) {
  if (program !== 'pawl' || isGroup) return { names: [], problem: null };
  return (await import('./workflows.ts')).ownNames(surfaces);
}

async function showHelp(
  program: string,
  known: readonly Command[],
  args: readonly string[],
  { surfaces, unread }: { readonly surfaces: Surfaces; readonly unread?: string },
): Promise<number> {
  const { helpDocument, programHelp } = await import('./help.ts');
  const words = args.filter((arg) => !arg.startsWith('-'));
  const [first = 'help', second] = words;
  const ofGroup = known.filter(({ path }) => path.length > 1 && path[0] === first);
  const isGroup = ofGroup.length > 0;
  if (first !== 'help' && !isGroup) {
    const names = known.map(({ path }) => path[0] ?? '');
    throw unknownWord('command', first, names, program);
  }
  if (isGroup && second !== undefined) {
    const verbs = ofGroup.map(({ path }) => path[1] ?? '');
    throw unknownWord('command', second, verbs, `${program} ${first}`);
  }
  // The name of a project's workflow alone asks for help.
  const isOwn = isGroup && ofGroup.length === known.length;
  const asked = args.length === 0 || isOwn || asksForHelp(args) || words[0] === 'help';
  if (!asked && args.includes('--json'))
    throw usageError('no command is named', `${[program, ...words].join(' ')} --help`);
  const { names: own, problem } = await ownWorkflows(program, isGroup, surfaces);
  const warning = unread ?? problem;
  if (warning !== null) screenOf(process.stderr).write(`warning: ${plainText(warning)}\n`);
  const shown = isGroup ? ofGroup : known;
  if (asked && args.includes('--json')) return print({ json: true }, helpDocument(shown.map(({ spec }) => spec)), '');
  const help = programHelp(program, shown, { own, surfaces });
  screenOf(asked ? process.stdout : process.stderr).write(help);
  return asked ? exitCodes.done : exitCodes.usage;
}
