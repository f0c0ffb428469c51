import { describe, expect, test } from 'vitest';
import { DocumentError } from '../documents/document-error.ts';
import { section, withDefault } from '../schema/compound.ts';
import { whole } from '../schema/simple.ts';
import { change } from './change/change.ts';
import { settingsOf as settingsOfDefined } from './defined/config.ts';
import { page } from './defined/page.fixture.ts';
import { session } from './session/session.ts';
import { readWorkflowConfig, type ConfigFormat } from './workflow-config.ts';

const older = 'agentd/config.toml';
type Files = Readonly<Record<string, string>>;
const view = (files: Files) => ({ read: (path: string) => files[path] });

const sections = { change: section({ planningIterations: withDefault(whole(0, 20), 2) }) };
const format: ConfigFormat<typeof sections> = {
  sections,
  roles: ['planner'],
  older: { path: older, sections: { workflow: 'change' } },
};
const read = (files: Files) => readWorkflowConfig(view(files), format);
const warnings = (files: Files) => read(files).warnings.map(({ message }) => message);

function mistake(files: Files): string {
  try {
    read(files);
  } catch (error) {
    if (error instanceof DocumentError) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('P1: two files', () => {
  test.each([
    ['both', '[change]\nplanning_iterations = 3', '[workflow]\nplanning_iterations = 4', 3],
    ['pawl.toml', '[change]\nplanning_iterations = 3', '[budget]\nhours = 1', 3],
    ['the older one', '[budget]\nhours = 1', '[workflow]\nplanning_iterations = 4', 4],
    ['neither', '', '', 2],
  ])('%s may set a key', (_, newer, old, expected) => {
    expect(read({ 'pawl.toml': newer, [older]: old }).config.change.planningIterations).toBe(expected);
  });

  test('are merged key by key; a list is one value', () => {
    const { config } = read({
      'pawl.toml':
        'fallback = ["codex"]\n[budget]\nhours = 1\n[gemini]\nmcp = ["github"]\n[[gemini.models]]\nname = "new"\nmax_complexity = "low"',
      [older]:
        'fallback = ["claude", "gemini"]\n[budget]\nhours = 2\ntokens = 5\n[gemini]\nenv = ["KEY"]\n[[gemini.models]]\nname = "a"\nmax_complexity = "low"\n[[gemini.models]]\nname = "b"\nmax_complexity = "high"',
    });
    expect(config.budget).toMatchObject({ hours: 1, tokens: 5 });
    expect(config.fallback).toEqual(['codex']);
    expect(config.agents['gemini']).toMatchObject({ mcp: ['github'], env: ['KEY'], models: [{ name: 'new' }] });
  });

  test('reports each mistake in the file that has it, by its name there', () => {
    const files = {
      'pawl.toml': '[budget]\ntokens = 0\n',
      [older]: '\n[workflow]\nplanning_iterations = -1\n[budget]\nhours = 0\n',
    };
    expect(mistake(files).split('\n')).toEqual([
      'pawl.toml:2: budget.tokens is 0; expected a whole number from 1 to 100000000000',
      `${older}:3: workflow.planning_iterations is -1; expected a whole number from 0 to 20`,
      `${older}:5: budget.hours is 0; expected a number above 0, at most 10000`,
    ]);
  });

  test('does not check a value that the other file overrides', () => {
    const files = { 'pawl.toml': '[change]\nplanning_iterations = 1', [older]: '[workflow]\nplanning_iterations = -1' };
    expect(read(files).config.change.planningIterations).toBe(1);
  });

  test('warns of newer sections in the older file', () => {
    const files = { [older]: 'retry_delay_secs = 1\n[change]\nplanning_iterations = 9\n' };
    expect(warnings(files)).toEqual([
      expect.stringContaining(`${older}:1: unknown key "retry_delay_secs" is ignored`),
      expect.stringContaining(`${older}:2: unknown key "change" is ignored`),
    ]);
    expect(read(files).config).toMatchObject({ retryDelaySecs: 5, change: { planningIterations: 2 } });
  });

  test('notes for doctor, not in warnings, that the older file is read', () => {
    expect(read({ [older]: '' })).toMatchObject({
      warnings: [],
      notes: [`${older} is the older place for this configuration; pawl.toml wins where both set a key`],
    });
    expect(read({ 'pawl.toml': '' }).notes).toEqual([]);
  });

  test('change reads both, the others only pawl.toml', () => {
    const files = view({ 'pawl.toml': '[change]\nscript_retries = 1\n', [older]: '[budget]\ndispatches = 7\n' });
    expect(change.settings(files)).toMatchObject({ limits: { retries: 1 }, spending: { dispatches: 7 } });
    expect(session.settings(files)).toMatchObject({ spending: { dispatches: 300 }, notes: [], warnings: [] });
    expect(change.configPaths).toEqual(['pawl.toml', older]);
  });

  test('change prefers its own retry delay to the shared one', () => {
    const delay = (text: string) => change.settings(view({ 'pawl.toml': text })).retryDelayMs;
    expect([
      delay(''),
      delay('retry_delay_secs = 2'),
      delay('retry_delay_secs = 2\n[change]\nretry_delay_secs = 0'),
    ]).toEqual([5_000, 2_000, 0]);
  });
});

describe('P2: sections', () => {
  test('of other workflows are not reported as unknown', () => {
    const text =
      'workflows = []\nretry_delay_secs = 1\n[change]\nscript_retries = 1\n[session]\nrepairs = 1\n[checks]\ntest = false\n[limits.x]\na = 1\n[prices.writer]\nmost = 1\n';
    const files = view({ 'pawl.toml': text });
    for (const { warnings: found } of [change.settings(files), session.settings(files), settingsOfDefined(page, files)])
      expect(found).toEqual([]);
  });

  test('that are unknown cause warnings', () => {
    expect(warnings({ 'pawl.toml': '\n[sesion]\nrepairs = 2\n' })).toEqual([
      'pawl.toml:2: unknown key "sesion" is ignored; use "session"',
    ]);
  });

  test('of agents are known once the agent plays a role in any workflow', () => {
    expect(warnings({ 'pawl.toml': '[roles]\nCoder = "mine"\n[mine]\ncommand = "x"\n' })).toEqual([]);
    expect(warnings({ 'pawl.toml': '[mine]\ncommand = "x"\n' })).toHaveLength(1);
  });
});

describe('P2: keys of limits and checks', () => {
  test('that are unknown are errors', () => {
    expect(() => warnings({ 'pawl.toml': '[budget]\ncosts_usd = 5\n' })).toThrow(
      'pawl.toml:2: unknown key "budget.costs_usd"; expected "cost_usd"',
    );
    expect(() => change.settings(view({ 'pawl.toml': '[checks]\nzzzzzz = 1\n' }))).toThrow(
      'pawl.toml:2: unknown key "checks.zzzzzz"; expected one of test, audit, typecheck, lint, timeout_minutes',
    );
  });

  test('may have the names that the flag --budget has', () => {
    const costOf = (content: Record<string, string>) => change.settings(view(content)).spending.costUsd;
    expect(costOf({ 'pawl.toml': '[budget]\ncost = 5\n' })).toBe(5);
    expect(costOf({ 'pawl.toml': '[budget]\ncost = 5\n', [older]: '[budget]\ncost_usd = 7\n' })).toBe(5);
    expect(() => costOf({ 'pawl.toml': '[budget]\ncost = 5\ncost_usd = 6\n' })).toThrow('unknown key "budget.cost"');
    expect(() => costOf({ 'pawl.toml': '\n[budget]\ncost = -5\n' })).toThrow('pawl.toml:3: budget.cost_usd is -5');
  });
});

describe('P2: roles', () => {
  const roles = (lines: string, before = '') => warnings({ 'pawl.toml': `${before}[roles]\n${lines}\n` });

  test('of every bundled workflow and of the current one are known', () => {
    expect(roles('planner = "x"\nCoder = "x"\nSpecAgent = "x"')).toEqual([]);
    const files = view({ 'pawl.toml': '[roles]\nwriter = "gemini"\n' });
    expect(settingsOfDefined(page, files)).toMatchObject({ agents: { writer: 'gemini' }, warnings: [] });
    expect(() => change.settings(files)).toThrow('no workflow has the role "writer"');
  });

  test('a mistyped one is an error with the nearest name', () => {
    expect(() => roles('plannr = "codex"')).toThrow(
      'pawl.toml:2: no workflow has the role "plannr"; expected "planner"',
    );
    expect(() => roles('coder = "codex"')).toThrow('pawl.toml:2: no workflow has the role "coder"; expected "Coder"');
    expect(() => warnings({ [older]: '[roles]\nrevewer = "codex"\n' })).toThrow(
      `${older}:2: no workflow has the role "revewer"; expected "reviewer"`,
    );
  });

  test("an unknown one is an error, unless it may be that of a project's own workflow", () => {
    expect(() => roles('illustrator = "codex"')).toThrow(
      'pawl.toml:2: no workflow has the role "illustrator"; expected one of planner, ',
    );
    expect(roles('illustrator = "codex"', 'workflows = ["workflows/a.yaml"]\n')).toEqual([]);
    expect(roles('plannr = "codex"', 'workflows = ["workflows/a.yaml"]\n')).toEqual([
      'pawl.toml:3: no bundled workflow has the role "plannr"; did you mean "planner"?',
    ]);
  });

  test('only those of the workflow are its agents', () => {
    const files = view({ 'pawl.toml': '[roles]\nplanner = "a"\nCoder = "b"\n' });
    expect(change.settings(files).agents).toEqual({ planner: 'a' });
    expect(session.settings(files).agents).toEqual({ Coder: 'b' });
  });
});
