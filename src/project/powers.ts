/**
 * What the files of a repository tell Pawl to run, to load, to pass on, or to let judge.
 *
 * T1. Nothing of it takes effect before a person has trusted it: see trust.ts.
 * T2. Whatever changes what would run changes the digest: the settings themselves, the definitions of the project's
 *     workflows with everything in their folders, and the programs of the repository that a setting names.
 * T3. Checks are the project's own tests, which change with every task: their commands count, their content does not.
 */

import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { parseToml } from '../documents/toml.ts';
import { isRecord } from '../schema/values.ts';
import { configPaths } from '../workflows/workflow-config.ts';
import { listFiles, orElse, readText } from '../workspace/files.ts';
import { resolveInside } from '../workspace/safe-paths.ts';

export interface Power {
  /** The file and the setting, or the file alone. */
  readonly where: string;
  readonly what: string;
}

export interface Powers {
  readonly digest: string;
  readonly powers: readonly Power[];
}

/** Settings that run something, pass something on, or choose who judges; everything beneath them counts. */
const powerful = new Set([
  'allow_shell',
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
  'roles',
  'sandbox',
  'setup',
  'workflows',
]);

/** Null where the repository asks for nothing. Throws a DocumentError for a file that cannot be read. */
export function powersOf(root: string): Powers | null {
  const settings = configPaths.flatMap((file) => settingsIn(root, file));
  if (settings.length === 0) return null;
  const files = settings.flatMap(({ key, value }) => filesOf(root, key, value));
  const powers = [...settings.map(({ where, value }) => ({ where, what: JSON.stringify(value) })), ...files];
  const digest = createHash('sha256').update(JSON.stringify(powers)).digest('hex');
  return { digest, powers };
}

interface Setting {
  readonly where: string;
  /** The last name of its path that makes it powerful. */
  readonly key: string;
  readonly value: unknown;
}

function settingsIn(root: string, file: string): readonly Setting[] {
  const text = readText(join(root, file));
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

/** T2. What is in the repository behind a setting, each file with its digest. */
function filesOf(root: string, key: string, value: unknown): readonly Power[] {
  if (key === 'checks') return [];
  const words = Array.isArray(value) ? value.map(String) : String(value).split(/\s+/);
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
  const inside = path.replace(/^\.\//, '');
  const text = orElse(undefined, () => readText(resolveInside(root, inside)));
  return text === undefined ? undefined : createHash('sha256').update(text).digest('hex').slice(0, 32);
}
