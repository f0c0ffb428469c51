/** The text of `--help`: an example first, then everything there is. */

import { bundled } from '../workflows/bundled.ts';
import type { Flags, WorkflowSurface } from '../workflows/surface.ts';
import type { Command } from './command-table.ts';
import { exitCodes } from './problem.ts';
import { commonFlags, usageOf, type CommandSpec } from './options.ts';
import { screenOf, styleOf } from './show/screen.ts';
import { alignedWithin, widthOf, wrapped } from './show/text.ts';

/** `own`: names of the project's own workflows. Of a program with several groups, commands are named only. */
export function programHelp(
  program: string,
  commands: readonly Command[],
  { own = [], surfaces = bundled }: { own?: readonly string[]; surfaces?: readonly WorkflowSurface[] } = {},
): string {
  const told = commands.filter(({ spec }) => spec.about !== '');
  // Older spellings of a command are understood, not listed.
  const listed = told.filter(({ spec }, at) => told.findIndex((other) => other.spec.about === spec.about) === at);
  const ofGroup = (group: string) => listed.filter((command) => command.group === group);
  const groups = [...new Set(listed.map(({ group }) => group))];
  const isWhole = groups.length > 1;
  const workflows = surfaces.filter(({ name }) => groups.includes(name));
  const others = groups.filter((group) => !workflows.some(({ name }) => name === group));
  const sections = [
    section('Examples', examplesOf(program, listed)),
    ...(isWhole
      ? [
          section(`Workflows (${program} <workflow> --help explains one)`, [
            ...rows(workflows.map(({ name }) => [name, ofGroup(name).map(verbOf).join(', ')])),
            ...own.map((name) => `${name}  (of this project)`),
          ]),
          ...others.map((group) => section(ownTitles[group] ?? group, rows(ofGroup(group).map(nameAndAbout)))),
        ]
      : groups.map((group) => {
          const title = workflows.find(({ name }) => name === group)?.title ?? group;
          return section(title, rows(ofGroup(group).map(({ spec }) => [usageOf(spec), spec.about])));
        })),
    section('Flags of every command', rows(flagRows(commonFlags))),
    section(
      'Exit codes',
      wrapped(codes, helpColumns()).map((line) => line.replaceAll(unbreakable, ' ')),
    ),
  ];
  const about = `${program} runs AI coding agents through gated workflows that survive any interruption.`;
  const more = `${program} <command> --help explains one command; ${program} --version prints the version.`;
  return `${[...wrapped(about, helpColumns()), '', sections.join('\n\n'), '', ...wrapped(more, helpColumns())].join('\n')}\n`;
}

function verbOf({ path }: Command): string {
  return path.slice(1).join(' ');
}

function nameAndAbout({ path, spec }: Command): string[] {
  return [path.join(' '), spec.about];
}

const ownTitles: Readonly<Record<string, string>> = {
  runs: 'Runs',
  workflows: 'Tools for workflows',
  agents: 'Coding agents',
};

export function commandHelp(spec: CommandSpec): string {
  const flags = { ...spec.flags, ...commonFlags };
  const sections = [
    `${usageOf(spec)} [flags]`,
    ...(spec.about === '' ? [] : [spec.about]),
    section('Flags', rows(flagRows(flags))),
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
  return { commands, exitCodes, meanings: meaningOf };
}

function examplesOf(program: string, commands: readonly Command[]): string[] {
  const demo = commands.filter(({ path }) => path.join(' ') === 'demo').map(({ spec }) => spec.name);
  const examples = commands.flatMap(({ spec }) => spec.examples ?? []);
  const shown = [...demo, ...examples.slice(0, 2), ...examples.filter((one) => one.includes(' resume ')).slice(0, 1)];
  return shown.length > 0 ? shown : [`${program} --help`];
}

function flagRows(flags: Flags): string[][] {
  return Object.entries(flags).map(([name, { value, about, short }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    about,
  ]);
}

const meaningOf: Readonly<Record<string, string>> = {
  done: 'done',
  failed: 'failed',
  usage: 'usage error',
  needs_person: 'waiting for a person',
  not_ready: 'refused in the current state',
  over_budget: 'budget spent',
  locked: 'run locked by another process',
  unavailable: 'agent unavailable',
  temporary: 'temporary failure',
  interrupted: 'interrupted',
} satisfies Record<keyof typeof exitCodes, string>;

const unbreakable = '\u00A0';
const codes = Object.entries(exitCodes)
  .map(([name, code]) => `${code} ${meaningOf[name] ?? name}`.replaceAll(' ', unbreakable))
  .join(', ');

/** Within the terminal, without the indentation of a section. */
function helpColumns(): number {
  return Math.min(helpColumnsMax, screenOf(process.stdout).columns() - 1) - 2;
}

const helpColumnsMax = 100;

function rows(cells: readonly (readonly string[])[]): string[] {
  return alignedWithin(cells, helpColumns());
}

function section(title: string, lines: readonly string[]): string {
  const { bold } = styleOf(process.stdout);
  return [bold(`${title}:`), ...lines.map((line) => (widthOf(line) === 0 ? '' : `  ${line}`))].join('\n');
}
