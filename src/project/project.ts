/** What a project adds to Pawl: pawl.toml, and the workflows it names. */

import { join } from 'node:path';
import { readProjectConfig, type ProjectConfig } from '../workflows/defined/config.ts';
import { configPath } from '../workflows/defined/paths.ts';
import { readText } from '../workspace/files.ts';

export interface Project extends Pick<ProjectConfig, 'workflows' | 'prices'> {
  /** Null outside of a repository. */
  readonly root: string | null;
}

export function readProject(root: string | null): Project {
  const text = root === null ? undefined : readText(join(root, configPath));
  const { workflows, prices } = readProjectConfig(text).config;
  return { root, workflows, prices };
}
