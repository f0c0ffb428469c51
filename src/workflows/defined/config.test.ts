import { describe, expect, test } from 'vitest';
import { DocumentError } from '../../documents/document-error.ts';
import { readProjectConfig, settingsOf } from './config.ts';
import type { WorkflowDefinition } from './definition.ts';
import { page } from './page.fixture.ts';

const filesOf = (text: string | undefined) => ({ read: () => text });
const read = (text: string | undefined) => {
  const { config, warnings } = readProjectConfig(filesOf(text));
  return { config, warnings: warnings.map(({ message }) => message) };
};
const settings = (definition: WorkflowDefinition, text: string | undefined) => {
  const { warnings, ...others } = settingsOf(definition, filesOf(text));
  return { ...others, warnings: warnings.map(({ message }) => message) };
};

function mistake(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

test('treats a missing file like an empty one', () => {
  expect(read(undefined)).toEqual(read(''));
  expect(read('')).toMatchObject({
    config: { workflows: [], roles: {}, limits: {}, prices: null, retryDelaySecs: 5 },
    warnings: [],
  });
});

test('reads every setting', () => {
  const text = `workflows = ["workflows/a.yaml", "workflows/b.ts"]
retry_delay_secs = 0
[roles]
writer = "codex"
reviewer = "my-agent"
[limits.page]
rounds = 0
retries = 5
[prices.writer]
typical = 0.1
most = 0.5
[prices.reviewer]
most = 1
[budget]
dispatches = 3
[my-agent]
command = "my-agent --fast"
`;
  const { config, warnings } = read(text);
  expect(warnings).toEqual([]);
  expect(config).toMatchObject({
    workflows: ['workflows/a.yaml', 'workflows/b.ts'],
    roles: { writer: 'codex', reviewer: 'my-agent' },
    limits: { page: { rounds: 0, retries: 5 } },
    prices: { writer: { typical: 0.1, most: 0.5 }, reviewer: { typical: 1, most: 1 } },
    retryDelaySecs: 0,
    budget: { dispatches: 3 },
    agents: { 'my-agent': { command: ['my-agent', '--fast'] } },
  });
});

describe('a wrong value is named with its line', () => {
  test.each<[string, string]>([
    ['workflows = ["a.yaml"\n[roles]\n', 'pawl.toml:2: '],
    ['\nworkflows = "a.yaml"\n', 'pawl.toml:2: workflows is "a.yaml"; expected a list of files inside the repository'],
    ['workflows = ["../a.yaml"]\n', 'pawl.toml:1: workflows is ["../a.yaml"]; expected a list of files inside'],
    ['workflows = ["/etc/a.yaml"]\n', 'pawl.toml:1: workflows is ["/etc/a.yaml"]; expected a list of files inside'],
    ['workflows = [".git/a.yaml"]\n', 'pawl.toml:1: workflows is [".git/a.yaml"]; expected a list of files inside'],
    ['workflows = [1]\n', 'pawl.toml:1: workflows is [1]; expected a list of files inside'],
    ['[roles]\nwriter = ""\n', 'pawl.toml:2: roles.writer is ""; expected a text that is not empty'],
    ['roles = "claude"\n', 'pawl.toml:1: roles is "claude"; expected a table'],
    ['[limits]\npage = 3\n', 'pawl.toml:2: limits.page is 3; expected a table'],
    ['[limits.page]\nrounds = -1\n', 'pawl.toml:2: limits.page.rounds is -1; expected a whole number from 0 to 1000'],
    ['[limits.page]\nrounds = 1001\n', 'pawl.toml:2: limits.page.rounds is 1001; expected a whole number'],
    [
      '[prices.writer]\ntypical = 2\nmost = 1\n',
      'pawl.toml:1: prices.writer is {"typical":2,"most":1}; expected typical and most',
    ],
    ['[prices.writer]\n', 'pawl.toml:1: prices.writer is {}; expected typical and most, in USD a dispatch'],
    ['[prices.writer]\nmost = -1\n', 'pawl.toml:2: prices.writer.most is -1; expected a number from 0 to 10000'],
    ['retry_delay_secs = "soon"\n', 'pawl.toml:1: retry_delay_secs is "soon"; expected a number from 0 to 3600'],
    ['# x\n[budget]\ndispatches = 0\n', 'pawl.toml:3: budget.dispatches is 0; expected a whole number from 1'],
  ])('%j', (text, message) => {
    expect(mistake(text)).toContain(message);
  });

  test('rejects two files that define a workflow of the same name', () => {
    expect(mistake('workflows = [\n  "a/x.yaml",\n  "b/x.ts",\n]\n')).toBe(
      'pawl.toml:1: a/x.yaml and b/x.ts define a workflow of the same name; expected files with different names',
    );
  });

  test('does not warn of the tables of bundled workflows', () => {
    expect(read('[session]\nrepairs = 2\n').warnings).toEqual([]);
  });

  test('an unknown key is a warning: a newer Pawl may know it', () => {
    expect(read('workflow = []\n[dispatch]\ntimeout_minuts = 1\n').warnings).toEqual([
      'pawl.toml:1: unknown key "workflow" is ignored; use "workflows"',
      'pawl.toml:3: unknown key "dispatch.timeout_minuts" is ignored; use "timeout_minutes"',
    ]);
  });
});

describe('the settings of one workflow', () => {
  test("its own, where the project's say nothing", () => {
    expect(settings(page, undefined)).toMatchObject({
      agents: {},
      limits: {},
      retryDelayMs: 5_000,
      warnings: [],
    });
  });

  test("the project's, as far as they are about it", () => {
    const text = '[roles]\nwriter = "gemini"\n[limits.page]\nrounds = 7\nretries = 0\n[limits.other]\nrounds = 1\n';
    expect(settings(page, text)).toMatchObject({
      agents: { writer: 'gemini' },
      limits: { rounds: 7, retries: 0 },
    });
  });

  test('ignores the limit of an unknown budget, with a warning', () => {
    const found = settings(page, '[limits.page]\nround = 7\nconstructor = 1\n');
    expect(found.limits).toEqual({});
    expect(found.warnings).toEqual([
      'pawl.toml: page has no budget "round"; its limit is ignored',
      'pawl.toml: page has no budget "constructor"; its limit is ignored',
    ]);
  });

  test('accepts names such as constructor', () => {
    const odd = { ...page, name: 'constructor', roles: { constructor: { agent: 'codex' } } };
    expect(settings(odd, '')).toMatchObject({ limits: {} });
    expect(settings(odd, '').agents).toEqual({});
    expect(settings(odd, '[roles]\nconstructor = "codex"\n').agents).toEqual({ constructor: 'codex' });
  });
});
