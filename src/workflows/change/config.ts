/** agentd/config.toml: every setting has a default, so a missing file is as good as an empty one. */

import { isRecord } from '../../documents/fields.ts';
import { lineInToml, parseToml } from '../../documents/toml.ts';
import { agentTables, readRunConfig, runSections, type Complexity, type RunConfig } from '../run-config.ts';
import {
  amount,
  commandOrOff,
  duration,
  flag,
  name,
  oneOf,
  readTable,
  warnOfUnknown,
  whole,
  type Get,
  type Source,
} from '../../documents/settings-fields.ts';

export const roleNames = ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'] as const;
export type RoleName = (typeof roleNames)[number];

export const checkNames = ['test', 'audit', 'typecheck', 'lint'] as const;
export type CheckName = (typeof checkNames)[number];

export const workspaces = ['in-place', 'worktree'] as const;

export interface ChangeConfig extends RunConfig {
  readonly workflow: {
    readonly planningIterations: number;
    readonly implementationIterations: number;
    readonly archiveIterations: number;
    readonly sequentialImplementation: boolean;
    /** Where a new change is worked on, unless the command line says otherwise. */
    readonly workspace: (typeof workspaces)[number];
    readonly scriptRetries: number;
    readonly retryDelaySecs: number;
  };
  /** Role → agent. */
  readonly roles: Readonly<Record<RoleName, string>>;
  readonly checks: {
    /** null: found by marker files; false: switched off. */
    readonly commands: Readonly<Record<CheckName, readonly string[] | false | null>>;
    readonly timeoutMinutes: number;
  };
}

/** Throws a DocumentError at the first wrong value. */
export function readConfig(
  text: string | undefined,
  file: string,
): {
  readonly config: ChangeConfig;
  /** Roles whose agent the file names. */
  readonly chosenRoles: readonly string[];
  readonly warnings: readonly string[];
} {
  const warnings: string[] = [];
  const source: Source = { file, lineOf: (path) => lineInToml(text ?? '', path), warnings };
  const root = parseToml(text ?? '', file);
  const section = <T>(key: string, read: (get: Get) => T): T => readTable(root[key], { path: [key], source }, read);
  const roles = section('roles', readRoles);
  const agents = agentTables(Object.values(roles), sections);
  warnOfUnknown(Object.keys(root), [...sections, ...agents], { path: [], source });
  const config: ChangeConfig = {
    workflow: section('workflow', readWorkflow),
    roles,
    checks: section('checks', readChecks),
    ...readRunConfig(root, source, agents),
  };
  return { config, chosenRoles: isRecord(root['roles']) ? Object.keys(root['roles']) : [], warnings };
}

/** How much there is to think about: spec files and tasks together. */
export function complexityOf(specFiles: number, tasks: number): Complexity {
  const size = specFiles + tasks;
  if (size <= 4) return 'low';
  if (size <= 10) return 'medium';
  return size <= 20 ? 'high' : 'critical';
}

const sections = ['workflow', 'roles', 'checks', ...runSections];

const iterations = { min: 0, max: 20 };

function readWorkflow(get: Get): ChangeConfig['workflow'] {
  return {
    planningIterations: get('planning_iterations', whole(2, iterations)),
    implementationIterations: get('implementation_iterations', whole(2, iterations)),
    archiveIterations: get('archive_iterations', whole(1, iterations)),
    sequentialImplementation: get('sequential_implementation', flag(true)),
    workspace: get('workspace', oneOf(workspaces, 'in-place')),
    scriptRetries: get('script_retries', whole(3, iterations)),
    retryDelaySecs: get('retry_delay_secs', amount(5, 3600)),
  };
}

function readRoles(get: Get): ChangeConfig['roles'] {
  return {
    planner: get('planner', name('gemini')),
    challenger: get('challenger', name('codex')),
    implementer: get('implementer', name('claude')),
    reviewer: get('reviewer', name('codex')),
    archivist: get('archivist', name('claude')),
  };
}

function readChecks(get: Get): ChangeConfig['checks'] {
  return {
    commands: {
      test: get('test', commandOrOff),
      audit: get('audit', commandOrOff),
      typecheck: get('typecheck', commandOrOff),
      lint: get('lint', commandOrOff),
    },
    timeoutMinutes: get('timeout_minutes', duration(10, 1440)),
  };
}
