/** From a command line to an exit code: finds the command, loads it, shows its problems. */

import { dispatchMarker } from '../runtime/dispatch-marker.ts';
import { bundled } from '../workflows/bundled.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import { commands, type Command } from './command-table.ts';
import { contextFor, workflowsHere } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { readCommandLine, unknownWord, type CommandSpec, type Given } from './options.ts';
import { Problem, problemText, toProblem } from './problem.ts';

export async function main(
  program: string,
  args: readonly string[],
  surfaces: readonly WorkflowSurface[] = bundled,
): Promise<number> {
  const json = args.includes('--json');
  try {
    return await route(program, args, surfaces);
  } catch (error) {
    const problem = toProblem(error);
    showProblem(problem, json);
    return problem.exitCode;
  }
}

async function route(program: string, args: readonly string[], surfaces: readonly WorkflowSurface[]): Promise<number> {
  const known = commands(program, surfaces);
  const found =
    findCommand(known, args) ?? (program === 'pawl' ? await findOwnCommand(known, args, surfaces) : undefined);
  if (!found) return showHelp(program, known, args, surfaces);
  const { command, rest } = found;
  const given = command.takesAnything ? { words: [], flags: {} } : readCommandLine(command.spec, rest);
  if (given.flags['help']) {
    const { commandHelp } = await import('./help.ts');
    process.stdout.write(commandHelp(command.spec));
    return exitCodes.done;
  }
  refuseAgents(command.spec, given);
  const run = await command.load();
  return run(given, contextFor(command.spec, surfaces));
}

/** Agents must not be able to approve: a process started for a dispatch carries its marker and is turned away. */
function refuseAgents({ personOnly, flags }: CommandSpec, given: Given): void {
  if (process.env[dispatchMarker] === undefined) return;
  const vouching = Object.keys(given.flags).find((name) => flags[name]?.vouches);
  const what = personOnly ?? (vouching === undefined ? undefined : `use --${vouching}`);
  if (what === undefined) return;
  throw new Problem('AgentNotAllowed', `an agent may not ${what}; only a person may`, {
    exitCode: exitCodes.not_ready,
    fix: 'leave it to the person who runs Pawl',
  });
}

/** A workflow of the project has commands of its own; looked for only where no other command fits. */
async function findOwnCommand(
  known: readonly Command[],
  args: readonly string[],
  surfaces: readonly WorkflowSurface[],
): Promise<ReturnType<typeof findCommand>> {
  const [first = ''] = args;
  if (!/^[a-z][a-z0-9_-]*$/.test(first) || isGroup(known, first)) return undefined;
  const { ownCommands } = await import('./workflows.ts');
  const own = await ownCommands(first, workflowsHere(surfaces));
  const found = findCommand(own, args);
  if (found || own.length === 0) return found;
  const [, verb] = args;
  const verbs = own.map(({ path }) => path[1] ?? '');
  if (verb !== undefined && !verb.startsWith('-')) throw unknownWord('command', verb, verbs, `pawl ${first}`);
  const { programHelp } = await import('./help.ts');
  return { command: helpCommand(programHelp('pawl', own)), rest: [] };
}

function helpCommand(text: string): Command {
  return {
    path: [],
    group: '',
    spec: { name: 'pawl', about: '', words: [], flags: {} },
    takesAnything: true,
    load: () =>
      Promise.resolve(() => {
        process.stdout.write(text);
        return Promise.resolve(exitCodes.done);
      }),
  };
}

function isGroup(known: readonly Command[], word: string): boolean {
  return known.some(({ path }) => path.length > 1 && path[0] === word);
}

/** The longest name that matches the first words. */
function findCommand(
  known: readonly Command[],
  args: readonly string[],
): { command: Command; rest: readonly string[] } | undefined {
  const matches = known
    .map((command) => ({ command, words: command.path }))
    .filter(({ words }) => words.every((word, index) => args[index] === word))
    .toSorted((left, right) => right.words.length - left.words.length);
  const [best] = matches;
  return best && { command: best.command, rest: args.slice(best.words.length) };
}

async function showHelp(
  program: string,
  known: readonly Command[],
  args: readonly string[],
  surfaces: readonly WorkflowSurface[],
): Promise<number> {
  const { programHelp } = await import('./help.ts');
  const words = args.filter((arg) => !arg.startsWith('-'));
  const groups = new Set(known.filter(({ path }) => path.length > 1).map(({ path }) => path[0] ?? ''));
  const [first, second] = words;
  if (first === undefined || first === 'help' || (groups.has(first) && second === undefined)) {
    const asked = args.length === 0 || args.includes('--help') || args.includes('-h') || first === 'help';
    if (!asked && args.includes('--json')) {
      throw new Problem('UsageError', 'no command is named', { fix: `${[program, ...words].join(' ')} --help` });
    }
    const ofGroup = first !== undefined && groups.has(first) ? known.filter(({ path }) => path[0] === first) : null;
    const own = program === 'pawl' && !ofGroup ? (await import('./workflows.ts')).ownNames(surfaces) : [];
    (asked ? process.stdout : process.stderr).write(programHelp(program, ofGroup ?? known, { own, surfaces }));
    return asked ? exitCodes.done : exitCodes.usage;
  }
  if (groups.has(first)) {
    const verbs = known.filter(({ path }) => path[0] === first).map(({ path }) => path[1] ?? '');
    throw unknownWord('command', second ?? '', verbs, `${program} ${first}`);
  }
  throw unknownWord(
    'command',
    first,
    known.map(({ path }) => path[0] ?? ''),
    program,
  );
}

function showProblem(problem: Problem, json: boolean): void {
  process.stderr.write(problemText(problem));
  if (json)
    process.stdout.write(
      `${JSON.stringify({ outcome: 'error', exitCode: problem.exitCode, diagnostics: [problem.diagnostic] })}\n`,
    );
}
