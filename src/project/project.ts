/** What a project adds to Pawl: pawl.toml, and the workflows it names. */

import { nameOfFile, readProjectConfig } from '../workflows/defined/config.ts';
import { configPath } from '../workflows/workflow-config.ts';
import { readDocument } from '../workspace/files.ts';

export const projectFile = configPath;

export interface Project extends Pick<ReturnType<typeof readProjectConfig>['config'], 'prices'> {
  /** Null outside of a repository. */
  readonly root: string | null;
  /** Workflows of its own, each named after the file that defines it. */
  readonly workflows: readonly { readonly name: string; readonly file: string }[];
}

export function readProject(root: string | null): Project {
  const read = (path: string): string | undefined => (root === null ? undefined : readDocument(root, path));
  const { workflows, prices } = readProjectConfig({ read }).config;
  return { root, workflows: workflows.map((file) => ({ name: nameOfFile(file), file })), prices };
}
