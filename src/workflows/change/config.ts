/** agentd/config.toml: every setting has a default, so a missing file is as good as an empty one. */

import { parseToml } from '../../documents/toml.ts';
import {
  amount,
  command,
  commandOrOff,
  duration,
  flag,
  name,
  oneOf,
  readTable,
  tables,
  warnOfUnknown,
  whole,
  type Get,
  type Source,
} from './config-fields.ts';

export const complexities = ['low', 'medium', 'high', 'critical'] as const;
export type Complexity = (typeof complexities)[number];

export const roleNames = ['planner', 'challenger', 'implementer', 'reviewer', 'archivist'] as const;
export type RoleName = (typeof roleNames)[number];

export const checkNames = ['test', 'audit', 'typecheck', 'lint'] as const;
export type CheckName = (typeof checkNames)[number];

export interface ModelConfig {
  readonly name: string;
  /** The most complex change it is good for. */
  readonly maxComplexity: Complexity;
  /** USD per million tokens; null when nobody said. */
  readonly priceInput: number | null;
  readonly priceOutput: number | null;
}

export interface AgentConfig {
  /** Program and arguments to start it with; null for its usual name. */
  readonly command: readonly string[] | null;
  readonly models: readonly ModelConfig[];
}

export interface ChangeConfig {
  readonly workflow: {
    readonly planningIterations: number;
    readonly implementationIterations: number;
    readonly archiveIterations: number;
    readonly sequentialImplementation: boolean;
    readonly scriptRetries: number;
    readonly retryDelaySecs: number;
  };
  /** Role → agent. */
  readonly roles: Readonly<Record<RoleName, string>>;
  readonly budget: {
    readonly dispatches: number;
    readonly tokens: number;
    readonly costUsd: number;
    readonly hours: number;
    /** What a dispatch counts when its usage is not known. */
    readonly unknownTokens: number;
    readonly unknownCostUsd: number;
  };
  readonly dispatch: {
    readonly timeoutMinutes: number;
    readonly killGraceSecs: number;
    readonly outputMbMax: number;
  };
  /** Run when a person is needed. */
  readonly notify: readonly string[] | null;
  readonly checks: {
    /** null: found by marker files; false: switched off. */
    readonly commands: Readonly<Record<CheckName, readonly string[] | false | null>>;
    readonly timeoutMinutes: number;
  };
  readonly agents: Readonly<Record<string, AgentConfig>>;
}

/** Throws a DocumentError at the first wrong value. */
export function readConfig(
  text: string | undefined,
  file: string,
): { readonly config: ChangeConfig; readonly warnings: readonly string[] } {
  const source: Source = { file, text: text ?? '', warnings: [] };
  const root = parseToml(source.text, file);
  const section = <T>(key: string, read: (get: Get) => T): T => readTable(root[key], { path: [key], source }, read);
  const roles = section('roles', readRoles);
  const agents = [...new Set([...agentNames, ...Object.values(roles)])].filter((agent) => !sections.includes(agent));
  warnOfUnknown(Object.keys(root), [...sections, ...agents], { path: [], source });
  const config: ChangeConfig = {
    workflow: section('workflow', readWorkflow),
    roles,
    budget: section('budget', readBudget),
    dispatch: section('dispatch', readDispatch),
    notify: command(root['notify'], ['notify'], source),
    checks: section('checks', readChecks),
    agents: Object.fromEntries(agents.map((agent) => [agent, section(agent, readAgent)])),
  };
  return { config, warnings: source.warnings };
}

/** The cheapest model whose ceiling suffices; if none does, the cheapest of the highest ceiling. Null: the agent's own choice. */
export function chooseModel(
  config: ChangeConfig,
  agent: string,
  complexity: string | undefined,
): { readonly model: string | null } {
  const ceiling = ({ maxComplexity }: ModelConfig): number => complexities.indexOf(maxComplexity);
  const models = (Object.hasOwn(config.agents, agent) && config.agents[agent]?.models) || [];
  const known = complexities.findIndex((each) => each === complexity);
  const wanted = Math.min(known === -1 ? Infinity : known, Math.max(...models.map(ceiling)));
  const [cheapest] = models.filter((model) => ceiling(model) >= wanted).toSorted((a, b) => priceOf(a) - priceOf(b));
  return { model: cheapest?.name ?? null };
}

/** An unknown price might be any: such a model is taken only where no other will do. */
function priceOf({ priceInput, priceOutput }: ModelConfig): number {
  return priceInput === null || priceOutput === null ? Number.MAX_VALUE : priceInput + priceOutput;
}

/** How much there is to think about: spec files and tasks together. */
export function complexityOf(specFiles: number, tasks: number): Complexity {
  const size = specFiles + tasks;
  if (size <= 4) return 'low';
  if (size <= 10) return 'medium';
  return size <= 20 ? 'high' : 'critical';
}

const agentNames = ['gemini', 'codex', 'claude', 'opencode', 'copilot', 'scripted'];
const sections = ['workflow', 'roles', 'budget', 'dispatch', 'notify', 'checks'];

const iterations = { min: 0, max: 20 };

function readWorkflow(get: Get): ChangeConfig['workflow'] {
  return {
    planningIterations: get('planning_iterations', whole(2, iterations)),
    implementationIterations: get('implementation_iterations', whole(2, iterations)),
    archiveIterations: get('archive_iterations', whole(1, iterations)),
    sequentialImplementation: get('sequential_implementation', flag(true)),
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

function readBudget(get: Get): ChangeConfig['budget'] {
  return {
    dispatches: get('dispatches', whole(60, { min: 1, max: 10_000 })),
    tokens: get('tokens', whole(20_000_000, { min: 1, max: 100_000_000_000 })),
    costUsd: get('cost_usd', amount(50, 1_000_000)),
    hours: get('hours', duration(8, 10_000)),
    unknownTokens: get('unknown_tokens', whole(200_000, { min: 0, max: 1_000_000_000 })),
    unknownCostUsd: get('unknown_cost_usd', amount(0.5, 10_000)),
  };
}

function readDispatch(get: Get): ChangeConfig['dispatch'] {
  return {
    timeoutMinutes: get('timeout_minutes', duration(30, 1440)),
    killGraceSecs: get('kill_grace_secs', amount(5, 600)),
    outputMbMax: get('output_mb_max', whole(64, { min: 1, max: 4096 })),
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

function readAgent(get: Get): AgentConfig {
  return { command: get('command', command), models: get('models', tables(readModel)) };
}

function readModel(get: Get): ModelConfig {
  return {
    name: get('name', name()),
    maxComplexity: get('max_complexity', oneOf(complexities)),
    priceInput: get('price_input', amount(null, 100_000)),
    priceOutput: get('price_output', amount(null, 100_000)),
  };
}
