/** The part of a configuration that every workflow has: what runs may use, and how dispatches are made. */

import {
  amount,
  command,
  duration,
  name,
  names,
  oneOf,
  oneOfOrNull,
  paths,
  readTable,
  tables,
  whole,
  type Get,
  type Source,
} from '../documents/settings-fields.ts';
import type { RunSettings, SpendingLimits, WorktreeSettings } from './workflow.ts';

export const complexities = ['low', 'medium', 'high', 'critical'] as const;
export type Complexity = (typeof complexities)[number];

export interface ModelConfig {
  readonly name: string;
  /** The most complex work it is good for. */
  readonly maxComplexity: Complexity;
  /** USD per million tokens; null when nobody said. */
  readonly priceInput: number | null;
  readonly priceOutput: number | null;
}

export interface AgentConfig {
  /** Program and arguments to start it with; null for its usual name. */
  readonly command: readonly string[] | null;
  readonly models: readonly ModelConfig[];
  /** How it is driven, where there are two ways; null for the better one. */
  readonly driver: (typeof drivers)[number] | null;
  /** Names of the user's own MCP servers it may have. */
  readonly mcp: readonly string[];
  /** Variables of the user's environment it may see beside those its driver knows. */
  readonly env: readonly string[];
}

export const drivers = ['native', 'acp'] as const;

export interface RunConfig {
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
  readonly worktree: {
    readonly setup: readonly string[] | null;
    readonly copy: readonly string[];
    readonly timeoutMinutes: number;
  };
  /** Run when a person is needed. */
  readonly notify: readonly string[] | null;
  /** Agents that go on where another is missing or out of quota. */
  readonly fallback: readonly string[];
  readonly agents: Readonly<Record<string, AgentConfig>>;
}

/** Keys of the file that this part reads; the tables of agents have their names. */
export const runSections = ['budget', 'dispatch', 'worktree', 'notify', 'fallback'];

const agentNames = ['gemini', 'codex', 'claude', 'opencode', 'copilot', 'acp', 'command', 'scripted'];

/** Which tables are agents': the known ones, and whoever plays a role. */
export function agentTables(playing: readonly string[], otherSections: readonly string[]): readonly string[] {
  return [...new Set([...agentNames, ...playing])].filter((agent) => !otherSections.includes(agent));
}

/** Throws a DocumentError at the first wrong value. */
export function readRunConfig(
  root: Readonly<Record<string, unknown>>,
  source: Source,
  agents: readonly string[],
  usual: { readonly dispatches: number } = { dispatches: 60 },
): RunConfig {
  const section = <T>(key: string, read: (get: Get) => T): T => readTable(root[key], { path: [key], source }, read);
  return {
    budget: section('budget', (get) => readBudget(get, usual.dispatches)),
    dispatch: section('dispatch', readDispatch),
    worktree: section('worktree', readWorktree),
    notify: command(root['notify'], ['notify'], source),
    fallback: names(root['fallback'], ['fallback'], source),
    agents: Object.fromEntries(agents.map((agent) => [agent, section(agent, readAgent)])),
  };
}

/** The same in the runtime's units. */
export function runSettings(
  config: RunConfig,
): Pick<RunSettings, 'spending' | 'dispatch' | 'worktree' | 'notify' | 'fallback' | 'modelFor' | 'agentOptions'> {
  const { dispatch, notify } = config;
  return {
    spending: spendingLimits(config),
    worktree: worktreeSettings(config),
    dispatch: {
      timeoutMs: dispatch.timeoutMinutes * 60_000,
      killGraceMs: dispatch.killGraceSecs * 1_000,
      outputBytesMax: dispatch.outputMbMax * 1024 * 1024,
    },
    notify,
    fallback: config.fallback,
    modelFor: (agent, complexity) => chooseModel(config, agent, complexity).model,
    agentOptions: (agent) => agentOptionsOf(config, agent),
  };
}

function agentOptionsOf({ agents }: Pick<RunConfig, 'agents'>, agent: string): ReturnType<RunSettings['agentOptions']> {
  const { command = null, driver = null, mcp = [], env = [] } = (Object.hasOwn(agents, agent) && agents[agent]) || {};
  return { command, driver, mcp, env };
}

export function spendingLimits({ budget: { hours, ...budget } }: Pick<RunConfig, 'budget'>): SpendingLimits {
  return { ...budget, wallMs: hours * 3_600_000 };
}

export function worktreeSettings({
  worktree: { timeoutMinutes, ...worktree },
}: Pick<RunConfig, 'worktree'>): WorktreeSettings {
  return { ...worktree, timeoutMs: timeoutMinutes * 60_000 };
}

/** The cheapest model whose ceiling suffices; if none does, the cheapest of the highest ceiling. Null: the agent's own choice. */
export function chooseModel(
  config: Pick<RunConfig, 'agents'>,
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

function readBudget(get: Get, dispatches: number): RunConfig['budget'] {
  return {
    dispatches: get('dispatches', whole(dispatches, { min: 1, max: 10_000 })),
    tokens: get('tokens', whole(20_000_000, { min: 1, max: 100_000_000_000 })),
    costUsd: get('cost_usd', amount(50, 1_000_000)),
    hours: get('hours', duration(8, 10_000)),
    unknownTokens: get('unknown_tokens', whole(200_000, { min: 0, max: 1_000_000_000 })),
    unknownCostUsd: get('unknown_cost_usd', amount(0.5, 10_000)),
  };
}

function readDispatch(get: Get): RunConfig['dispatch'] {
  return {
    timeoutMinutes: get('timeout_minutes', duration(30, 1440)),
    killGraceSecs: get('kill_grace_secs', amount(5, 600)),
    outputMbMax: get('output_mb_max', whole(64, { min: 1, max: 4096 })),
  };
}

function readWorktree(get: Get): RunConfig['worktree'] {
  return {
    setup: get('setup', command),
    copy: get('copy', paths),
    timeoutMinutes: get('timeout_minutes', duration(10, 1440)),
  };
}

function readAgent(get: Get): AgentConfig {
  return {
    command: get('command', command),
    models: get('models', tables(readModel)),
    driver: get('driver', oneOfOrNull(drivers)),
    mcp: get('mcp', names),
    env: get('env', names),
  };
}

function readModel(get: Get): ModelConfig {
  return {
    name: get('name', name()),
    maxComplexity: get('max_complexity', oneOf(complexities)),
    priceInput: get('price_input', amount(null, 100_000)),
    priceOutput: get('price_output', amount(null, 100_000)),
  };
}
