/** `config` and `schema`: what can be configured, what is, and where. They change nothing. */

import {
  configJsonSchema,
  configProblems,
  configSections,
  definitionJson,
  effectiveConfig,
} from '../project/configuration.ts';
import type { ConfigProblem, ConfigSection, ConfigValue } from '../project/configuration.ts';
import { findRun } from '../runs/find.ts';
import { raisableBudgets } from '../runtime/run-budgets.ts';
import { readRunState } from '../runtime/run-state.ts';
import { workspaceFiles } from '../runtime/workspace-files.ts';
import { didYouMean } from '../schema/nearest.ts';
import { findRepositoryIfAny, type CommandContext, type CommandFunction } from './context.ts';
import { accepted, exitCodes, usageError } from './problem.ts';
import { print, screenOf, type Style } from './show/screen.ts';
import { alignedWithin, jsonText, plainLine } from './show/text.ts';

export const config: CommandFunction = async ({ words: [word], flags }, context) => {
  const screen = screenOf(process.stdout);
  if (flags['keys']) {
    const sections = await configSections();
    return print(flags, { sections }, () => keyLines(sections, screen.style, screen.columns()).join('\n'));
  }
  const root = findRepositoryIfAny(process.cwd())?.root ?? null;
  const files = root === null ? { read: () => undefined } : workspaceFiles(root);
  const problems = await configProblems(files);
  const all = inEnvironment(await effectiveConfig(files));
  const chosen = word === undefined ? all : forRun(all, word, context);
  const values = flags['set'] ? chosen.filter(({ origin }) => origin !== 'default') : chosen;
  print(flags, { values, problems }, () => valueLines(values, problems, screen.style, screen.columns()).join('\n'));
  return problems.some(({ severity }) => severity === 'error') ? exitCodes.usage : exitCodes.done;
};

/** Where a sandbox is required, a run is refused instead. */
function inEnvironment(values: readonly ConfigValue[]): readonly ConfigValue[] {
  if (process.env['PAWL_SANDBOX'] !== 'off') return values;
  return values.map((each) =>
    each.key === 'sandbox' && each.value === 'prefer' ? { ...each, value: 'off', origin: 'PAWL_SANDBOX' } : each,
  );
}

/** With the flags that a run remembers. */
function forRun(values: readonly ConfigValue[], word: string, context: CommandContext): readonly ConfigValue[] {
  const repository = context.repository();
  const key = accepted(findRun(repository, word));
  const { agent = null, raised = {} } = readRunState(repository.store, key)?.choice ?? {};
  const limits: Readonly<Record<string, number>> = raised;
  const budgets = Object.entries(raisableBudgets).map(([name, { key: limit, factor }]) => {
    const number = limits[limit];
    return [`budget.${name === 'cost' ? 'cost_usd' : name}`, number === undefined ? null : number / factor] as const;
  });
  const flags = new Map<string, number | null>(budgets.filter(([, number]) => number !== null));
  const own = values
    .filter(({ workflows }) => workflows.length === 0 || workflows.includes(nameAmong(key.workflow, workflows)))
    .map(({ workflows: _workflows, ...value }) => ({ ...value, workflows: [] }))
    .map((value) => (flags.has(value.key) ? { ...value, value: flags.get(value.key), origin: '--budget' } : value));
  return agent === null ? own : [{ key: 'roles.*', value: agent, origin: '--agent', workflows: [] }, ...own];
}

function nameAmong(workflow: string, names: readonly string[]): string {
  return names.includes(workflow) ? workflow : 'your own';
}

function valueLines(
  values: readonly ConfigValue[],
  problems: readonly ConfigProblem[],
  style: Style,
  columns: number,
): string[] {
  const rows = values.map(({ key, value, origin, workflows }) => [
    plainLine(workflows.length === 0 ? key : `${key} (${workflows.join(', ')})`),
    plainLine(value === null ? '-' : jsonText(value)),
    origin === 'default' ? style.dim(origin) : plainLine(origin),
  ]);
  const told = problems.map(({ severity, message }) => {
    const mark = severity === 'error' ? style.red(style.symbols.failed) : style.yellow('!');
    return `${mark} ${plainLine(message)}`;
  });
  const none = values.length === 0 ? ['Everything is at its default.'] : [];
  return [...none, ...alignedWithin(rows, columns), ...(told.length > 0 ? ['', ...told] : [])];
}

function keyLines(sections: readonly ConfigSection[], style: Style, columns: number): string[] {
  return sections.flatMap(({ heading, keys }, index) => [
    ...(index === 0 ? [] : ['']),
    ...(heading === null ? [] : [style.bold(heading)]),
    ...alignedWithin(
      keys.map(({ key, value, default: otherwise, meaning }) => {
        const shown = otherwise === null ? '' : ` (default ${jsonText(otherwise)})`;
        return [key, `${meaning.replaceAll('`', '')}: ${value.replaceAll('`', '')}${shown}`];
      }),
      columns,
    ),
  ]);
}

export const schema: CommandFunction = async ({ words: [word = ''] }) => {
  const make = Object.hasOwn(schemas, word) ? schemas[word] : undefined;
  const known = Object.keys(schemas);
  if (!make)
    throw usageError(`no schema is named "${word}"${didYouMean(word, known)}`, `pawl schema ${known.join('|')}`);
  return print({}, null, jsonText(await make(), 2));
};

const schemas: Readonly<Record<string, () => Promise<object>>> = {
  config: configJsonSchema,
  workflow: () => Promise.resolve(definitionJson()),
  script: async () => (await import('../agents/scripted/turn.ts')).scriptJson(),
};
