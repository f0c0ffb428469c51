/**
 * The configuration of `change`: pawl.toml, and agentd/config.toml with [workflow] for [change].
 * Every key has a default, so a missing file is the same as an empty one.
 */

import { described, optional, section, withDefault } from '../../schema/compound.ts';
import { amount, flag, oneOf, whole } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import { checks } from '../project-checks.ts';
import { runSettings, type Complexity } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { olderConfigPath } from './change-paths.ts';
import { roleNames } from './surface.ts';

const iterations = whole(0, 20);

const change = described(
  section({
    planningIterations: described(withDefault(iterations, 2), 'revisions of a plan before a person decides'),
    implementationIterations: described(withDefault(iterations, 2), 'fixes of reviewed code before a person decides'),
    archiveIterations: described(withDefault(iterations, 1), 'further merges after a merge was not approved'),
    sequentialImplementation: described(
      withDefault(flag(), true),
      'one agent call per spec, instead of one for all tasks',
    ),
    workspace: described(withDefault(oneOf(['in-place', 'worktree']), 'in-place'), 'where new changes are worked on'),
    scriptRetries: described(withDefault(iterations, 3), 'further attempts at an agent call that came to nothing'),
    retryDelaySecs: described(optional(amount(3600)), 'as the key of the same name at the top, for `change` only'),
  }),
  'In `agentd/config.toml` this section is `[workflow]`.',
);

export const format = {
  sections: { change, checks },
  roles: roleNames,
  older: { path: olderConfigPath, sections: { workflow: 'change' }, translate },
};

export function readConfig(files: Pick<FileView, 'read'>) {
  const { config, ...found } = readWorkflowConfig(files, format);
  const { retryDelaySecs } = config;
  return { config: { ...config, change: { retryDelaySecs, ...config.change } }, ...found };
}

/** Keys of a model as agentd wrote them, and those of today. */
const modelKeys: Readonly<Record<string, string>> = {
  model: 'name',
  complexity: 'max_complexity',
  cost_per_1m_input: 'price_input',
  cost_per_1m_output: 'price_output',
};
/** Keys of agentd that Pawl has no use for: at the top, in [workflow], of an agent, of a model. */
const unusedKeys = {
  top: ['project_name', 'scripts_dir', 'validation', 'knowledge'],
  workflow: ['format_iterations'],
  agent: ['default'],
  model: ['id', 'reasoning'],
};

/** agentd/config.toml as agentd itself wrote it. */
function translate(document: Readonly<Record<string, unknown>>) {
  const unused = new Set<string>();
  const without = (table: Readonly<Record<string, unknown>>, keys: readonly string[], where: string) =>
    Object.entries(table).filter(([key]) => {
      if (keys.includes(key)) unused.add(`${where}${key}`);
      return !keys.includes(key);
    });
  const asModel = (model: unknown): unknown => {
    if (!isRecord(model) || !('model' in model)) return model;
    const kept = without(model, unusedKeys.model, 'models.');
    return Object.fromEntries(kept.map(([key, value]) => [modelKeys[key] ?? key, value]));
  };
  const translated = without(document, unusedKeys.top, '').map(([key, value]) => {
    if (!isRecord(value)) return [key, value] as const;
    if (key === 'workflow') return [key, Object.fromEntries(without(value, unusedKeys.workflow, 'workflow.'))] as const;
    const { models } = value;
    if (!Array.isArray(models)) return [key, value] as const;
    const agent = Object.fromEntries(without(value, unusedKeys.agent, "agents' "));
    return [key, { ...agent, models: models.map(asModel) }] as const;
  });
  return { document: Object.fromEntries(translated), unused: [...unused] };
}

export function settingsOf(files: Pick<FileView, 'read'>): RunSettings {
  const { config, ...found } = readConfig(files);
  const { retryDelaySecs, ...own } = config.change;
  return {
    ...runSettings({ ...config, retryDelaySecs }, roleNames),
    limits: {
      planning: own.planningIterations,
      implementation: own.implementationIterations,
      archiving: own.archiveIterations,
      retries: own.scriptRetries,
    },
    ownWorktree: own.workspace === 'worktree',
    ...found,
  };
}

export function complexityOf(specFiles: number, tasks: number): Complexity {
  const size = specFiles + tasks;
  if (size <= 4) return 'low';
  if (size <= 10) return 'medium';
  return size <= 20 ? 'high' : 'critical';
}
