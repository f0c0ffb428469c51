/** What `pawl.toml` says about a project's own workflows, and what their runs may use. */

import { mapped, optional, orNull, record, refine, section, withDefault } from '../../schema/compound.ts';
import { amount, whole } from '../../schema/simple.ts';
import { paths, runSettings } from '../run-config.ts';
import { configPath, readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import type { WorkflowDefinition } from './definition.ts';
import { nameOfFile } from './paths.ts';

const limitMax = 1_000;
const dollarsMax = 10_000;

/** A workflow is known by the name of its file: two of one name could not be told apart. */
const workflows = refine(withDefault(paths, []), (files) => {
  const twin = files.find((file, index) => files.findIndex((other) => nameOfFile(other) === nameOfFile(file)) < index);
  const first = files.find((file) => twin !== undefined && nameOfFile(file) === nameOfFile(twin));
  if (twin === undefined) return undefined;
  return {
    problem: `${first} and ${twin} define a workflow of the same name`,
    expected: 'files with different names',
  };
});

const price = mapped(
  refine(section({ typical: optional(amount(dollarsMax)), most: optional(amount(dollarsMax)) }), (given) => {
    const { typical = given.most, most = given.typical } = given;
    return typical !== undefined && most !== undefined && typical <= most
      ? undefined
      : { expected: 'typical and most, in USD a dispatch, typical no larger than most' };
  }),
  ({ typical, most }) => ({ typical: typical ?? most ?? 0, most: most ?? typical ?? 0 }),
);

const sections = {
  /** Files that define workflows, each named after its workflow. */
  workflows,
  /** Workflow → budget → limit, where they differ from the definition. */
  limits: record(record(whole(0, limitMax))),
  /** What a dispatch of a role costs in USD; null when nobody said. */
  prices: orNull(optional(record(price))),
};

/** Throws a DocumentError that names every wrong value. */
export function readProjectConfig(files: Pick<FileView, 'read'>, roles: readonly string[] = []) {
  return readWorkflowConfig(files, { sections, roles });
}

export function settingsOf(
  { name: workflow, roles, budgets = {} }: WorkflowDefinition,
  files: Pick<FileView, 'read'>,
): RunSettings {
  const { config, warnings, notes } = readProjectConfig(files, Object.keys(roles));
  const limits = { ...config.limits[workflow] };
  const unknown = Object.keys(limits).filter((budget) => !Object.hasOwn(budgets, budget) && budget !== 'retries');
  const ignored = unknown.map((budget) => ({
    file: configPath,
    message: `${configPath}: ${workflow} has no budget "${budget}"; its limit is ignored`,
  }));
  return {
    ...runSettings(config, Object.keys(roles)),
    limits: Object.fromEntries(Object.entries(limits).filter(([budget]) => !unknown.includes(budget))),
    warnings: [...warnings, ...ignored],
    notes,
  };
}
