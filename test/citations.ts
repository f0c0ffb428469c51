/** Which tests cite which rules: an id in brackets in a test's title. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('../', import.meta.url).pathname;

export interface Citations {
  /** Rules no test cites. */
  readonly uncited: readonly string[];
  /** Citations of rules that do not exist, with the files they stand in. */
  readonly unknown: readonly (readonly [id: string, files: readonly string[]])[];
}

/** All ids of one workflow begin with its name. */
export function citationsOf(workflow: string, requirements: Readonly<Record<string, string>>): Citations {
  const cited = citedIn(new RegExp(String.raw`\[(${workflow}/[\w/.-]+)\]`, 'g'));
  return {
    uncited: Object.keys(requirements).filter((id) => !cited.has(id)),
    unknown: [...cited].filter(([id]) => !Object.hasOwn(requirements, id)),
  };
}

/** What the first group of the pattern matches in tests, with the files it stands in. */
export function citedIn(pattern: RegExp): ReadonlyMap<string, readonly string[]> {
  const cited = new Map<string, string[]>();
  for (const folder of ['src', 'test']) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:test|crash|long)\.ts$/.test(name)) continue;
      const file = join(folder, name);
      for (const [, id = ''] of readFileSync(join(root, file), 'utf8').matchAll(pattern)) {
        cited.set(id, [...(cited.get(id) ?? []), file]);
      }
    }
  }
  return cited;
}
