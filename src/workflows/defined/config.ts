/** `pawl.toml`: what a project adds to Pawl (workflows of its own), and what their runs may use. */

import { DocumentError } from '../../documents/document-error.ts';
import { isRecord } from '../../documents/fields.ts';
import {
  amount,
  name,
  paths,
  readTable,
  warnOfUnknown,
  whole,
  wrong,
  type Field,
  type Source,
} from '../../documents/settings-fields.ts';
import { lineInToml, parseToml } from '../../documents/toml.ts';
import { bundledSections } from '../bundled.ts';
import { agentTables, readRunConfig, runSections, runSettings, type RunConfig } from '../run-config.ts';
import type { RunSettings } from '../workflow.ts';
import type { WorkflowDefinition } from './definition.ts';
import { configPath, nameOfFile } from './paths.ts';

export interface ProjectConfig extends RunConfig {
  /** Files that define workflows, each named after its workflow. */
  readonly workflows: readonly string[];
  /** Role → agent, for all workflows of the project. */
  readonly roles: Readonly<Record<string, string>>;
  /** Workflow → budget → limit, where they differ from the definition. */
  readonly limits: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** What a dispatch of a role costs in USD; null when nobody said. */
  readonly prices: Readonly<Record<string, { readonly typical: number; readonly most: number }>> | null;
  readonly retryDelaySecs: number;
}

/** Bundled workflows have sections of their own in the same file. */
const sections = ['workflows', 'roles', 'limits', 'prices', 'retry_delay_secs', ...bundledSections, ...runSections];

/** Throws a DocumentError at the first wrong value. */
export function readProjectConfig(text: string | undefined): {
  readonly config: ProjectConfig;
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const source: Source = { file: configPath, lineOf: (path) => lineInToml(text ?? '', path), warnings };
  const root = parseToml(text ?? '', configPath);
  const roles = eachOf(name())(root['roles'], ['roles'], source);
  const agents = agentTables(Object.values(roles), sections);
  warnOfUnknown(Object.keys(root), [...sections, ...agents], { path: [], source });
  const config: ProjectConfig = {
    workflows: filesOfWorkflows(root['workflows'], ['workflows'], source),
    roles,
    limits: eachOf(eachOf(whole(0, { min: 0, max: limitMax })))(root['limits'], ['limits'], source),
    prices: root['prices'] === undefined ? null : eachOf(price)(root['prices'], ['prices'], source),
    retryDelaySecs: amount(5, 3600)(root['retry_delay_secs'], ['retry_delay_secs'], source),
    ...readRunConfig(root, source, agents),
  };
  return { config, warnings };
}

export function settingsOf(
  { name: workflow, roles, budgets = {} }: WorkflowDefinition,
  text: string | undefined,
): RunSettings {
  const { config, warnings } = readProjectConfig(text);
  const limits = { ...config.limits[workflow] };
  const unknown = Object.keys(limits).filter((budget) => !Object.hasOwn(budgets, budget) && budget !== 'retries');
  return {
    agents: Object.fromEntries(
      Object.entries(roles).map(([role, { agent = 'claude' }]) => [
        role,
        Object.hasOwn(config.roles, role) ? (config.roles[role] ?? agent) : agent,
      ]),
    ),
    chosenRoles: Object.keys(config.roles),
    limits: Object.fromEntries(Object.entries(limits).filter(([budget]) => !unknown.includes(budget))),
    retryDelayMs: config.retryDelaySecs * 1_000,
    ...runSettings(config),
    warnings: [
      ...warnings,
      ...unknown.map((budget) => `${configPath}: ${workflow} has no budget "${budget}"; its limit is ignored`),
    ],
  };
}

const limitMax = 1_000;
const dollarsMax = 10_000;

/** A workflow is known by the name of its file: two of one name could not be told apart. */
const filesOfWorkflows: Field<readonly string[]> = (value, path, source) => {
  const files = paths(value, path, source);
  for (const [index, file] of files.entries()) {
    const earlier = files.slice(0, index).find((other) => nameOfFile(other) === nameOfFile(file));
    if (earlier === undefined) continue;
    const problem = `${earlier} and ${file} define a workflow of the same name`;
    throw new DocumentError({ file: source.file, line: source.lineOf(path) }, problem, 'files with different names');
  }
  return files;
};

/** A table whose keys are names of the user's own. */
function eachOf<T>(field: Field<T>): Field<Readonly<Record<string, T>>> {
  return (value = {}, path, source) => {
    if (!isRecord(value)) throw wrong(value, 'a table', path, source);
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, field(each, [...path, key], source)]));
  };
}

const price: Field<{ readonly typical: number; readonly most: number }> = (value, path, source) => {
  const { typical, most } = readTable(value, { path, source }, (get) => ({
    typical: get('typical', amount(null, dollarsMax)),
    most: get('most', amount(null, dollarsMax)),
  }));
  const known = { typical: typical ?? most, most: most ?? typical };
  if (known.typical === null || known.most === null || known.typical > known.most)
    throw wrong(value, 'typical and most, in USD a dispatch, typical no larger than most', path, source);
  return { typical: known.typical, most: known.most };
};
