/**
 * pawl.toml, the configuration of all workflows: each reads its own sections and the shared ones.
 *
 * P1. If an older file is read as well, pawl.toml wins key by key.
 * P2. Unknown keys are warnings with the nearest known name; where a typing error would switch off a limit, a check or
 *     a judge ([budget], [checks], [roles]), they are errors.
 */

import { documentError, documentWarnings, inFile, type Locate } from '../documents/read-document.ts';
import { lineInToml, parseToml } from '../documents/toml.ts';
import { table, type Shape, type TableOf } from '../schema/compound.ts';
import { didYouMean, nearest } from '../schema/nearest.ts';
import { check, inside, refuse, schema, snakeCase, warn, wrong, type Path, type Spot } from '../schema/schema.ts';
import { isRecord } from '../schema/values.ts';
import { bundled } from './bundled.ts';
import { agents, runShape, type RunConfig } from './run-config.ts';
import { promptFiles } from '../documents/prompt-parts.ts';
import type { FileView } from './workflow.ts';

export const configPath = 'pawl.toml';

/** Of all workflows: who works on one may not choose who judges in another. */
export const configPaths = [configPath, ...bundled.flatMap(({ olderConfigPath }) => olderConfigPath ?? [])];

/** The parts of the configuration that one workflow reads. */
export interface ConfigFormat<S extends Shape> {
  /** In addition to the shared ones. */
  readonly sections: S;
  readonly roles: readonly string[];
  readonly dispatches?: number;
  /** A file that held the configuration before pawl.toml did. `sections`: its section → the section in pawl.toml. */
  readonly older?: OlderFile;
}

interface OlderFile {
  readonly path: string;
  readonly sections: Renamed;
  /** The keys of today for those of another tool, and the names of what Pawl has no use for. */
  readonly translate?: (document: Table) => { readonly document: Table; readonly unused: readonly string[] };
}

/** Throws a DocumentError that names every wrong value. The notes are for `pawl doctor` only. */
export function readWorkflowConfig<S extends Shape>(files: Pick<FileView, 'read'>, format: ConfigFormat<S>) {
  const { older } = format;
  const { both, root, tables, locate } = readConfigFiles(files, older);
  const read = check(configSchema(format, tables), root, { unknownKeys: 'warning', spell: snakeCase });
  if ('mistakes' in read) throw documentError(read.mistakes, locate);
  const missing = promptFiles(read.value.prompts).filter(({ file }) => files.read(file) === undefined);
  if (missing.length > 0)
    throw documentError(
      missing.map(({ path, file: found }) => ({ path, found, expected: 'a file of the repository, or a text' })),
      locate,
    );
  const note = `${older?.path} is the older place for this configuration; ${configPath} wins where both set a key`;
  const unused = both.flatMap((file) => file.unused);
  const ignored = `${older?.path}: not used by Pawl: ${unused.join(', ')}`;
  return {
    config: read.value,
    warnings: [...both.flatMap((file) => unknownSections(file, tables)), ...documentWarnings(read.warnings, locate)],
    notes: older && files.read(older.path) !== undefined ? [note, ...(unused.length > 0 ? [ignored] : [])] : [],
  };
}

/** The files as one table with the names of pawl.toml, and where each value of it comes from. */
export function readConfigFiles(files: Pick<FileView, 'read'>, older: OlderFile | undefined) {
  const newer = readFile(files, configPath, sharedSections);
  const both = older ? [newer, readFile(files, older.path, runSections, older)] : [newer];
  const root = both.map((file) => file.root).reduce(merged);
  return { both, root, tables: agentTables(root), locate: locator(both) };
}

/** Sections that an older file may have as well. */
const runSections = [
  'roles',
  'checks',
  'budget',
  'dispatch',
  'worktree',
  'notify',
  'fallback',
  'sandbox',
  'network',
  'files',
];
const projectSections = ['workflows', 'limits', 'prices', 'prompts', 'retry_delay_secs'];
const sharedSections = [...runSections, ...projectSections, ...bundled.map(({ name }) => name)];
export const agentNames = ['gemini', 'codex', 'claude', 'opencode', 'copilot', 'acp', 'command', 'scripted'];

/** Other names of keys: section → name → key. */
export const aliases: Readonly<Record<string, Renamed>> = { budget: { cost: 'cost_usd' } };

type Table = Readonly<Record<string, unknown>>;
type Renamed = Readonly<Record<string, string>>;

/** `root` has the section names of pawl.toml, `names` leads from those to the file's own. */
function readFile(
  files: Pick<FileView, 'read'>,
  path: string,
  sections: readonly string[],
  { sections: renamed = {}, translate }: Partial<OlderFile> = {},
) {
  const text = files.read(path) ?? '';
  const parsed = parseToml(text, path);
  const { document, unused } = translate?.(parsed) ?? { document: parsed, unused: [] };
  const known = [...Object.keys(renamed), ...sections];
  const own = Object.entries(document)
    .filter(([key]) => known.includes(key) || !sharedSections.includes(key))
    .map(([key, value]) => [key, withoutAliases(value, aliases[key])] as const);
  return {
    path,
    text,
    keys: Object.keys(document),
    known,
    unused,
    root: Object.fromEntries(own.map(([key, value]): [string, unknown] => [renamed[key] ?? key, value])),
    names: new Map(Object.entries(renamed).map(([old, name]) => [name, old])),
  };
}

/** Where both names are given, the other one stays, as an unknown key. */
function withoutAliases(section: unknown, names: Renamed | undefined): unknown {
  if (!names || !isRecord(section)) return section;
  const named = Object.entries(section).map(([key, value]) => {
    const name = names[key] ?? key;
    return [Object.hasOwn(section, name) ? key : name, value] as const;
  });
  return Object.fromEntries(named);
}

type ConfigFile = ReturnType<typeof readFile>;

/** P1. */
function merged(wins: Table, other: Table): Table {
  const entries = Object.entries(wins).map(([key, value]) => {
    const beneath = Object.hasOwn(other, key) ? other[key] : undefined;
    return [key, isRecord(value) && isRecord(beneath) ? merged(value, beneath) : value] as const;
  });
  return { ...other, ...Object.fromEntries(entries) };
}

/** Finds the file that sets a value: the one with the longest part of its path, pawl.toml of two equals. */
function locator(files: readonly ConfigFile[]): Locate {
  return (path) => {
    const [file] = files.toSorted((a, b) => depthOf(b.root, path) - depthOf(a.root, path));
    const [section, ...rest] = path;
    const own = typeof section === 'string' ? [file?.names.get(section) ?? section, ...rest] : path;
    const alias = Object.entries(aliases[String(section)] ?? {}).find(([, key]) => key === rest[0])?.[0];
    const lineOf = (at: Path): number => lineInToml(file?.text ?? '', at) ?? 0;
    // Where a key is missing, the line is that of its section, which is above all of its keys.
    const line = Math.max(lineOf(own), alias === undefined ? 0 : lineOf([...own.slice(0, 1), alias])) || null;
    return { file: file?.path ?? configPath, line, path: own };
  };
}

function depthOf(value: unknown, [key, ...rest]: Path): number {
  if (key === undefined) return 0;
  const list: readonly unknown[] = Array.isArray(value) ? value : [];
  const inner = isRecord(value) && Object.hasOwn(value, key) ? value[key] : list[Number(key)];
  return inner === undefined ? 0 : 1 + depthOf(inner, rest);
}

/** Agents that may have a table: the known ones, and every agent that plays a role. */
function agentTables({ roles }: Table): readonly string[] {
  const playing = Object.values(isRecord(roles) ? roles : {}).map((agent) => String(agent).trim());
  return [...new Set([...agentNames, ...playing])].filter((agent) => !sharedSections.includes(agent));
}

function configSchema<S extends Shape>(format: ConfigFormat<S>, tables: readonly string[]) {
  const { sections, roles, dispatches = 60 } = format;
  const own = table(sections, { unknownKeys: 'ignored' });
  const shared = table(runShape(dispatches), { unknownKeys: 'ignored' });
  return schema<TableOf<S> & RunConfig>((value, at) => {
    const root = isRecord(value) ? value : {};
    const fits = readRoles(root, roles, at);
    warnOfPrompts(root, at);
    const mine = own.read(root, at);
    const run = shared.read(root, at);
    const byAgent = agents.read(Object.fromEntries(tables.map((agent) => [agent, root[agent]])), at);
    return !fits || mine === wrong || run === wrong || byAgent === wrong ? wrong : { ...mine, ...run, agents: byAgent };
  });
}

/** P2. */
function unknownSections({ path, text, keys, known }: ConfigFile, tables: readonly string[]) {
  const all = [...known, ...tables];
  const unknown = keys.filter((key) => !all.includes(key));
  const mistakes = unknown.map((key) => ({ path: [key], found: undefined, expected: '', known: all }));
  const locate = inFile(path, (at) => lineInToml(text, at));
  return documentWarnings(mistakes, locate);
}

/** P2: the project's own workflows are not loaded here, and may have roles of any name; a near one is only a warning then. */
function readRoles({ roles, workflows = [] }: Table, own: readonly string[], at: Spot): boolean {
  const known = [...new Set([...bundled.flatMap(({ roles: theirs }) => theirs), ...own])];
  const mayHaveOthers = !Array.isArray(workflows) || workflows.length > 0;
  const unknown = (isRecord(roles) ? Object.keys(roles) : []).filter((role) => !known.includes(role));
  for (const role of unknown) {
    const near = nearest(role, known);
    const spot = inside(inside(at, 'roles'), role);
    const problem = `no workflow has the role "${role}"`;
    if (!mayHaveOthers) refuse(spot, role, near === undefined ? `one of ${known.join(', ')}` : `"${near}"`, problem);
    else if (near !== undefined) warn(spot, `no bundled workflow has the role "${role}"; did you mean "${near}"?`);
  }
  return mayHaveOthers || unknown.length === 0;
}

/** P2. */
function warnOfPrompts({ prompts }: Table, at: Spot): void {
  for (const [workflow, roles] of Object.entries(isRecord(prompts) ? prompts : {})) {
    const known = bundled.find(({ name }) => name === workflow)?.roles;
    for (const role of known && isRecord(roles) ? Object.keys(roles) : []) {
      if (known?.includes(role) !== false) continue;
      const spot = inside(inside(inside(at, 'prompts'), workflow), role);
      warn(spot, `${workflow} has no role "${role}"${didYouMean(role, known) || `; it has ${known.join(', ')}`}`);
    }
  }
}
