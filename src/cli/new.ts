/** `new workflow`: writes a small complete example with its tests, and names it in pawl.toml. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newWorkflow, withWorkflow } from '../project/new-workflow.ts';
import { projectFile, readProject } from '../project/project.ts';
import { refusal } from '../runs/refusal.ts';
import { readText, writeAtomically } from '../workspace/files.ts';
import { findRepository } from '../workspace/git.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { CommandFunction } from './context.ts';
import { exitCodes } from './exit-codes.ts';
import { Problem, usageError } from './problem.ts';
import { isTaken } from './workflows.ts';
import { screenOf } from './show/screen.ts';

const nameRule = /^[a-z][a-z0-9-]{0,31}$/;

export const newOne: CommandFunction = ({ words, flags }, { workflows }) => {
  const [name = ''] = words;
  const { root } = findRepository(process.cwd());
  checkName(name, workflows.bundled);
  const language = flags['ts'] ? 'ts' : 'yaml';
  const files = newWorkflow(name, language);
  const [definition] = files;
  const target = files.map(({ path }) => path).find((path) => existsSync(join(root, path)));
  if (target !== undefined) {
    const message = `the file ${target} already exists`;
    throw new Problem(refusal('FileExists', message, { target, fix: 'choose another name' }));
  }
  readProject(root);
  const config = withWorkflow(readText(join(root, projectFile)), definition?.path ?? '');
  for (const { path, content } of files) writeAtomically(join(root, path), content);
  if (config !== undefined) writeAtomically(join(root, projectFile), config);
  const told = files.map(({ path }) => path);
  const screen = screenOf(process.stdout);
  screen.write(
    flags['json'] ? `${JSON.stringify({ workflow: name, files: told })}\n` : text(name, told, config === undefined),
  );
  return Promise.resolve(exitCodes.done);
};

function checkName(name: string, bundled: readonly WorkflowSurface[]): void {
  if (!nameRule.test(name))
    throw usageError(
      `${JSON.stringify(name.slice(0, 80))} cannot name a workflow`,
      'use small letters, digits and -, at most 32, beginning with a letter',
    );
  if (isTaken(name, bundled)) throw usageError(`"${name}" is a command of Pawl itself`, 'choose another name');
}

function text(name: string, files: readonly string[], unlisted: boolean): string {
  return [
    'Written:',
    ...files.map((path) => `  ${path}`),
    ...(unlisted ? ['', `Add it to the list in ${projectFile} yourself: workflows = [..., "${files[0]}"]`] : []),
    '',
    'Next:',
    `  pawl verify ${name}                  prove that it cannot go wrong`,
    `  pawl show ${name}                    see it as a table`,
    `  pawl ${name} start first "A first page" --agent scripted --script workflows/${name}.rehearsal.yaml`,
    `  node --test workflows/${name}.test.mjs`,
    '',
  ].join('\n');
}
