/**
 * What the files of a repository tell Pawl to run, to load, to pass on, or to let judge.
 *
 * T1. Nothing of it takes effect before a person has trusted it: see trust.ts.
 * T2. Whatever changes what would run changes the digest: the settings themselves, the definitions of the project's
 *     workflows with everything in their folders, the programs of the repository that a setting names, and the filters
 *     of git's own configuration.
 * T3. Checks are the project's own tests, which change with every task: their commands count, their content does not.
 * T5. Checks that nobody configured, found by the files of a toolchain, count as well where they would run unconfined.
 */

import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import { parseToml } from '../documents/toml.ts';
import { isRecord } from '../schema/values.ts';
import { foundCommands } from '../workflows/toolchains.ts';
import { configPaths } from '../workflows/workflow-config.ts';
import type { FileView } from '../workflows/workflow.ts';
import { listFiles, orElse, readDocument } from '../workspace/files.ts';
import { filterPrograms, findRepository } from '../workspace/git.ts';

export interface Power {
  /** The file and the setting, or the file alone. */
  readonly where: string;
  readonly what: string;
  /** Shown, and not part of the digest (T3). */
  readonly runs?: string;
}

export interface Powers {
  /** Each of them has to be trusted. */
  readonly digests: readonly string[];
  readonly powers: readonly Power[];
}

/** Settings that run something, pass something on, or choose who judges; everything beneath them counts. */
const powerful = new Set([
  'checks',
  'ci',
  'command',
  'copy',
  'driver',
  'env',
  'fallback',
  'files',
  'mcp',
  'network',
  'notify',
  'prompts',
  'roles',
  'sandbox',
  'setup',
  'workflows',
]);

/** Null where the repository asks for nothing. Throws a DocumentError for a file that cannot be read. */
export function powersOf(root: string): Powers | null {
  const settings = [...configPaths.flatMap((file) => settingsIn(root, file)), ...filtersOf(root)];
  if (settings.length === 0) return null;
  const files = settings.flatMap(({ key, value }) => filesOf(root, key, value));
  const powers = [...settings.map(({ where, value }) => ({ where, what: JSON.stringify(value) })), ...files];
  return { digests: [digestOf(powers)], powers };
}

/** T5. Each command has a digest of its own, so that one that goes away asks for nothing. Null where there is none. */
export function foundChecks(files: FileView): Powers | null {
  const found = foundCommands(files);
  if (found.length === 0) return null;
  const powers = found.map(({ command, runs }) => ({ where: 'check', what: command, ...(runs !== null && { runs }) }));
  return { digests: powers.map(({ where, what }) => digestOf([{ where, what }])), powers };
}

export function bothPowers(one: Powers | null, other: Powers | null): Powers | null {
  if (one === null || other === null) return one ?? other;
  return { digests: [...one.digests, ...other.digests], powers: [...one.powers, ...other.powers] };
}

function digestOf(powers: readonly Power[]): string {
  return createHash('sha256').update(JSON.stringify(powers)).digest('hex');
}

interface Setting {
  readonly where: string;
  /** The last name of its path that makes it powerful. */
  readonly key: string;
  readonly value: unknown;
}

function settingsIn(root: string, file: string): readonly Setting[] {
  const text = readDocument(root, file);
  if (text === undefined) return [];
  const found: Setting[] = [];
  const collect = (value: unknown, path: readonly string[], key: string | null): void => {
    if (isRecord(value)) {
      for (const name of Object.keys(value).toSorted())
        collect(value[name], [...path, name], powerful.has(name) ? name : key);
    } else if (key !== null) found.push({ where: `${file}: ${path.join('.')}`, key, value });
  };
  collect(parseToml(text, file), [], null);
  return found;
}

/** Filters of git's configuration: they run when a worktree is made. */
function filtersOf(root: string): readonly Setting[] {
  const repository = orElse(null, () => findRepository(root));
  const filters = repository === null ? [] : filterPrograms(repository);
  return filters.map(([key, value]) => ({ where: `.git/config: ${key}`, key: 'filter', value }));
}

/** T2. What is in the repository behind a setting, each file with its digest. */
function filesOf(root: string, key: string, value: unknown): readonly Power[] {
  if (key === 'checks') return [];
  // A text may name files without using them.
  const isOne = key === 'prompts';
  const words = Array.isArray(value) ? value.map(String) : isOne ? [String(value)] : String(value).split(/\s+/);
  const named = words.filter((word) => contentOf(root, word) !== undefined);
  const all = key === 'workflows' ? named.flatMap((file) => besides(root, file)) : named;
  return [...new Set(all)].map((file) => ({ where: file, what: `content ${contentOf(root, file) ?? ''}` }));
}

/** A definition may name anything beside it: prompts, modules. */
function besides(root: string, file: string): readonly string[] {
  const folder = dirname(file);
  return folder === '.' ? [file] : listFiles(root, folder);
}

function contentOf(root: string, path: string): string | undefined {
  const inside = path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path.replace(/^\.\//, '');
  const text = orElse(undefined, () => readDocument(root, inside));
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex').slice(0, 32);
}
