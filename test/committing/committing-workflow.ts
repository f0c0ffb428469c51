/** A workflow of a project whose checks work with git, in a repository of its own. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { ScratchRepository, type Ran } from '../../src/testing/scratch-repository.ts';
import { program } from '../change/scripts.ts';

const definition = (finish: string, land: string): string => `import { defineWorkflow } from 'pawl';
export default defineWorkflow({
  name: 'deliver',
  about: 'Writes something and commits it.',
  begin: 'write',
  roles: { writer: { writes: ['src/**', '.husky/**'] } },
  artifacts: { code: { path: 'src/a.txt' } },
  states: {
    write: { role: 'writer', prompt: 'write.md', makes: 'code', on: { done: 'finish' } },
    finish: {
      check: async ({ git, files, run }) => {
${finish}
      },
      signals: ['good', 'bad'],
      on: { good: 'land', bad: 'bad' },
    },
    land: {
      check: async ({ git, run }) => {
${land}
      },
      signals: ['good', 'bad'],
      placeless: true,
      on: { good: 'good', bad: 'bad' },
    },
    good: { ends: 'done' },
    bad: { ends: 'failed' },
  },
});
`;

export const commitAll = `
        const made = await git.commit({ message: 'feat: ' + run, paths: ['src'] });
        return { signal: { name: made.kind === 'refused' ? 'bad' : 'good' }, notes: [JSON.stringify(made)] };`;

const stay = `
        return { signal: { name: git && run ? 'good' : 'bad' } };`;

export class Delivery {
  readonly repository: ScratchRepository;
  readonly #sandbox: string;

  constructor({
    finish = commitAll,
    land = stay,
    sandbox = 'off',
  }: { finish?: string; land?: string; sandbox?: string } = {}) {
    this.#sandbox = sandbox;
    this.repository = ScratchRepository.create(program, {
      'pawl.toml': 'retry_delay_secs = 0\nworkflows = ["workflows/deliver.ts"]\n',
      'workflows/deliver.ts': definition(finish, land),
      'workflows/write.md': 'Write {{code}}.\n',
      'src/a.txt': 'one\n',
    });
    this.repository.git('config', 'user.name', 'Ada');
    this.repository.git('config', 'user.email', 'ada@example.org');
  }

  /** `files` are what the agent writes. */
  start(
    run: string,
    files: Readonly<Record<string, string>>,
    env: Readonly<Record<string, string>> = {},
    cwd = this.repository.root,
  ): Promise<Ran> {
    const call = [{ tool: 'report', args: { verdict: 'done', summary: 'Written.' } }];
    this.repository.write('../script.yaml', stringify([{ role: 'writer', step: 'write', write: files, call }]));
    const flags = ['--agent', 'scripted', '--script', '../script.yaml', '--no-input'];
    return this.pawl(['deliver', 'start', run, ...flags], env, cwd);
  }

  pawl(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = this.repository.root): Promise<Ran> {
    return this.repository.pawl(args, { env: { PAWL_SANDBOX: this.#sandbox, ...env }, cwd });
  }

  git(...args: string[]): string {
    return this.repository.git(...args).trimEnd();
  }

  /** The hook's or command's outputs of the checks of a run. */
  outputs(run: string): string {
    const folder = join(this.repository.runFolder('deliver', run), 'checks');
    return readdirSync(folder)
      .toSorted()
      .map((name) => readFileSync(join(folder, name, 'output.log'), 'utf8'))
      .join('');
  }
}
