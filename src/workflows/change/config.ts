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
  type Field,
  type Path,
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
  const section = <F extends Readonly<Record<string, Field<unknown>>>>(key: string, fields: F) =>
    readTable(root[key], fields, { path: [key], source });
  const roles = section('roles', roleFields);
  const agents = [...new Set([...agentNames, ...Object.values(roles)])].filter((agent) => !sections.includes(agent));
  warnOfUnknown(Object.keys(root), [...sections, ...agents], { path: [], source });
  const config: ChangeConfig = {
    workflow: workflowOf(section('workflow', workflowFields)),
    roles,
    budget: budgetOf(section('budget', budgetFields)),
    dispatch: dispatchOf(section('dispatch', dispatchFields)),
    notify: command(root['notify'], ['notify'], source),
    checks: checksOf(section('checks', checkFields)),
    agents: Object.fromEntries(agents.map((agent) => [agent, section(agent, agentFields)])),
  };
  return { config, warnings: source.warnings };
}

/** The cheapest model whose ceiling suffices; if none does, the cheapest of the highest ceiling. Null: the agent's own choice. */
export function chooseModel(config: ChangeConfig, agent: string, complexity: Complexity): { readonly model: string | null } {
  const ceiling = ({ maxComplexity }: ModelConfig): number => complexities.indexOf(maxComplexity);
  const models = (Object.hasOwn(config.agents, agent) && config.agents[agent]?.models) || [];
  const wanted = Math.min(complexities.indexOf(complexity), Math.max(...models.map(ceiling)));
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

const workflowFields = {
  planning_iterations: whole(2, iterations),
  implementation_iterations: whole(2, iterations),
  archive_iterations: whole(1, iterations),
  sequential_implementation: flag(true),
  script_retries: whole(3, iterations),
  retry_delay_secs: amount<never>(5, 3600),
};

const roleFields = {
  planner: name('gemini'),
  challenger: name('codex'),
  implementer: name('claude'),
  reviewer: name('codex'),
  archivist: name('claude'),
};

const budgetFields = {
  dispatches: whole(60, { min: 1, max: 10_000 }),
  tokens: whole(20_000_000, { min: 1, max: 100_000_000_000 }),
  cost_usd: amount<never>(50, 1_000_000),
  hours: duration(8, 10_000),
  unknown_tokens: whole(200_000, { min: 0, max: 1_000_000_000 }),
  unknown_cost_usd: amount<never>(0.5, 10_000),
};

const dispatchFields = {
  timeout_minutes: duration(30, 1440),
  kill_grace_secs: amount<never>(5, 600),
  output_mb_max: whole(64, { min: 1, max: 4096 }),
};

const checkFields = {
  test: commandOrOff,
  audit: commandOrOff,
  typecheck: commandOrOff,
  lint: commandOrOff,
  timeout_minutes: duration(10, 1440),
};

const modelFields = {
  name: name(),
  max_complexity: oneOf(complexities),
  price_input: amount(null, 100_000),
  price_output: amount(null, 100_000),
};

const agentFields = { command, models: tables(readModel) };

function readModel(table: unknown, path: Path, source: Source): ModelConfig {
  const model = readTable(table, modelFields, { path, source });
  return {
    name: model.name,
    maxComplexity: model.max_complexity,
    priceInput: model.price_input,
    priceOutput: model.price_output,
  };
}

type Values<F extends Readonly<Record<string, Field<unknown>>>> = { [K in keyof F]: ReturnType<F[K]> };

function workflowOf(values: Values<typeof workflowFields>): ChangeConfig['workflow'] {
  return {
    planningIterations: values.planning_iterations,
    implementationIterations: values.implementation_iterations,
    archiveIterations: values.archive_iterations,
    sequentialImplementation: values.sequential_implementation,
    scriptRetries: values.script_retries,
    retryDelaySecs: values.retry_delay_secs,
  };
}

function budgetOf(values: Values<typeof budgetFields>): ChangeConfig['budget'] {
  return {
    dispatches: values.dispatches,
    tokens: values.tokens,
    costUsd: values.cost_usd,
    hours: values.hours,
    unknownTokens: values.unknown_tokens,
    unknownCostUsd: values.unknown_cost_usd,
  };
}

function dispatchOf(values: Values<typeof dispatchFields>): ChangeConfig['dispatch'] {
  return {
    timeoutMinutes: values.timeout_minutes,
    killGraceSecs: values.kill_grace_secs,
    outputMbMax: values.output_mb_max,
  };
}

function checksOf({ timeout_minutes, ...commands }: Values<typeof checkFields>): ChangeConfig['checks'] {
  return { commands, timeoutMinutes: timeout_minutes };
}
