/**
 * The configuration of `change`: pawl.toml, and agentd/config.toml with [workflow] for [change].
 * Every key has a default, so a missing file is the same as an empty one.
 */

import { choose, mapped, optional, orNull, section, withDefault } from '../../schema/compound.ts';
import { amount, duration, exactly, flag, oneOf, whole } from '../../schema/simple.ts';
import { isRecord } from '../../schema/values.ts';
import { command, runSettings, type Complexity } from '../run-config.ts';
import { readWorkflowConfig } from '../workflow-config.ts';
import type { FileView, RunSettings } from '../workflow.ts';
import { olderConfigPath } from './change-paths.ts';
import { roleNames } from './surface.ts';

export const checkNames = ['test', 'audit', 'typecheck', 'lint'] as const;
export type CheckName = (typeof checkNames)[number];

const iterations = whole(0, 20);

const change = section({
  planningIterations: withDefault(iterations, 2),
  implementationIterations: withDefault(iterations, 2),
  archiveIterations: withDefault(iterations, 1),
  sequentialImplementation: withDefault(flag(), true),
  workspace: withDefault(oneOf(['in-place', 'worktree']), 'in-place'),
  scriptRetries: withDefault(iterations, 3),
  retryDelaySecs: optional(amount(3600)),
});

/** Null: found by marker files; false: switched off. */
const checkCommand = orNull(
  choose<readonly string[] | false>((value) =>
    typeof value === 'boolean'
      ? exactly(false, 'a command such as ["npm", "test"], or false to switch it off')
      : command,
  ),
);

const checks = mapped(
  section({
    test: checkCommand,
    audit: checkCommand,
    typecheck: checkCommand,
    lint: checkCommand,
    timeoutMinutes: withDefault(duration(1440), 10),
  }),
  ({ timeoutMinutes, ...commands }) => ({ commands, timeoutMinutes }),
);

export const sections = { change, checks };

export function readConfig(files: Pick<FileView, 'read'>) {
  const older = { path: olderConfigPath, sections: { workflow: 'change' }, translate };
  const { config, ...found } = readWorkflowConfig(files, { sections, roles: roleNames, older });
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
