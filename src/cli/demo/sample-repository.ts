/** The demo's sample repository: files of a workflow's choice, and one commit. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { readDocument, withoutLines } from '../../documents/read-document.ts';
import { parseYaml } from '../../documents/yaml.ts';
import { record } from '../../schema/compound.ts';
import { verbatim } from '../../schema/simple.ts';
import { git } from '../../workspace/git.ts';
import { Problem } from '../problem.ts';

/** Path → content. */
export function sampleFiles(sample: string): ReadonlyMap<string, string> {
  const file = 'the sample repository';
  const values = parseYaml(sample, { file, line: 1 });
  return new Map(Object.entries(readDocument(record(verbatim()), values, withoutLines(file))));
}

/** Makes it in `folder`, or in a fresh temporary one, and returns where it is. */
export async function makeSampleRepository(sample: string, folder: string | undefined): Promise<string> {
  const root = folder === undefined ? mkdtempSync(join(tmpdir(), 'pawl-demo-')) : emptyFolder(resolve(folder));
  for (const [path, content] of sampleFiles(sample)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  await git(['init', '--quiet', '--initial-branch=main'], { cwd: root });
  await git(['add', '--all'], { cwd: root });
  await git(['commit', '--quiet', '--message=Slugs'], { cwd: root, env: identity });
  return root;
}

/** Nobody's name: the user's git configuration is neither read nor written. */
const identity = {
  GIT_AUTHOR_NAME: 'Pawl Demo',
  GIT_AUTHOR_EMAIL: 'demo@pawl.invalid',
  GIT_COMMITTER_NAME: 'Pawl Demo',
  GIT_COMMITTER_EMAIL: 'demo@pawl.invalid',
};

function emptyFolder(folder: string): string {
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true });
    return folder;
  }
  const problem = statSync(folder).isDirectory() ? readdirSync(folder).length > 0 && 'is not empty' : 'is not a folder';
  if (problem === false) return folder;
  throw new Problem('UsageError', `${folder} ${problem}: the demo makes a repository of its own`, {
    target: folder,
    fix: 'name a folder that is empty or does not exist yet, or none for a temporary one',
  });
}
