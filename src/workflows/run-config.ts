/** The part of a configuration that every workflow has: what runs may use, and how dispatches are made. */

import { splitCommand } from '../documents/command-line.ts';
import type { DocumentWarning } from '../documents/read-document.ts';
import type { Usage } from '../engine/usage.ts';
import {
  choose,
  described,
  list,
  mapped,
  orNull,
  record,
  section,
  table,
  withDefault,
  type TableOf,
} from '../schema/compound.ts';
import { leaf, nameOf, schema, type Infer, type Schema } from '../schema/schema.ts';
import { amount, duration, flag, oneOf, text, whole } from '../schema/simple.ts';
import { isRecord } from '../schema/values.ts';
import { prompts } from './prompts-config.ts';

export const complexities = ['low', 'medium', 'high', 'critical'] as const;
export type Complexity = (typeof complexities)[number];

export const sandboxModes = ['require', 'prefer', 'off'] as const;

export const drivers = ['native', 'acp'] as const;

const someText = { type: 'string', minLength: 1 };
const commandJson = { anyOf: [someText, { type: 'array', items: { type: 'string' }, minItems: 1 }] };

/** A program and its arguments: a list, or one text as it is typed, which no shell expands. */
export function commandLine(expected: string): Schema<readonly string[]> {
  return leaf(
    expected,
    (value) => {
      const read = typeof value === 'string' ? splitCommand(value) : { argv: value };
      const words: unknown = 'argv' in read ? read.argv : [];
      const isCommand = Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === 'string');
      return isCommand && words[0] !== '' ? words : undefined;
    },
    commandJson,
  );
}

export const command = commandLine('a command: a list such as ["npm", "test"], or a text that is split at spaces');

/** A list of texts that all fit. */
export function textsThat(
  expected: string,
  fits: (text: string) => boolean,
  pattern?: RegExp,
): Schema<readonly string[]> {
  return leaf(
    expected,
    (value) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string' && fits(item)) ? value : undefined,
    { type: 'array', items: pattern === undefined ? someText : { type: 'string', pattern: pattern.source } },
  );
}

/** A list of texts that match as a whole. */
function textsLike(expected: string, pattern: RegExp): Schema<readonly string[]> {
  return textsThat(expected, (each) => pattern.test(each), pattern);
}

const names = textsLike('a list of names such as ["github"]', /^[\w.-]{1,64}$/);

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

const hosts = textsLike(
  'a list of hosts such as ["registry.example.org", "*.example.com:8443", "127.0.0.1:5432"], or ["*"] for all',
  /^(?:\*|(?:\*\.)?[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?(?::\d{1,5})?)$/,
);

const places = textsThat(
  'a list of paths: absolute, in the home folder ("~/.m2"), or in the workspace',
  (path) => path === '~' || (path.trim() !== '' && !path.includes('\0') && !path.split('/').includes('..')),
);

export const model = table({
  name: described(text(), 'as the agent takes it; required'),
  maxComplexity: described(oneOf(complexities), 'the most complex work it is used for; required'),
  priceInput: described(orNull(amount(100_000)), 'USD per million tokens'),
  priceOutput: described(orNull(amount(100_000)), 'USD per million tokens'),
});

type ModelConfig = Infer<typeof model>;

const modelList = (name: string) => list(model, `a list of tables, each under [[${name}]]`);
const models = schema<readonly ModelConfig[]>(
  (value, at) => modelList(nameOf(at.path)).read(value, at),
  (spell) => modelList('').json(spell),
);

export const agent = section({
  command: described(orNull(command), 'starts the agent, instead of its usual name'),
  models: described(withDefault(models, []), 'models to choose from by complexity'),
  driver: described(orNull(oneOf(drivers)), 'how Pawl talks to it; the better one by default'),
  mcp: described(withDefault(names, []), 'your own MCP servers that it may use'),
  env: described(withDefault(names, []), 'variables of your environment that it may see'),
});

export const agents = record(agent);

function budget(dispatches: number) {
  return described(
    section(
      {
        dispatches: described(withDefault(whole(1, 10_000), dispatches), 'agent calls'),
        tokens: described(withDefault(whole(1, 100_000_000_000), 20_000_000), 'input and output together'),
        costUsd: described(
          withDefault(amount(1_000_000), 50),
          'as the agents report it, or from `price_input` and `price_output`; `cost` is the same',
        ),
        hours: described(withDefault(duration(10_000), 8), 'total agent time'),
        unknownTokens: described(
          withDefault(whole(0, 1_000_000_000), 200_000),
          'what a call counts whose tokens nobody reported',
        ),
        unknownCostUsd: described(withDefault(amount(10_000), 0.5), 'what a call counts whose cost nobody reported'),
        crashes: described(withDefault(whole(1, 1_000), 10), 'agent calls that crashes may cut off'),
      },
      { unknownKeys: 'mistake' },
    ),
    'Over the whole life of a run; exit code 5 when one is spent, `pawl resume --budget` raises it.',
  );
}

export const notifyEvents = ['decision', 'failure', 'budget', 'rate_limit', 'done'] as const;
export type NotifyEvent = (typeof notifyEvents)[number];

const webhook = leaf(
  'an address such as "https://example.org/hook"; plain http only on this computer',
  (value) => {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : null;
    if (url === null || url.username !== '' || url.password !== '') return undefined;
    const isHere = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
    return url.protocol === 'https:' || (url.protocol === 'http:' && isHere) ? url.href : undefined;
  },
  { type: 'string', pattern: '^https?://' },
);

const notifyTable = section({
  command: described(orNull(command), 'gets a JSON document on standard input'),
  on: described(
    withDefault(list(oneOf(notifyEvents), `a list of ${notifyEvents.join(', ')}`), notifyEvents),
    'tell these only',
  ),
  bell: described(withDefault(flag(), true), 'ring the bell of the terminal'),
  webhook: described(orNull(webhook), 'gets the same document by POST; plain http only on this computer'),
});
const notifyCommand = mapped(command, (only) => ({ command: only, on: notifyEvents, bell: true, webhook: null }));

/** A command alone is the older form. */
export const notify = {
  ...choose(
    (value) => (value === undefined || isRecord(value) ? notifyTable : notifyCommand),
    [notifyTable, notifyCommand],
  ),
  ...(notifyTable.fields && { fields: notifyTable.fields }),
  required: false,
};

/** `dispatches`: how many a run may make unless the file says otherwise. */
export function runShape(dispatches: number) {
  return {
    roles: described(record(text()), 'role = agent: who plays a role, instead of the installed agents in turn'),
    retryDelaySecs: described(
      withDefault(amount(3600), 5),
      'pause before a failed agent call is repeated; doubled each time',
    ),
    budget: budget(dispatches),
    dispatch: section({
      timeoutMinutes: described(withDefault(duration(1440), 30), 'for one agent call'),
      killGraceSecs: described(withDefault(amount(600), 5), 'between the request to end and the kill'),
      outputMbMax: described(withDefault(whole(1, 4096), 64), 'output of one agent call'),
    }),
    worktree: section({
      setup: described(orNull(command), 'prepares a new worktree; again when it or a lock file changes'),
      copy: described(withDefault(pathsLike('.env'), []), 'copied from your checkout, if it is there'),
      timeoutMinutes: described(withDefault(duration(1440), 10), 'for `setup`'),
    }),
    notify: described(
      notify,
      '`notify = ["my-notifier"]` is short for `command` alone. [Notifications](notifications.md) has the document that both get.',
    ),
    prompts: described(
      prompts,
      '`[prompts.<workflow>.<role>]` has `append`, and `replace` with heading = text: [house rules](#house-rules-and-prompts).',
    ),
    sandbox: described(
      withDefault(oneOf(sandboxModes), 'prefer'),
      'refuse to work without, use if available, or switch off the [sandbox](security.md)',
    ),
    network: section({
      allow: described(
        withDefault(hosts, []),
        'reachable from the sandbox, beside an agent\'s own hosts: `"example.org"` (HTTPS), `"*.example.org:8443"`, `"127.0.0.1:5432"`; `["*"]` for all',
      ),
    }),
    files: described(
      section({
        read: described(withDefault(places, []), 'readable in the sandbox, beside the workspace and system folders'),
        write: described(withDefault(places, []), 'writable in the sandbox, beside the workspace'),
      }),
      'Paths are absolute, in the home folder (`"~/.m2"`), or in the workspace.',
    ),
    fallback: described(withDefault(names, []), 'replace a missing or rate-limited agent, in this order'),
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
    prompts: config.prompts,
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
