import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { chooseModel, notifyEvents, runSettings } from '../run-config.ts';
import { change } from './change.ts';
import { complexityOf, readConfig } from './config.ts';

const file = 'agentd/config.toml';
const readFiles = (files: Readonly<Record<string, string>>) => {
  const { warnings, ...read } = readConfig({ read: (path) => files[path] });
  return { ...read, warnings: warnings.map(({ message }) => message) };
};
const read = (text: string) => readFiles({ [file]: text });

function mistake(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

test('[D18] the keys of agentd: models with their ceilings and prices, and nothing is warned of', () => {
  const text = `project_name = "shop"
[workflow]
format_iterations = 2
planning_iterations = 1
[gemini]
default = "flash"
[[gemini.models]]
id = "flash"
model = "small"
complexity = "medium"
cost_per_1m_input = 0.1
cost_per_1m_output = 0.4
[[gemini.models]]
id = "pro"
model = "large"
complexity = "critical"
cost_per_1m_input = 1.25
cost_per_1m_output = 10.0
[validation]
scenario_min_count = 1
`;
  const { config, warnings, notes } = read(text);
  expect(warnings).toEqual([]);
  expect(config.change.planningIterations).toBe(1);
  expect(config.agents['gemini']?.models).toEqual([
    { name: 'small', maxComplexity: 'medium', priceInput: 0.1, priceOutput: 0.4 },
    { name: 'large', maxComplexity: 'critical', priceInput: 1.25, priceOutput: 10 },
  ]);
  expect(notes.join()).toContain("project_name, validation, workflow.format_iterations, agents' default, models.id");
  expect(mistake('[[gemini.models]]\nmodel = "small"\n')).toContain('max_complexity is missing');
});

describe('defaults', () => {
  test('[change/config/missing-file-means-defaults] no file and an empty file say the same', () => {
    expect(readFiles({}).config).toEqual(read('').config);
    expect(read('').warnings).toEqual([]);
  });

  test('[change/config/workflow-defaults] the settings of the spec', () => {
    expect(read('').config.change).toEqual({
      planningIterations: 2,
      implementationIterations: 2,
      archiveIterations: 1,
      sequentialImplementation: true,
      workspace: 'in-place',
      scriptRetries: 3,
      retryDelaySecs: 5,
    });
  });

  test('a worktree needs no preparation unless the settings say so', () => {
    expect(read('').config.worktree).toEqual({ setup: null, copy: [], timeoutMinutes: 10 });
    const { config } = read('[worktree]\nsetup = "npm ci"\ncopy = [".env", "certs/a.pem"]\ntimeout_minutes = 2\n');
    expect(runSettings(config, []).worktree).toEqual({
      setup: ['npm', 'ci'],
      copy: ['.env', 'certs/a.pem'],
      timeoutMs: 120_000,
    });
  });

  test('[change/config/default-agents] each role has an agent, author and judge of different vendors', () => {
    expect(read('').config.roles).toEqual({});
    const roles = Object.fromEntries(Object.entries(change.roles).map(([role, rules]) => [role, rules.defaultAgent]));
    expect(roles).toEqual({
      planner: 'gemini',
      challenger: 'codex',
      implementer: 'claude',
      author: 'claude',
      reviewer: 'codex',
      archivist: 'claude',
    });
    expect(roles['planner']).not.toBe(roles['challenger']);
    expect(roles['implementer']).not.toBe(roles['reviewer']);
  });

  test('budgets, dispatch limits and checks are on', () => {
    const { budget, dispatch, checks, notify } = read('').config;
    expect(budget).toEqual({
      dispatches: 60,
      tokens: 20_000_000,
      costUsd: 50,
      hours: 8,
      unknownTokens: 200_000,
      unknownCostUsd: 0.5,
      crashes: 10,
    });
    expect(dispatch).toEqual({ timeoutMinutes: 30, killGraceSecs: 5, outputMbMax: 64 });
    expect(checks).toEqual({
      commands: { test: null, audit: null, typecheck: null, lint: null },
      timeoutMinutes: 10,
    });
    expect(notify).toEqual({ command: null, on: [...notifyEvents], bell: true, webhook: null });
  });
});

test('[change/config/workflow-settings] every setting is read', () => {
  const { config, warnings } = read(`
notify = ["say", "hello there"]
[workflow]
planning_iterations = 0
implementation_iterations = 5
archive_iterations = 3
sequential_implementation = false
script_retries = 0
retry_delay_secs = 0.1
[roles]
planner = "scripted"
reviewer = "mine"
[budget]
dispatches = 3
cost_usd = 1.5
[dispatch]
timeout_minutes = 0.05
[checks]
test = ["make", "check all"]
audit = false
lint = "npm run  lint"
timeout_minutes = 1
[mine]
command = "my-agent --quiet"
driver = "acp"
mcp = ["github"]
env = ["MY_KEY"]
[[gemini.models]]
name = "flash"
max_complexity = "medium"
price_input = 0.3
price_output = 2.5
`);
  expect(warnings).toEqual([]);
  expect(config.change).toMatchObject({
    planningIterations: 0,
    sequentialImplementation: false,
    retryDelaySecs: 0.1,
  });
  expect(config.roles).toEqual({ planner: 'scripted', reviewer: 'mine' });
  expect(config.budget).toMatchObject({ dispatches: 3, costUsd: 1.5, hours: 8 });
  expect(config.dispatch.timeoutMinutes).toBe(0.05);
  expect(config.notify.command).toEqual(['say', 'hello there']);
  expect(config.checks.commands).toEqual({
    test: ['make', 'check all'],
    audit: false,
    typecheck: null,
    lint: ['npm', 'run', 'lint'],
  });
  expect(config.agents['mine']).toEqual({
    command: ['my-agent', '--quiet'],
    models: [],
    driver: 'acp',
    mcp: ['github'],
    env: ['MY_KEY'],
  });
  expect(config.agents['gemini']?.models).toEqual([
    { name: 'flash', maxComplexity: 'medium', priceInput: 0.3, priceOutput: 2.5 },
  ]);
});

describe('[change/config/unknown-key-is-a-warning] an unknown key is ignored with the nearest known one', () => {
  test.each([
    [
      '[workflow]\nplaning_iterations = 3',
      `${file}:2: unknown key "workflow.planing_iterations" is ignored; use "planning_iterations"`,
    ],
    ['\n[workflw]\nx = 1', `${file}:2: unknown key "workflw" is ignored; use "workflow"`],
    [
      '[[codex.models]]\nname = "m"\nmax_complexity = "low"\nprize_input = 1',
      `${file}:4: unknown key "codex.models[0].prize_input" is ignored; use "price_input"`,
    ],
  ])('%j', (text, warning) => {
    expect(read(text).warnings).toEqual([warning]);
  });
});

describe('a wrong value names file, line and expectation', () => {
  test.each([
    [
      '[workflow]\n\nplanning_iterations = -1',
      `${file}:3: workflow.planning_iterations is -1; expected a whole number from 0 to 20`,
    ],
    [
      '[workflow]\nplanning_iterations = 1.5',
      `${file}:2: workflow.planning_iterations is 1.5; expected a whole number from 0 to 20`,
    ],
    [
      '[worktree]\ncopy = [".env", "../secret"]',
      `${file}:2: worktree.copy is [".env","../secret"]; expected a list of files inside the repository such as [".env"], without "..", "." or ".git"`,
    ],
    [
      '[workflow]\nworkspace = "elsewhere"',
      `${file}:2: workflow.workspace is "elsewhere"; expected one of "in-place", "worktree"`,
    ],
    [
      '[workflow]\nscript_retries = "3"',
      `${file}:2: workflow.script_retries is "3"; expected a whole number from 0 to 20`,
    ],
    [
      '[workflow]\nsequential_implementation = "no"',
      `${file}:2: workflow.sequential_implementation is "no"; expected true or false`,
    ],
    ['workflow = 3', `${file}:1: workflow is 3; expected a table`],
    ['[budget]\ntokens = 0', `${file}:2: budget.tokens is 0; expected a whole number from 1 to 100000000000`],
    ['[budget]\ncost_usd = -0.5', `${file}:2: budget.cost_usd is -0.5; expected a number from 0 to 1000000`],
    ['[budget]\ncost_usd = nan', `${file}:2: budget.cost_usd is NaN; expected a number from 0 to 1000000`],
    [
      '[dispatch]\ntimeout_minutes = 0',
      `${file}:2: dispatch.timeout_minutes is 0; expected a number above 0, at most 1440`,
    ],
    ['[roles]\nplanner = ""', `${file}:2: roles.planner is ""; expected a text that is not empty`],
    [
      'notify = []',
      `${file}:1: notify is []; expected a command: a list such as ["npm", "test"], or a text that is split at spaces`,
    ],
    [
      '[checks]\ntest = true',
      `${file}:2: checks.test is true; expected a command such as ["npm", "test"], or false to switch it off`,
    ],
    [
      '[checks]\ntest = ["npm", 1]',
      `${file}:2: checks.test is ["npm",1]; expected a command: a list such as ["npm", "test"], or a text that is split at spaces`,
    ],
    ['[gemini]\nmodels = 1', `${file}:2: gemini.models is 1; expected a list of tables, each under [[gemini.models]]`],
    [
      '[[gemini.models]]\nname = "a"\nmax_complexity = "low"\n[[gemini.models]]\nname = "b"',
      `${file}:4: gemini.models[1].max_complexity is missing; expected one of "low", "medium", "high", "critical"`,
    ],
    [
      '[[gemini.models]]\nname = "a"\nmax_complexity = "huge"',
      `${file}:3: gemini.models[0].max_complexity is "huge"; expected one of "low", "medium", "high", "critical"`,
    ],
  ])('%j', (text, message) => {
    expect(mistake(text)).toBe(message);
  });

  test('broken TOML is an error at its line', () => {
    expect(mistake('[workflow]\nplanning_iterations = = 2')).toMatch(
      /^agentd\/config\.toml:2: .*; expected valid TOML$/,
    );
  });
});

test('[change/config/complexity] spec files and tasks together', () => {
  expect([0, 4, 5, 10, 11, 20, 21].map((size) => complexityOf(1, size - 1))).toEqual([
    'low',
    'low',
    'medium',
    'medium',
    'high',
    'high',
    'critical',
  ]);
});

describe('[change/config/cheapest-sufficient-model] the model', () => {
  const model = (name: string, ceiling: string, price?: number) =>
    `[[gemini.models]]\nname = "${name}"\nmax_complexity = "${ceiling}"\n${price === undefined ? '' : `price_input = ${price}\nprice_output = ${price}\n`}`;
  const { config } = read(
    model('pro', 'critical', 10) +
      model('mini', 'low', 1) +
      model('unpriced', 'low') +
      model('mid', 'high', 4) +
      model('max', 'critical', 12),
  );

  test('is the cheapest whose ceiling suffices', () => {
    expect(['low', 'medium', 'high', 'critical'].map((each) => chooseModel(config, 'gemini', each))).toEqual([
      'mini',
      'mid',
      'mid',
      'pro',
    ]);
  });

  test('is the one with the highest ceiling when none suffices', () => {
    const { config: small } = read(model('a', 'low', 1) + model('b', 'medium', 9) + model('c', 'medium', 5));
    expect(chooseModel(small, 'gemini', 'critical')).toBe('c');
  });

  test('counts as for the most complex change when nobody knows how complex it is', () => {
    expect(chooseModel(config, 'gemini', undefined)).toBe('pro');
  });

  test("is the agent's own choice when none is configured", () => {
    expect(chooseModel(config, 'codex', 'low')).toBeNull();
    expect(chooseModel(config, 'constructor', 'low')).toBeNull();
  });

  test('suffices whenever any does, and no sufficient one is cheaper', () => {
    const levels = ['low', 'medium', 'high', 'critical'] as const;
    const some = fc.record({
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      ceiling: fc.constantFrom(...levels),
      price: fc.nat(100),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(some, { selector: ({ name }) => name, minLength: 1, maxLength: 6 }),
        fc.constantFrom(...levels),
        (models, wanted) => {
          const { config: drawn } = read(
            models.map(({ name, ceiling, price }) => model(name, ceiling, price)).join(''),
          );
          const chosen = models.find(({ name }) => name === chooseModel(drawn, 'gemini', wanted));
          const sufficient = models.filter(({ ceiling }) => levels.indexOf(ceiling) >= levels.indexOf(wanted));
          if (sufficient.length > 0) {
            expect(sufficient).toContain(chosen);
            expect(chosen?.price).toBe(Math.min(...sufficient.map(({ price }) => price)));
          } else {
            expect(levels.indexOf(chosen!.ceiling)).toBe(
              Math.max(...models.map(({ ceiling }) => levels.indexOf(ceiling))),
            );
          }
        },
      ),
    );
  });
});
