/** The text of `--help`: an example first, then everything there is. */

import { bundled } from '../workflows/bundled.ts';
import type { Flags, WorkflowSurface } from '../workflows/surface.ts';
import type { Command } from './command-table.ts';
import { exitCodes } from './problem.ts';
import { commonFlags, usageOf, type CommandSpec } from './options.ts';
import { styleOf } from './show/screen.ts';
import { aligned, widthOf } from './show/text.ts';

/** `own`: names of the project's own workflows. */
export function programHelp(
  program: string,
  commands: readonly Command[],
  { own = [], surfaces = bundled }: { own?: readonly string[]; surfaces?: readonly WorkflowSurface[] } = {},
): string {
  const told = commands.filter(({ spec }) => spec.about !== '');
  // Older spellings of a command are understood, not listed.
  const listed = told.filter(({ spec }, at) => told.findIndex((other) => other.spec.about === spec.about) === at);
  const groups = [...new Set(listed.map(({ group }) => group))];
  const titles = new Map(surfaces.map(({ name, title }) => [name, title]));
  const codes = Object.entries(exitCodes).map(([name, code]) => [String(code).padStart(3), meaningOf[name] ?? name]);
  const ownRows = own.map((name) => `pawl ${name}`);
  const sections = [
    section('Examples', examplesOf(program, listed)),
    ...groups.map((group) => {
      const rows = listed.filter((command) => command.group === group).map(({ spec }) => [usageOf(spec), spec.about]);
      return section(titles.get(group) ?? ownTitles[group] ?? group, aligned(rows));
    }),
    ...(own.length > 0 ? [section('Workflows of this project', ownRows)] : []),
    section('Flags of every command', aligned(flagRows(commonFlags))),
    section('Exit codes', aligned(codes)),
  ];
  const about = `${program} runs AI coding agents through gated workflows that survive any interruption.`;
  const more = `See ${program} <command> --help for one command, ${program} --version for the version.`;
  return `${[about, ...sections, more].join('\n\n')}\n`;
}

const ownTitles: Readonly<Record<string, string>> = { runs: 'Runs', workflows: 'Workflows' };

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

/** The same as a document, for programs. */
export function helpDocument(specs: readonly CommandSpec[]): Readonly<Record<string, unknown>> {
  const told = specs.filter(({ about }) => about !== '' || specs.length === 1);
  const commands = told.map((spec) => {
    const { name, about, words, flags, examples = [] } = spec;
    return { name, usage: usageOf(spec), about, words, flags: { ...flags, ...commonFlags }, examples };
  });
  return { commands, exitCodes };
}

function examplesOf(program: string, commands: readonly Command[]): string[] {
  const demo = commands.filter(({ path }) => path.join(' ') === 'demo').map(({ spec }) => spec.name);
  const examples = commands.flatMap(({ spec }) => spec.examples ?? []);
  const shown = [...demo, ...examples.slice(0, 2), ...examples.filter((one) => one.includes(' resume ')).slice(0, 1)];
  return shown.length > 0 ? shown : [`${program} --help`];
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, { value, about }]) => [
    value === undefined ? `--${name}` : `--${name} ${value}`,
    about,
  ]);
}

const meaningOf: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'usage error or invalid input; nothing was written',
  needs_person: 'waiting for a person',
  not_ready: 'refused in the current state',
  over_budget: 'budget spent; resume with a larger one',
  locked: 'locked: another process works on the run',
  unavailable: 'agent unavailable',
  temporary: 'temporary failure, such as a rate limit; retry later',
  interrupted: 'interrupted; resume continues',
} satisfies Record<keyof typeof exitCodes, string>;

function section(title: string, lines: readonly string[]): string {
  const { bold } = styleOf(process.stdout);
  return [bold(`${title}:`), ...lines.map((line) => (widthOf(line) === 0 ? '' : `  ${line}`))].join('\n');
}
