/** What `--help` prints: an example first, then everything there is. */

import { bundled } from '../workflows/bundled.ts';
import type { Flags, WorkflowSurface } from '../workflows/surface.ts';
import type { Command } from './command-table.ts';
import { exitCodes } from './exit-codes.ts';
import { commonFlags, usageOf, type CommandSpec } from './options.ts';
import { styleOf } from './show/screen.ts';
import { aligned, widthOf } from './show/text.ts';

/** `own`: names of the project's own workflows. */
export function programHelp(
  program: string,
  commands: readonly Command[],
  { own = [], surfaces = bundled }: { own?: readonly string[]; surfaces?: readonly WorkflowSurface[] } = {},
): string {
  const listed = withoutAliases(commands.filter(({ spec }) => spec.about !== ''));
  const groups = [...new Set(listed.map(({ group }) => group))];
  const sections = [
    section('For example', examplesOf(program, listed)),
    ...groups.map((group) =>
      section(titleOf(group, surfaces), usageRows(listed.filter((command) => command.group === group))),
    ),
    ...(own.length > 0
      ? [
          section(
            'Workflows of this project',
            own.map((name) => `pawl ${name}`),
          ),
        ]
      : []),
    section('With every command', aligned(flagRows(commonFlags))),
    section('Exit codes', aligned(exitCodeRows())),
  ];
  const about = `${program} runs AI coding agents through gated workflows that survive any interruption.`;
  return `${[about, ...sections].join('\n\n')}\n\n${program} <command> --help says more about a command; ${program} --version names the version.\n`;
}

export function commandHelp(spec: CommandSpec): string {
  const flags = { ...spec.flags, ...commonFlags };
  const sections = [
    `${usageOf(spec)} [flags]`,
    ...(spec.about === '' ? [] : [spec.about]),
    section('Flags', aligned(flagRows(flags))),
    ...(spec.examples?.length ? [section('Examples', spec.examples)] : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

/** Older spellings of a command are understood, not listed. */
function withoutAliases(commands: readonly Command[]): Command[] {
  return commands.filter(({ spec }, index) => commands.findIndex((other) => other.spec.about === spec.about) === index);
}

function examplesOf(program: string, commands: readonly Command[]): string[] {
  const demo = commands.filter(({ path }) => path.join(' ') === 'demo').map(({ spec }) => spec.name);
  const examples = commands.flatMap(({ spec }) => spec.examples ?? []);
  const shown = [...demo, ...examples.slice(0, 2), ...examples.filter((one) => one.includes(' resume ')).slice(0, 1)];
  return shown.length > 0 ? shown : [`${program} --help`];
}

function titleOf(group: string, surfaces: readonly WorkflowSurface[]): string {
  const own: Readonly<Record<string, string>> = {
    runs: 'Runs, to look at, answer, go on with or take back',
    workflows: 'Workflows, to see, to prove, to play and to make your own',
  };
  return surfaces.find(({ name }) => name === group)?.title ?? own[group] ?? group;
}

function usageRows(commands: readonly Command[]): string[] {
  const rows = commands.map(({ spec }) => [usageOf(spec), spec.about]);
  return aligned(rows);
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, { value, about }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    about,
  ]);
}

function exitCodeRows(): string[][] {
  return Object.entries(exitCodes).map(([name, code]) => [String(code).padStart(3), meaningOf[name] ?? name]);
}

const meaningOf: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'wrong usage or invalid input; nothing was written',
  needs_person: 'waiting for a person',
  not_ready: 'refused: the state does not allow it yet',
  over_budget: "the run's budget is spent; resume goes on with a larger one",
  locked: 'another process is working on the run',
  unavailable: 'the agent is missing or cannot be used',
  temporary: 'a temporary problem such as a rate limit; try again later',
  interrupted: 'interrupted; resume goes on',
} satisfies Record<keyof typeof exitCodes, string>;

function section(title: string, lines: readonly string[]): string {
  const { bold } = styleOf(process.stdout);
  return [bold(`${title}:`), ...lines.map((line) => (widthOf(line) === 0 ? '' : `  ${line}`))].join('\n');
}
