/** `new workflow`: writes a small complete example with its tests, and names it in pawl.toml. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newWorkflow, withWorkflow } from '../project/new-workflow.ts';
import { projectFile, readProject } from '../project/project.ts';
import { refusal } from '../runs/refusal.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import { findRepository } from '../workspace/git.ts';
import type { CommandFunction } from './context.ts';
import { Problem, usageError } from './problem.ts';
import { print } from './show/screen.ts';
import { aligned } from './show/text.ts';
import { isTrusted, trustOwn } from './trusting.ts';
import { isTaken } from './workflows.ts';

const schemaPath = 'node_modules/pawl/schemas/workflow.schema.json';
const nameRule = /^[a-z][a-z0-9-]{0,31}$/;

export const newOne: CommandFunction = ({ words: [name = ''], flags }, { workflows }) => {
  const repository = findRepository(process.cwd());
  const { root } = repository;
  if (!nameRule.test(name)) {
    const fix = 'use lower-case letters, digits and -, at most 32, beginning with a letter';
    throw usageError(`${JSON.stringify(name.slice(0, 80))} is not a valid workflow name`, fix);
  }
  if (isTaken(name, workflows.bundled))
    throw usageError(`"${name}" is a command of Pawl itself`, 'choose another name');
  const schema = existsSync(join(root, schemaPath)) ? schemaPath : null;
  const written = newWorkflow(name, flags['ts'] ? 'ts' : 'yaml', schema);
  const files = written.map(({ path }) => path);
  const target = files.find((path) => existsSync(join(root, path)));
  if (target !== undefined) {
    const message = `the file ${target} already exists`;
    throw new Problem(refusal('FileExists', message, { target, fix: 'choose another name' }));
  }
  readProject(root);
  const config = withWorkflow(readText(join(root, projectFile)), files[0] ?? '');
  const trusted = isTrusted(repository);
  for (const { path, content } of written) writeAtomically(join(root, path), content);
  if (config !== undefined) writeAtomically(join(root, projectFile), config);
  // What is added is Pawl's own template; what was there is trusted already or stays untrusted.
  if (trusted) trustOwn(repository, 'settings');
  const text = textOf(name, files, config === undefined);
  return Promise.resolve(print(flags, { workflow: name, files }, text));
};

function textOf(name: string, files: readonly string[], unlisted: boolean): string {
  const script = `--agent scripted --script workflows/${name}.rehearsal.yaml`;
  return [
    'Written:',
    ...files.map((path) => `  ${path}`),
    ...(unlisted ? ['', `Add it to the list in ${projectFile} yourself: workflows = [..., "${files[0]}"]`] : []),
    '',
    'Next:',
    ...aligned([
      [`  pawl verify ${name}`, 'prove it'],
      [`  pawl show ${name}`, 'show it as a table'],
    ]),
    `  pawl ${name} start first "A first page" ${script}`,
    `  node --test workflows/${name}.test.mjs`,
  ].join('\n');
}
