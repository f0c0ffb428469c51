/** What a project adds to Pawl: pawl.toml, and the workflows it names. */

import { join } from 'node:path';
import { readProjectConfig } from '../workflows/defined/config.ts';
import { readText } from '../workspace/files.ts';

export interface Project extends Pick<ReturnType<typeof readProjectConfig>['config'], 'workflows' | 'prices'> {
  /** Null outside of a repository. */
  readonly root: string | null;
}

export function readProject(root: string | null): Project {
  const read = (path: string): string | undefined => (root === null ? undefined : readText(join(root, path)));
  const { workflows, prices } = readProjectConfig({ read }).config;
  return { root, workflows, prices };
}
