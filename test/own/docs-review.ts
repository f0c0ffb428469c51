/** The example under examples/docs-review in a repository of its own, played by the scripted agent. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { stringify } from 'yaml';
import { readJournal } from '../../src/store/read-journal.ts';
import type { JournalRecord } from '../../src/store/record.ts';
import { replay, type RunState } from '../../src/runtime/run-state.ts';
import type { ScratchRepository, Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';
import { program, type Turn } from '../change/scripts.ts';

const folder = new URL('../../examples/docs-review/', import.meta.url).pathname;

/** Every file of the example, by its path. */
export const exampleFiles: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length), readFileSync(path, 'utf8')]),
);

export const definitionPath = 'workflows/docs-review.yaml';
export const definition = exampleFiles[definitionPath] ?? '';
export const page = 'docs/install.md';

/** Nobody waits between retries. */
export const config = `retry_delay_secs = 0\n${exampleFiles['pawl.toml'] ?? ''}`;

const made: ScratchRepository[] = [];

export function keepTidy(): void {
  afterAll(() => {
    for (const repository of made.splice(0)) repository.remove();
  });
}

export interface Told extends Ran {
  readonly json: Record<string, any>;
}

export class DocsRepository {
  readonly repository: ScratchRepository;

  constructor(repository: ScratchRepository) {
    this.repository = repository;
    made.push(repository);
  }

  /** `files` are added to those of the example, or replace them. */
  static create(files: Readonly<Record<string, string>> = {}): DocsRepository {
    const all = { ...exampleFiles, 'README.md': '# Docs\n', 'pawl.toml': config, ...files };
    const docs = new DocsRepository(WarmRepository.create(program, all));
    docs.repository.write(script, exampleFiles['rehearsal.yaml'] ?? '');
    return docs;
  }

  /** A repository without the example. */
  static bare(files: Readonly<Record<string, string>>): DocsRepository {
    return new DocsRepository(WarmRepository.create(program, files));
  }

  /** What the agent plays from now on, instead of the example's rehearsal. */
  script(turns: readonly Turn[]): void {
    this.repository.write(script, stringify(turns));
  }

  /** Begins the run `install`, as a script would. */
  start(...more: readonly string[]): Promise<Told> {
    return this.pawl(...begin, ...more);
  }

  async pawl(...args: readonly string[]): Promise<Told> {
    return this.run([...args, '--json']);
  }

  async run(args: readonly string[], options: RunOptions = {}): Promise<Told> {
    const ran = await this.repository.pawl(args, options);
    return { ...ran, json: parsed(ran.stdout) };
  }

  records(run = 'install', workflow = 'docs-review'): readonly JournalRecord[] {
    return readJournal(this.repository.runFolder(workflow, run)) ?? [];
  }

  state(run = 'install', workflow = 'docs-review'): RunState | undefined {
    return replay(this.records(run, workflow));
  }

  /** How each dispatch ended. */
  history(): readonly string[] {
    return this.state()?.history.map(({ step, signal }) => `${step} ${signal}`) ?? [];
  }
}

/** Beside the repository: a script that is changed between two commands is nobody's work. */
const script = '../rehearsal.yaml';
export const scripted = ['--agent', 'scripted', '--script', script, '--no-input'] as const;
export const begin = ['docs-review', 'start', 'install', 'How to install it', ...scripted] as const;

function parsed(stdout: string): Record<string, any> {
  try {
    return JSON.parse(stdout) as Record<string, any>;
  } catch {
    return { notJson: stdout };
  }
}

export const goodPage = '# Install\n\n## Usage\n\n```\nnpm install\n```\n';

export const draft = (more: Turn = {}): Turn => ({
  role: 'writer',
  step: 'draft',
  write: { [page]: goodPage },
  call: [{ tool: 'report', args: { verdict: 'done', summary: 'Written.' } }],
  ...more,
});

export const review = (verdict: string, more: Turn = {}): Turn => ({
  role: 'reviewer',
  step: 'review',
  call: [{ tool: 'report', args: { verdict, summary: `I say ${verdict}.` } }],
  ...more,
});
