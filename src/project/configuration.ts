/** The reference of pawl.toml: every key there is, with its values, default and meaning, from the schemas that read it. */

import { DocumentError } from '../documents/document-error.ts';
import type { Shape } from '../schema/compound.ts';
import { check, expectationOf, snakeCase, type JsonSchema, type Path, type Schema } from '../schema/schema.ts';
import { isRecord, sameValue } from '../schema/values.ts';
import { bundled } from '../workflows/bundled.ts';
import { sections as ownSections } from '../workflows/defined/config.ts';
import { agent, model, runShape } from '../workflows/run-config.ts';
import {
  agentNames,
  aliases,
  readConfigFiles,
  readWorkflowConfig,
  type ConfigFormat,
} from '../workflows/workflow-config.ts';
import type { FileView } from '../workflows/workflow.ts';

export { definitionJson } from '../workflows/defined/read-definition.ts';

/** A section of the file; the heading of the keys at its top is null. */
export interface ConfigSection {
  readonly heading: string | null;
  readonly about: string;
  readonly workflows: readonly string[];
  readonly keys: readonly ConfigKey[];
}

export interface ConfigKey {
  readonly key: string;
  /** In words. */
  readonly value: string;
  /** Null: there is none. */
  readonly default: unknown;
  /** Of workflows that differ. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly meaning: string;
}

/** A format and the workflow it is of; null stands for the project's own. */
interface NamedFormat {
  readonly workflow: string | null;
  readonly format: ConfigFormat<Shape>;
}

async function formats(): Promise<readonly NamedFormat[]> {
  const theirs = bundled.map(async (surface) => {
    const format = await surface.config?.();
    return format ? [{ workflow: surface.name, format }] : [];
  });
  return [...(await Promise.all(theirs)).flat(), { workflow: null, format: { sections: ownSections, roles: [] } }];
}

function shapeOf({ sections, dispatches = 60 }: ConfigFormat<Shape>): Shape {
  return { ...sections, ...runShape(dispatches) };
}

export async function configSections(): Promise<readonly ConfigSection[]> {
  const all = await formats();
  const names = [...new Set(all.flatMap(({ format }) => Object.keys(shapeOf(format))))];
  const found = names.flatMap((name) => {
    const readers = all.filter(({ format }) => name in shapeOf(format));
    const schema = readers.map(({ format }) => shapeOf(format)[name]).find(Boolean);
    const workflows = readers.length === all.length ? [] : readers.map(({ workflow }) => workflow ?? 'your own');
    const others = Object.fromEntries(
      readers.map(({ workflow, format }) => [workflow ?? 'your own', shapeOf(format)[name]]),
    );
    return schema ? [{ name: snakeCase(name), schema, workflows, readers: others }] : [];
  });
  const top = found.filter(({ schema }) => !schema.fields);
  return [
    { heading: null, about: '', workflows: [], keys: top.map(({ name, schema }) => keyOf(name, schema)) },
    ...found.flatMap(({ name, schema, workflows, readers }) =>
      schema.fields ? [{ ...sectionOf(`[${name}]`, schema, readers), workflows }] : [],
    ),
    sectionOf('[<agent>]', agent),
    sectionOf('[[<agent>.models]]', model),
  ];
}

type Readers = Readonly<Record<string, Schema<unknown> | undefined>>;

function sectionOf(heading: string, schema: Schema<unknown>, readers: Readers = {}): ConfigSection {
  const keys = Object.entries(schema.fields ?? {}).map(([key, field]) => {
    const others = Object.entries(readers).map(([name, other]) => [name, other?.fields?.[key]] as const);
    return keyOf(snakeCase(key), field, Object.fromEntries(others));
  });
  return { heading, about: descriptionIn(schema.json()), workflows: [], keys };
}

function keyOf(key: string, field: Schema<unknown>, readers: Readers = {}): ConfigKey {
  const usual = defaultOf(field);
  const others = Object.entries(readers).map(([name, other]) => [name, other ? defaultOf(other) : usual] as const);
  const defaults = Object.fromEntries(others.filter(([, value]) => !sameValue(value, usual)));
  const json = field.json(snakeCase);
  return {
    key,
    value: valueInWords(field, json),
    default: usual,
    defaults,
    meaning: descriptionIn(json),
  };
}

function descriptionIn({ description }: JsonSchema): string {
  return typeof description === 'string' ? description : '';
}

function defaultOf(field: Schema<unknown>): unknown {
  const read = check(field, undefined, { spell: snakeCase });
  return 'value' in read ? (read.value ?? null) : null;
}

function valueInWords(field: Schema<unknown>, { type, minimum, maximum, enum: words, anyOf }: JsonSchema): string {
  if (Array.isArray(words)) return words.map((word) => `\`"${String(word)}"\``).join(', ');
  if (type === 'boolean') return 'true or false';
  if (typeof maximum === 'number' && typeof minimum === 'number') return `${minimum} to ${maximum}`;
  if (typeof maximum === 'number') return `above 0, at most ${maximum}`;
  const [kind = ''] = expectationOf(field).split(/:| such as | that is not empty|, each under /);
  const isSwitch = Array.isArray(anyOf) && anyOf.some((each) => isRecord(each) && each['const'] === false);
  return isSwitch ? `${kind}, or false` : kind;
}

/** The effective value of a key and where it comes from; `workflows` is empty where it is the same for all. */
export interface ConfigValue {
  readonly key: string;
  readonly value: unknown;
  /** `default`, a file with the line, or a variable of the environment. */
  readonly origin: string;
  readonly workflows: readonly string[];
}

/** Every key with its effective value. Throws a DocumentError for a file that is no TOML. */
export async function effectiveConfig(files: Pick<FileView, 'read'>): Promise<readonly ConfigValue[]> {
  const all = (await formats()).flatMap(({ workflow, format }) =>
    valuesOf(files, format).map((value) => ({ ...value, workflow: workflow ?? 'your own' })),
  );
  const found = new Map<string, ConfigValue>();
  for (const { workflow, ...value } of all) {
    const id = JSON.stringify(value);
    found.set(id, { ...value, workflows: [...(found.get(id)?.workflows ?? []), workflow] });
  }
  const isOneOf = ({ key }: Value): boolean => [...found.values()].filter((other) => other.key === key).length > 1;
  const sectionOf = ({ key }: Value): string => key.replace(/\..*/, '');
  const order = [...new Set([...found.values()].map(sectionOf))];
  return [...found.values()]
    .map((value) => (isOneOf(value) ? value : { ...value, workflows: [] }))
    .toSorted((a, b) => order.indexOf(sectionOf(a)) - order.indexOf(sectionOf(b)));
}

type Value = Omit<ConfigValue, 'workflows'>;

function valuesOf(files: Pick<FileView, 'read'>, format: ConfigFormat<Shape>): readonly Value[] {
  const { root, tables, locate } = readConfigFiles(files, format.older);
  const valueAt = (path: Path): unknown =>
    path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), root);
  const origin = (path: Path): string => {
    const { file, line } = locate(path);
    return line === null ? file : `${file}:${line}`;
  };
  const given = (path: readonly string[], value: unknown): readonly Value[] =>
    isRecord(value) && Object.keys(value).length > 0
      ? Object.entries(value).flatMap(([key, inner]) => given([...path, key], inner))
      : [{ key: path.join('.'), value, origin: origin(path) }];
  const valueOf = (path: readonly string[], schema: Schema<unknown>): readonly Value[] => {
    const fields = Object.entries(schema.fields ?? {});
    const value = valueAt(path);
    if (fields.length > 0 && (value === undefined || isRecord(value)))
      return fields.flatMap(([key, field]) => valueOf([...path, snakeCase(key)], field));
    if (value !== undefined) return given(path, value);
    return [{ key: path.join('.'), value: defaultOf(schema), origin: 'default' }];
  };
  const agentValues = tables.flatMap((name) => (isRecord(root[name]) ? given([name], root[name]) : []));
  const entries = Object.entries(shapeOf(format));
  return [...entries.flatMap(([key, schema]) => valueOf([snakeCase(key)], schema)), ...agentValues];
}

/** JSON Schema of pawl.toml. Unknown keys are marked everywhere: an editor tells a typing error at once. */
export async function configJsonSchema(): Promise<JsonSchema> {
  const all = await formats();
  const shapes = new Map(all.flatMap(({ format }) => Object.entries(shapeOf(format))));
  const properties = [...shapes].map(([key, schema]): readonly [string, JsonSchema] => {
    const name = snakeCase(key);
    return [name, withAliases(name, schema.json(snakeCase))];
  });
  const agents = agentNames.map((name) => [name, agent.json(snakeCase)] as const);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'pawl.toml',
    description: 'Configuration of Pawl. Other tables are those of agents that [roles] names.',
    type: 'object',
    properties: Object.fromEntries([...properties, ...agents]),
    additionalProperties: agent.json(snakeCase),
  };
}

function withAliases(section: string, json: JsonSchema): JsonSchema {
  const names = Object.entries(aliases[section] ?? {});
  const { properties } = json;
  if (names.length === 0 || !isSchema(properties)) return json;
  const others = names.map(([alias, key]) => [alias, properties[key] ?? {}] as const);
  return { ...json, properties: { ...properties, ...Object.fromEntries(others) } };
}

function isSchema(value: JsonSchema[string] | undefined): value is JsonSchema {
  return isRecord(value);
}

export interface ConfigProblem {
  readonly severity: 'error' | 'warning';
  /** Begins with file and line. */
  readonly message: string;
}

/** What is wrong with the files, for any workflow. */
export async function configProblems(files: Pick<FileView, 'read'>): Promise<readonly ConfigProblem[]> {
  const found = new Map<string, ConfigProblem>();
  const add = (severity: ConfigProblem['severity'], message: string): void => {
    found.set(message, { severity, message });
  };
  for (const { format } of await formats()) {
    try {
      for (const { message } of readWorkflowConfig(files, format).warnings) add('warning', message);
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      add('error', error.message);
    }
  }
  return [...found.values()];
}
