/** docs/configuration.md has every key there is, with its default. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { table, type Shape } from '../src/schema/compound.ts';
import { check, snakeCase, type Schema } from '../src/schema/schema.ts';
import { sections as change } from '../src/workflows/change/config.ts';
import { sections as own } from '../src/workflows/defined/config.ts';
import { agents, runShape } from '../src/workflows/run-config.ts';
import { session } from '../src/workflows/session/config.ts';
import { root } from './source-tree.ts';

/** Heading → key → the cell of its default. */
const documented = new Map<string, Map<string, string>>();
for (const part of readFileSync(join(root, 'docs/configuration.md'), 'utf8').split('\n### ').slice(1)) {
  const rows = part.matchAll(/^\| `(\w+)` \| .+? \| (\S.*?) \| .+ \|$/gm);
  documented.set(part.split('\n')[0] ?? '', new Map([...rows].map(([, key = '', value = '']) => [key, value])));
}

/** A default that is null, or none, is shown as a dash. */
const shown = (value: unknown): unknown => (value === undefined ? null : value);
const defaultIn = (cell: string): unknown => (cell === '–' ? null : parse(`x = ${cell.replaceAll('`', '')}`)['x']);

function defaultsOf(schema: Schema<unknown>, given: unknown = {}): Readonly<Record<string, unknown>> {
  const read = check(schema, given, { spell: snakeCase });
  return 'value' in read ? (read.value as Readonly<Record<string, unknown>>) : {};
}

function keysOf(schema: Schema<unknown>): string[] {
  const { properties } = schema.json() as { readonly properties: Readonly<Record<string, unknown>> };
  return Object.keys(properties);
}

const shape = runShape(60);
const ofShape = (from: Shape, only: readonly string[]): Schema<unknown> =>
  table(Object.fromEntries(Object.entries(from).filter(([key]) => only.includes(key))));
const agent = agents.json()['additionalProperties'] as { readonly properties: object };

test.each<readonly [string, Schema<unknown>]>([
  ['`[change]`', change.change],
  ['`[session]`', session],
  ['Own workflows', table(own)],
  ['Top level', ofShape(shape, ['roles', 'retryDelaySecs', 'notify', 'fallback', 'sandbox'])],
  ['`[budget]`', shape.budget],
  ['`[dispatch]`', shape.dispatch],
  ['`[worktree]`', shape.worktree],
  ['`[network]`', shape.network],
  ['`[files]`', shape.files],
])('[D17] %s: every key and its default', (heading, schema) => {
  const defaults = defaultsOf(schema);
  const expected = keysOf(schema).map((key) => [snakeCase(key), shown(defaults[key])]);
  const found = [...(documented.get(heading) ?? [])].map(([key, cell]) => [key, defaultIn(cell)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

test('[D17] [checks]: every key', () => {
  const keys = keysOf(change.checks).map(snakeCase);
  expect([...(documented.get('`[checks]`') ?? [])].map(([key]) => key)).toEqual(keys);
});

test('[D17] every section of the shared ones is documented', () => {
  const known = [...documented.keys(), ...(documented.get('Top level')?.keys() ?? [])].join(' ');
  expect(Object.keys(shape).filter((key) => !known.includes(snakeCase(key)))).toEqual([]);
});

test('[D17] agents and their models: every key', () => {
  const given = { a: { models: [{ name: 'm', max_complexity: 'low' }] } };
  const read = check(agents, given, { spell: snakeCase });
  const [model = {}] = 'value' in read ? (read.value['a']?.models ?? []) : [];
  const keys = (heading: string) => [...(documented.get(heading)?.keys() ?? [])].toSorted();
  const names = (properties: object) => Object.keys(properties).map(snakeCase).toSorted();
  expect(keys('`[claude]`, `[codex]`, … one table per agent')).toEqual(names(agent.properties));
  expect(keys('`[[<agent>.models]]`')).toEqual(names(model));
});
