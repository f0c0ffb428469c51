/** The reference of pawl.toml and the JSON Schemas: complete, and of one mind with the readers. */

import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { attempt, DocumentError } from '../src/documents/document-error.ts';
import { withoutLines } from '../src/documents/read-document.ts';
import { scriptJson } from '../src/agents/scripted/turn.ts';
import { parseScript } from '../src/agents/scripted/scripted.ts';
import {
  configJsonSchema,
  configProblems,
  configSections,
  definitionJson,
  effectiveConfig,
} from '../src/project/configuration.ts';
import type { JsonSchema } from '../src/schema/schema.ts';
import { readDefinition } from '../src/workflows/defined/read-definition.ts';
import { root } from './source-tree.ts';

const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const filesWith = (content: Readonly<Record<string, string>>) => ({ read: (path: string) => content[path] });
const blocksOf = (path: string, language: string): string[] =>
  [...textOf(path).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, text = '']) => text);

function accepts(schema: JsonSchema, value: unknown): boolean {
  return new AjvJsonSchemaValidator().getValidator({ ...schema })(value).valid;
}

test('[D17] every key has values and a meaning', async () => {
  const keys = (await configSections()).flatMap(({ heading, keys: own }) => own.map((key) => ({ heading, ...key })));
  expect(keys.length).toBeGreaterThan(50);
  expect(keys.filter(({ value, meaning }) => value === '' || meaning === '')).toEqual([]);
  expect(keys.find(({ key }) => key === 'dispatches')).toMatchObject({ default: 60, defaults: { session: 300 } });
});

/** Files that an example names. */
const promptTexts = { 'docs/house-rules.md': 'Tabs.\n', 'docs/look-for.md': 'Bugs.\n' };

describe('the schema of pawl.toml', () => {
  const examples = [
    'README.md',
    'docs/configuration.md',
    'docs/agents.md',
    'docs/security.md',
    'docs/notifications.md',
  ];

  test.each(examples.flatMap((path) => blocksOf(path, 'toml').map((text) => [path, text] as const)))(
    'accepts the examples of %s',
    async (_, text) => {
      expect(accepts(await configJsonSchema(), parseToml(text))).toBe(true);
      expect(
        (await configProblems(filesWith({ 'pawl.toml': text, ...promptTexts }))).filter(
          ({ severity }) => severity === 'error',
        ),
      ).toEqual([]);
    },
  );

  test.each([
    'sandbox = "maybe"',
    'fallback = "claude"',
    'notify = []',
    '[budget]\ncost_usd = -1',
    '[budget]\ndispatches = 1.5',
    '[budget]\nhours = 0',
    '[budget]\ncosts = 5',
    '[checks]\ntests = ["npm", "test"]',
    '[checks]\ntest = true',
    '[change]\nplanning_iterations = 21',
    '[session]\nci = 3',
    '[network]\nallow = ["http://example.org/"]',
    '[claude]\nenv = ["A B"]',
    '[[codex.models]]\nname = "x"',
    '[[codex.models]]\nname = "x"\nmax_complexity = "huge"',
    '[limits.page]\nrounds = "many"',
    '[notify]\non = ["never"]',
    '[notify]\nwebhook = "ftp://example.org"',
    '[prices]\nwriter = 3',
  ])('refuses what the reader refuses: %s', async (text) => {
    const problems = await configProblems(filesWith({ 'pawl.toml': text }));
    expect(problems.map(({ severity }) => severity)).toContain('error');
    expect(accepts(await configJsonSchema(), parseToml(text))).toBe(false);
  });

  test('has every key of the reference', async () => {
    const { properties } = await configJsonSchema();
    interface Section {
      readonly properties?: object;
      readonly anyOf?: readonly Section[];
    }
    const schemas = properties as Readonly<Record<string, Section>>;
    const keysOf = ({ properties: own = {}, anyOf = [] }: Section): string[] => [
      ...Object.keys(own),
      ...anyOf.flatMap(keysOf),
    ];
    for (const { heading, keys } of (await configSections()).slice(0, -1)) {
      const name = heading === null ? null : heading === '[<agent>]' ? 'claude' : heading.slice(1, -1);
      const known = name === null ? Object.keys(schemas) : keysOf(schemas[name] ?? {});
      expect(known).toEqual(expect.arrayContaining(keys.map(({ key }) => key)));
    }
  });
});

describe('the schema of workflows', () => {
  const page = textOf('src/project/template/workflow.yaml').replaceAll('NAME', 'page');
  const accepted = [page, ...blocksOf('docs/guides/your-own-workflow.md', 'yaml').slice(0, 1)];
  const folder = 'examples/docs-review';
  const own = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => textOf(join(folder, name)))
    .filter((text) => /^states:/m.test(text));
  const reads = (value: unknown): boolean =>
    !(attempt(() => readDefinition(value, withoutLines('w.yaml'))) instanceof DocumentError);

  test.each([...accepted, ...own].map((text) => [text]))('accepts examples: %.40s', (text) => {
    expect([reads(parseYaml(text)), accepts(definitionJson(), parseYaml(text))]).toEqual([true, true]);
  });

  test.each<readonly [string, (definition: Record<string, Record<string, unknown>>) => unknown]>([
    ['a name with a space', (all) => ({ ...all, name: 'my page' })],
    ['a reserved name', (all) => ({ ...all, name: 'again' })],
    ['an unknown key', (all) => ({ ...all, step: {} })],
    ['no begin', ({ begin: _begin, ...all }) => all],
    ['a state of no kind', (all) => ({ ...all, states: { ...all['states'], odd: { on: { done: 'x' } } } })],
    ['a state of two kinds', (all) => ({ ...all, states: { ...all['states'], odd: { ends: 'done', ask: 'x' } } })],
    ['an unknown outcome', (all) => ({ ...all, states: { ...all['states'], odd: { ends: 'finished' } } })],
    ['a path out of the repository', (all) => ({ ...all, artifacts: { page: '../page.md' } })],
    ['a path into .git', (all) => ({ ...all, artifacts: { page: { path: 'a/.git/page.md' } } })],
    ['words that repeat', (all) => ({ ...all, lists: ['a', 'a'] })],
    ['a budget without a limit', (all) => ({ ...all, budgets: { rounds: { limit: 'two' } } })],
    ['an empty list of branches', (all) => ({ ...all, states: { x: { rests: 'done', on: { go: [] } } } })],
    ['a function in YAML', (all) => ({ ...all, states: { x: { check: 'f', signals: ['a'], on: {} } } })],
  ])('refuses what the reader refuses: %s', (_, change) => {
    const value = change(parseYaml(page));
    expect([reads(value), accepts(definitionJson(), value)]).toEqual([false, false]);
  });
});

test('the schema of scripts accepts the rehearsals and refuses what cannot be played', () => {
  const rehearsals = readdirSync(join(root, 'src/workflows'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /rehearsal.*\.yaml$/.test(name))
    .map((name) => textOf(join('src/workflows', name)));
  expect(rehearsals.length).toBeGreaterThan(3);
  for (const text of [...rehearsals, ...blocksOf('docs/scripts.md', 'yaml')])
    expect([parseScript(text, 's.yaml').length > 0, accepts(scriptJson(), parseYaml(text))]).toEqual([true, true]);
  for (const text of [
    '- rol: x',
    '- { role: x, fault: explode }',
    '- { role: x, call: [{ args: {} }] }',
    '- { role: x, sleep_ms: -1 }',
  ]) {
    expect(attempt(() => parseScript(text, 's.yaml'))).toBeInstanceOf(DocumentError);
    expect(accepts(scriptJson(), parseYaml(text))).toBe(false);
  }
});

describe('effective values', () => {
  const valuesOf = async (content: Readonly<Record<string, string>>) => {
    const values = await effectiveConfig(filesWith(content));
    return (key: string) =>
      values.filter((value) => value.key === key).map(({ value, origin, workflows }) => [value, origin, ...workflows]);
  };

  test('each has its origin, and tells workflows apart where they differ', async () => {
    const of = await valuesOf({
      'pawl.toml': 'retry_delay_secs = 1\n\n[budget]\ncost = 7\n[roles]\nplanner = "house"\n[house]\ncommand = "x"\n',
      'agentd/config.toml': '[workflow]\nplanning_iterations = 4\n[budget]\ncost_usd = 9\nhours = 2\n',
    });
    expect(of('retry_delay_secs')).toEqual([[1, 'pawl.toml:1']]);
    expect(of('notify.bell')).toEqual([[true, 'default']]);
    expect(of('budget.cost_usd')).toEqual([[7, 'pawl.toml:4']]);
    expect(of('roles.planner')).toEqual([['house', 'pawl.toml:6']]);
    expect(of('house.command')).toEqual([['x', 'pawl.toml:8']]);
    expect(of('change.planning_iterations')).toEqual([[4, 'agentd/config.toml:2']]);
    expect(of('budget.hours')).toEqual([
      [2, 'agentd/config.toml:5', 'change'],
      [8, 'default', 'session', 'issue', 'feature', 'your own'],
    ]);
    expect(of('budget.dispatches')).toEqual([
      [60, 'default', 'change', 'your own'],
      [300, 'default', 'session'],
      [100, 'default', 'issue', 'feature'],
    ]);
  });

  test('a section in its short form is one value', async () => {
    const of = await valuesOf({ 'pawl.toml': 'notify = ["tell", "me"]\n' });
    expect([of('notify'), of('notify.command')]).toEqual([[[['tell', 'me'], 'pawl.toml:1']], []]);
  });

  test('every key of the reference has a value', async () => {
    const values = await effectiveConfig(filesWith({}));
    const keys = (await configSections())
      .slice(0, -2)
      .flatMap(({ heading, keys: own }) =>
        own.map(({ key }) => (heading === null ? key : `${heading.slice(1, -1)}.${key}`)),
      );
    expect(new Set(values.map(({ key }) => key))).toEqual(new Set(keys));
  });
});

test('unknown keys of limits, checks and roles are errors with file and line, others warnings', async () => {
  const text = '[budget]\ncosts_usd = 5\n[dispatch]\ntimeout = 3\n[checks]\ntset = "x"\n[roles]\nplaner = "codex"\n';
  const problems = await configProblems(filesWith({ 'pawl.toml': text }));
  const first = problems.find(({ severity }) => severity === 'error');
  expect(first?.message).toContain('pawl.toml:2: unknown key "budget.costs_usd"; expected "cost_usd"');
  expect(first?.message).toContain('pawl.toml:6: unknown key "checks.tset"; expected "test"');
  expect(first?.message).toContain('pawl.toml:8: no workflow has the role "planer"; expected "planner"');
  const warned = await configProblems(filesWith({ 'pawl.toml': '[dispatch]\ntimeout_minute = 3\n' }));
  expect(warned).toEqual([
    {
      severity: 'warning',
      message: 'pawl.toml:2: unknown key "dispatch.timeout_minute" is ignored; use "timeout_minutes"',
    },
  ]);
});
