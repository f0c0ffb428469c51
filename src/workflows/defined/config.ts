/** What `pawl.toml` says about a project's own workflows, and what their runs may use. */

import { described, mapped, optional, orNull, record, refine, section, withDefault } from '../../schema/compound.ts';
import { amount, whole } from '../../schema/simple.ts';
import { pathsLike, runSettings } from '../run-config.ts';
import { configPath, readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import type { WorkflowDefinition } from './definition.ts';

const dollarsMax = 10_000;

export function nameOfFile(file: string): string {
  return file.slice(file.lastIndexOf('/') + 1).replace(/(?<=.)\.[^.]*$/, '');
}

/** A workflow has the name of its file: two of one name could not be told apart. */
const workflows = refine(withDefault(pathsLike('workflows/release.yaml'), []), (files) => {
  for (const [index, file] of files.entries()) {
    const first = files.slice(0, index).find((other) => nameOfFile(other) === nameOfFile(file));
    const problem = `${first} and ${file} define a workflow of the same name`;
    if (first !== undefined) return { problem, expected: 'files with different names' };
  }
  return undefined;
});

const price = mapped(
  refine(
    section({
      typical: described(optional(amount(dollarsMax)), 'USD a call'),
      most: described(optional(amount(dollarsMax)), 'USD a call, at most'),
    }),
    (given) => {
      const { typical = given.most, most = given.typical } = given;
      return typical !== undefined && most !== undefined && typical <= most
        ? undefined
        : { expected: 'typical and most, in USD a dispatch, typical no larger than most' };
    },
  ),
  ({ typical, most }) => ({ typical: typical ?? most ?? 0, most: most ?? typical ?? 0 }),
);

export const sections = {
  workflows: described(workflows, 'definitions of your own workflows'),
  limits: described(
    record(record(whole(0, 1_000))),
    '`[limits.<workflow>]` with budget = number: budgets that differ from the definition',
  ),
  prices: described(
    orNull(optional(record(price))),
    '`[prices.<role>]` with `typical` and `most` in USD: cost of an agent call, for `pawl verify` and `pawl simulate`',
  ),
};

export function readProjectConfig(files: Pick<FileView, 'read'>, roles: readonly string[] = []) {
  return readWorkflowConfig(files, { sections, roles });
}

export function settingsOf(definition: WorkflowDefinition, files: Pick<FileView, 'read'>): RunSettings {
  const { name: workflow, roles, budgets = {} } = definition;
  const { config, warnings, notes } = readProjectConfig(files, Object.keys(roles));
  const limits = { ...config.limits[workflow] };
  const known = { retries: true, ...budgets };
  const unknown = Object.keys(limits).filter((budget) => !Object.hasOwn(known, budget));
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
