/**
 * The configuration of `change`: pawl.toml, and agentd/config.toml with [workflow] for [change].
 * Every key has a default, so a missing file is the same as an empty one.
 */

import { choose, mapped, optional, orNull, section, withDefault } from '../../schema/compound.ts';
import { amount, duration, exactly, flag, oneOf, whole } from '../../schema/simple.ts';
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
  const older = { path: olderConfigPath, sections: { workflow: 'change' } };
  const { config, ...found } = readWorkflowConfig(files, { sections, roles: roleNames, older });
  const { retryDelaySecs } = config;
  return { config: { ...config, change: { retryDelaySecs, ...config.change } }, ...found };
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
