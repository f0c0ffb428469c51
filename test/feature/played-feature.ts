/** A repository with features, and turns for the scripted agent: any phase in the fewest steps. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { stringify } from 'yaml';
import type { Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { WarmRepository } from '../warm-repository.ts';

export const program = new URL('../../dist/pawl.js', import.meta.url).pathname;

export type Turn = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

export const run = '001-short-slugs';
export const folder = `docs/features/${run}`;

export const specText = '# Spec\n\n- R1: A slug has at most 60 characters.\n';
export const tasksText = '# Tasks\n\n- [ ] Write the limit\n- [ ] Test the limit\n';

/** The executor files a document. */
export const produce = (content = '# Document\n\nText.\n'): Turn => ({
  role: 'executor',
  step: 'produce',
  call: [{ tool: 'write_document', args: { content } }],
});

export const issue = (severity: string, cites?: string, description = `A ${severity}.`): Values => ({
  severity,
  description,
  ...(cites !== undefined && { cites }),
});

/** Without blockers it claims to approve. */
export const review = (issues: readonly Values[] = [], more: Values = {}, step = 'review'): Turn => ({
  role: 'reviewer',
  step,
  call: [
    {
      tool: 'file_review',
      args: {
        approved: !issues.some(({ severity }) => severity === 'blocker'),
        summary: `${issues.length} issues.`,
        issues,
        ...more,
      },
    },
  ],
});

export const blocker = issue('blocker', 'E1');
export const reviewCode = (issues: readonly Values[] = []): Turn => review(issues, {}, 'review_code');

/** The executor changes code. */
export const work = (step: string, write: Readonly<Record<string, string>> = {}): Turn => ({
  role: 'executor',
  step,
  write,
  call: [{ tool: 'report_work', args: { summary: 'Did it.' } }],
});

export const implement = (write: Readonly<Record<string, string>> = {}): Turn => work('implement_task', write);

export const finding: Values = {
  category: 'missing',
  requirement: 'R1',
  place: 'limit.mjs:1',
  description: 'Not cut.',
};

/** Without findings there is evidence for R1. */
export const audit = (findings: readonly Values[] = [], more: Values = {}): Turn => ({
  role: 'auditor',
  step: 'final_review',
  call: [
    {
      tool: 'file_final_review',
      args: {
        approved: findings.length === 0,
        summary: 'Compared.',
        findings,
        evidence: findings.length === 0 ? [{ requirement: 'R1', place: 'limit.mjs:1' }] : [],
        ...more,
      },
    },
  ],
});

/** A phase of one document that is approved at once. */
export const documented = (content?: string): readonly Turn[] => [produce(content), review()];
export const verified: readonly Turn[] = [
  produce('# Verification\n\nR1 holds.\n'),
  review([], {}, 'review_verification'),
];
export const implemented: readonly Turn[] = [
  implement({ 'limit.mjs': 'export const limit = 60;\n' }),
  reviewCode(),
  audit(),
];

interface Given {
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
}

export interface Result extends Ran {
  readonly json: Record<string, any>;
  /** `step:signal` of every dispatch of the run. */
  readonly steps: readonly string[];
}

/** Nobody is there, unless answers are given. */
export class FeatureRepository extends WarmRepository {
  static with({ config = 'retry_delay_secs = 0\n', files = {} }: Given = {}): FeatureRepository {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `create` makes what it is called on
    const repository = this.create(program, {
      'pawl.toml': config,
      'README.md': '# Pages\n',
      ...files,
    }) as FeatureRepository;
    repository.git('config', 'user.name', 'A Person');
    repository.git('config', 'user.email', 'person@example.com');
    return repository;
  }

  /** Removed when the test has ended. */
  static for({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, given: Given = {}): FeatureRepository {
    const repository = this.with(given);
    onTestFinished(() => repository.remove());
    return repository;
  }

  /** Git knows the worktree of the copy. */
  override copy(): FeatureRepository {
    const copy = new FeatureRepository(this.program, super.copy().folder);
    copy.turns = [...this.turns];
    if (!existsSync(copy.worktree)) return copy;
    const known = `.git/worktrees/repo-${run}`;
    copy.write(`${known}/gitdir`, `${copy.worktree}/.git\n`);
    copy.write(`../repo-${run}/.git`, `gitdir: ${copy.root}/${known}\n`);
    return copy;
  }

  /** The same again for one test. */
  copyFor({ onTestFinished }: Pick<TestContext, 'onTestFinished'>): FeatureRepository {
    const copy = this.copy();
    onTestFinished(() => copy.remove());
    return copy;
  }

  /** Of the feature 001-short-slugs. */
  get worktree(): string {
    return `${this.root}-${run}`;
  }

  /** A feature named "Short slugs". */
  begin(...args: readonly string[]): Promise<Result> {
    return this.feature(['create', 'Short slugs', ...args]);
  }

  /** Plays one phase; all turns that were given before have to be played by then. */
  async phase(target: string, turns: readonly Turn[], ...args: readonly string[]): Promise<Result> {
    this.script(turns);
    return this.feature([target, run, ...this.played, ...args]);
  }

  /** Answers by decision, for `--answers`. */
  answers(answers: Readonly<Record<string, string | readonly string[]>>): readonly string[] {
    this.write('../answers.json', JSON.stringify(answers));
    return ['--answers', join(this.folder, 'answers.json')];
  }

  private turns: Turn[] = [];

  /** Adds to what the agent plays. */
  script(turns: readonly Turn[]): void {
    this.turns.push(...turns);
    this.write('../script.yaml', stringify(this.turns));
  }

  get played(): readonly string[] {
    return ['--agent', 'scripted', '--script', join(this.folder, 'script.yaml')];
  }

  feature(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    return this.told(['feature', ...args], options);
  }

  async told(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    const ran = await this.pawl([...args, '--json', ...(args.includes('list') ? [] : ['--no-input'])], options);
    let json: Record<string, any> = {};
    try {
      json = JSON.parse(ran.stdout) as Record<string, any>;
    } catch {
      json = { notJson: ran.stdout };
    }
    const dispatches: readonly Record<string, string>[] = json['dispatches'] ?? [];
    return { ...ran, json, steps: dispatches.map(({ step, signal }) => `${step}:${signal}`) };
  }

  /** All that is there, in the worktree if the feature has one. */
  commit(message = 'Short slugs'): void {
    const where = existsSync(this.worktree) ? this.worktree : this.root;
    this.git('-C', where, 'add', '--all');
    this.git('-C', where, 'commit', '--quiet', `--message=${message}`);
  }

  get meta(): Record<string, any> {
    return JSON.parse(this.read(`${folder}/.meta.json`)) as Record<string, any>;
  }

  get history(): string {
    return this.read(`${folder}/.review-history.md`);
  }

  /** The prompts of a step, in order. */
  prompts(step: string, { json }: Result): readonly string[] {
    const dispatches: readonly Record<string, any>[] = json['dispatches'] ?? [];
    const prompts = join(this.runFolder('feature', run), 'dispatches');
    return dispatches
      .filter((each) => each['step'] === step)
      .map(({ id }) => readFileSync(join(prompts, String(id).split('#')[1] ?? '', 'prompt.md'), 'utf8'));
  }
}

/** The ends of the steps of one command, where the run had none before it. */
export const inOrder = (words: string): readonly string[] => words.trim().split(/\s+/);
