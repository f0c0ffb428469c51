/** The part of a configuration that every workflow has: what runs may use, and how dispatches are made. */

import { splitCommand } from '../documents/command-line.ts';
import type { DocumentWarning } from '../documents/read-document.ts';
import type { Usage } from '../engine/usage.ts';
import { list, orNull, record, section, table, withDefault, type TableOf } from '../schema/compound.ts';
import { leaf, nameOf, schema, type Infer, type Schema } from '../schema/schema.ts';
import { amount, duration, oneOf, text, whole } from '../schema/simple.ts';

export const complexities = ['low', 'medium', 'high', 'critical'] as const;
export type Complexity = (typeof complexities)[number];

export const sandboxModes = ['require', 'prefer', 'off'] as const;

export const drivers = ['native', 'acp'] as const;

/** A program and its arguments: a list, or one text as it is typed, which no shell expands. */
export function commandLine(expected: string): Schema<readonly string[]> {
  return leaf(expected, (value) => {
    const read = typeof value === 'string' ? splitCommand(value) : { argv: value };
    const words: unknown = 'argv' in read ? read.argv : [];
    const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
    return isCommand && words[0] !== '' ? words : undefined;
  });
}

export const command = commandLine('a command: a list such as ["npm", "test"], or a text that is split at spaces');

/** A list of texts that all fit. */
export function textsThat(expected: string, fits: (text: string) => boolean): Schema<readonly string[]> {
  return leaf(expected, (value) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string' && fits(item)) ? value : undefined,
  );
}

const names = textsThat('a list of names such as ["github"]', (name) => /^[\w.-]{1,64}$/.test(name));

export function pathsLike(example: string): Schema<readonly string[]> {
  const expected = `a list of files inside the repository such as ["${example}"], without "..", "." or ".git"`;
  return textsThat(expected, isInnerPath);
}

/** Whether a path is relative and stays inside the repository. */
export function isInnerPath(path: string): boolean {
  // eslint-disable-next-line no-control-regex -- finding control characters is the point
  if (/[\u0000-\u001f\u007f]/.test(path)) return false;
  return path.split('/').every((segment) => !['', '.', '..', '.git'].includes(segment));
}

const hosts = textsThat(
  'a list of hosts such as ["registry.example.org", "*.example.com:8443", "127.0.0.1:5432"], or ["*"] for all',
  (host) => /^(?:\*|(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?)$/i.test(host),
);

const places = textsThat(
  'a list of paths: absolute, in the home folder ("~/.m2"), or in the workspace',
  (path) => path === '~' || (path.trim() !== '' && !path.includes('\0') && !path.split('/').includes('..')),
);

const model = table({
  name: text(),
  maxComplexity: oneOf(complexities),
  /** USD per million tokens; null when nobody said. */
  priceInput: orNull(amount(100_000)),
  priceOutput: orNull(amount(100_000)),
});

type ModelConfig = Infer<typeof model>;

const models = schema<readonly ModelConfig[]>((value, at) =>
  list(model, `a list of tables, each under [[${nameOf(at.path)}]]`).read(value, at),
);

export const agents = record(
  section({
    /** Program and arguments to start it with; null for its usual name. */
    command: orNull(command),
    models: withDefault(models, []),
    /** Null: the better of two. */
    driver: orNull(oneOf(drivers)),
    /** Names of the user's own MCP servers it may have. */
    mcp: withDefault(names, []),
    /** Variables of the user's environment it may see beside those its driver knows. */
    env: withDefault(names, []),
  }),
);

/** `dispatches`: how many a run may make unless the file says otherwise. */
export function runShape(dispatches: number) {
  return {
    roles: record(text()),
    retryDelaySecs: withDefault(amount(3600), 5),
    budget: section({
      dispatches: withDefault(whole(1, 10_000), dispatches),
      tokens: withDefault(whole(1, 100_000_000_000), 20_000_000),
      costUsd: withDefault(amount(1_000_000), 50),
      hours: withDefault(duration(10_000), 8),
      /** What a dispatch counts when its usage is not known. */
      unknownTokens: withDefault(whole(0, 1_000_000_000), 200_000),
      unknownCostUsd: withDefault(amount(10_000), 0.5),
      /** Agent calls that may be cut off by crashes before the run stops. */
      crashes: withDefault(whole(1, 1_000), 10),
    }),
    dispatch: section({
      timeoutMinutes: withDefault(duration(1440), 30),
      killGraceSecs: withDefault(amount(600), 5),
      outputMbMax: withDefault(whole(1, 4096), 64),
    }),
    worktree: section({
      setup: orNull(command),
      copy: withDefault(pathsLike('.env'), []),
      timeoutMinutes: withDefault(duration(1440), 10),
    }),
    notify: orNull(command),
    /** Whether agents and commands run in a sandbox: always, where there is one, or never. */
    sandbox: withDefault(oneOf(sandboxModes), 'prefer'),
    network: section({
      /** Hosts that everything in the sandbox may reach, beside an agent's own; `*` for all. */
      allow: withDefault(hosts, []),
    }),
    files: section({
      /** Paths that everything in the sandbox may read, or write, beside the workspace. */
      read: withDefault(places, []),
      write: withDefault(places, []),
    }),
    /** Agents that take over where another is missing or rate-limited, in this order. */
    fallback: withDefault(names, []),
  };
}

export type RunConfig = TableOf<ReturnType<typeof runShape>> & { readonly agents: Infer<typeof agents> };

/** The same in the runtime's units. */
export function runSettings(config: RunConfig, roles: readonly string[]) {
  const { dispatch } = config;
  const { hours, ...budget } = config.budget;
  const { timeoutMinutes, ...worktree } = config.worktree;
  return {
    /** Role → agent, where the configuration names one. */
    agents: Object.fromEntries(Object.entries(config.roles).filter(([role]) => roles.includes(role))),
    retryDelayMs: config.retryDelaySecs * 1_000,
    /** Limits on what a run may consume, over its whole life. */
    spending: { ...budget, wallMs: hours * 3_600_000 },
    worktree: { ...worktree, timeoutMs: timeoutMinutes * 60_000 },
    dispatch: {
      timeoutMs: dispatch.timeoutMinutes * 60_000,
      killGraceMs: dispatch.killGraceSecs * 1_000,
      outputBytesMax: dispatch.outputMbMax * 1024 * 1024,
    },
    notify: config.notify,
    sandbox: { mode: config.sandbox, allow: config.network.allow, ...config.files },
    fallback: config.fallback,
    /** With the cost where an agent tells tokens only and the model has prices. */
    priced: (name: string, model: string | null, usage: Usage): Usage => {
      const chosen = agentIn(config, name)?.models.find((each) => each.name === model);
      const { priceInput = null, priceOutput = null } = chosen ?? {};
      const { inputTokens, outputTokens, costUsd } = usage;
      if (costUsd !== null || inputTokens === null || outputTokens === null) return usage;
      if (priceInput === null || priceOutput === null) return usage;
      return { ...usage, costUsd: (inputTokens * priceInput + outputTokens * priceOutput) / 1_000_000 };
    },
    modelFor: (name: string, complexity: string | undefined) => chooseModel(config, name, complexity),
    agentOptions: (name: string) => {
      const { command = null, driver = null, mcp = [], env = [] } = agentIn(config, name) ?? {};
      return { command, driver, mcp, env };
    },
  };
}

/** The settings of a workflow that the runtime acts on. */
export interface RunSettings extends ReturnType<typeof runSettings> {
  readonly limits: Readonly<Record<string, number>>;
  /** New runs work in a worktree of their own unless told otherwise. */
  readonly ownWorktree?: boolean;
  readonly warnings: readonly DocumentWarning[];
  /** Shown by `pawl doctor` only. */
  readonly notes: readonly string[];
}

export type SpendingLimits = RunSettings['spending'];
export type WorktreeSettings = RunSettings['worktree'];

/** The cheapest model whose ceiling suffices; if none does, the cheapest of the highest ceiling. Null: the agent's own choice. */
export function chooseModel(config: Pick<RunConfig, 'agents'>, agent: string, complexity: string | undefined) {
  const ceiling = ({ maxComplexity }: ModelConfig): number => complexities.indexOf(maxComplexity);
  const models = agentIn(config, agent)?.models ?? [];
  const known = complexities.findIndex((each) => each === complexity);
  const wanted = Math.min(known === -1 ? Infinity : known, Math.max(...models.map(ceiling)));
  const [cheapest] = models.filter((model) => ceiling(model) >= wanted).toSorted((a, b) => priceOf(a) - priceOf(b));
  return cheapest?.name ?? null;
}

function agentIn({ agents: all }: Pick<RunConfig, 'agents'>, name: string) {
  return Object.hasOwn(all, name) ? all[name] : undefined;
}

/** An unknown price might be any: such a model is taken only where no other will do. */
function priceOf({ priceInput, priceOutput }: ModelConfig): number {
  return priceInput === null || priceOutput === null ? Number.MAX_VALUE : priceInput + priceOutput;
}
