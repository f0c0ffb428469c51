/** A repository with issues, and turns for the scripted agent: a small issue from its plan to its commits. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { stringify } from 'yaml';
import type { Ran, RunOptions } from '../../src/testing/scratch-repository.ts';
import { issueText, type Setting } from '../../src/workflows/issue/files/backlog.fixture.ts';
import { WarmRepository } from '../warm-repository.ts';

export const program = new URL('../../dist/pawl.js', import.meta.url).pathname;

export type Turn = Readonly<Record<string, unknown>>;
type Values = Readonly<Record<string, unknown>>;

function turn([role, step]: readonly [string, string], tool: string, args: Values, more: Turn = {}): Turn {
  return { role, step, call: [{ tool, args }], ...more };
}

export const plan = (more: Values = {}, step = 'draft_plan'): Turn =>
  turn(['planner', step], 'write_plan', {
    problem: 'People are greeted without a name.',
    approach: 'The greeting takes a name.',
    kinds: ['other'],
    files: ['src/greet.mjs'],
    ...more,
  });

export const task = (more: Values = {}): Values => ({
  title: 'Greet by name',
  description: 'greet takes a name.',
  files: ['src/greet.mjs'],
  criteria: ['The name is in the greeting.'],
  ...more,
});

export const tasks = (...all: readonly Values[]): Turn =>
  turn(['planner', 'draft_tasks'], 'write_tasks', { tasks: all.length === 0 ? [task()] : all });

export const finding = (kind: string, title: string, more: Values = {}): Values => ({
  class: kind,
  severity: 'NEEDS WORK',
  file: 'src/greet.mjs',
  symbol: 'greet',
  title,
  detail: `${title}.`,
  ...more,
});

/** Without findings it is ACCEPTABLE. */
export const review = (step: string, findings: readonly Values[] = [], more: Values = {}): Turn =>
  turn(['check', step], 'file_review', {
    verdict: findings.length === 0 ? 'ACCEPTABLE' : 'NEEDS WORK',
    summary: 'Looked at it.',
    findings,
    ...more,
  });

export const advise = (step: string, ...notes: readonly string[]): Turn =>
  turn(['simplify', step], 'file_advice', { notes });

export const greetTest = 'it greets by name';

export const tests = (more: Values = {}, others: Turn = {}, step = 'write_tests'): Turn =>
  turn(
    ['test', step],
    'report_tests',
    {
      verdict: 'TESTS_READY',
      tests: [{ name: greetTest, file: 'test/greet.test.mjs', code: 'ASSERTION_MISMATCH' }],
      ...more,
    },
    others,
  );

export const code = (body: string): string => `export const greet = (name) => ${body};\n`;

/** Nothing is written without a body. */
export const make = (step: string, body: string | null = null, more: Values = {}): Turn =>
  turn(
    ['make', step],
    'report_work',
    { verdict: 'Complete', summary: 'Did it.', ...more },
    body === null ? {} : { write: { 'src/greet.mjs': code(body) } },
  );

export const diagnosis = (verdict: string, notes: string): Turn =>
  turn(['check', 'diagnose'], 'file_diagnosis', { verdict, notes });

export const signOff = (signed: boolean, rationale: string): Turn =>
  turn(['check', 'sign_off'], 'file_sign_off', { signed, rationale });

export const fix = (more: Values = {}): Turn => turn(['planner', 'draft_fix'], 'write_fix', task(more));

export const update = (met: readonly number[], more: Values = {}): Turn =>
  turn(['pm', 'update_issue'], 'update_issue', { criteria_met: met, comment: 'People are greeted by name.', ...more });

/** A plan of one task that nobody objects to. */
export const planned: readonly Turn[] = [plan(), review('review_plan'), advise('review_plan'), tasks()];
export const reviewed: readonly Turn[] = [review('review_code'), advise('review_code')];

const config = 'retry_delay_secs = 0\n';
const criteria = '\n## Acceptance criteria\n\n- [ ] A name is greeted.\n- [ ] Without a name it is Hello.\n';

interface Given {
  readonly turns?: readonly Turn[];
  readonly config?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly issues?: Readonly<Record<string, Setting>>;
}

/** Steps, as words. */
export const inOrder = (words: string): readonly string[] => words.trim().split(/\s+/);

export interface Result extends Ran {
  readonly json: Record<string, any>;
  /** `step:signal` of every dispatch. */
  readonly steps: readonly string[];
}

/** GAL-1 on the branch `work`. */
export class IssueRepository extends WarmRepository {
  /** Removed when the test has ended. */
  static for({ onTestFinished }: Pick<TestContext, 'onTestFinished'>, given: Given = {}): IssueRepository {
    const { turns = [], config: settings = config, files = {}, issues = {} } = given;
    const all: Readonly<Record<string, Setting>> = { 'GAL-1': { body: criteria }, ...issues };
    const top = Object.entries(all).filter(([, { parent }]) => parent === undefined);
    const rows = top.map(([id]) => `- [ ] [${id}](${id}.md) — Title of ${id}\n`);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `create` makes what it is called on
    const repository = this.create(program, {
      'pawl.toml': settings,
      'src/greet.mjs': code("'Hello'"),
      'TODO/README.md': `# Issues\n\n## Parser\n\n${rows.join('')}`,
      ...Object.fromEntries(Object.entries(all).map(([id, setting]) => [`TODO/${id}.md`, issueText(id, setting)])),
      ...files,
    }) as IssueRepository;
    onTestFinished(() => repository.remove());
    repository.git('config', 'user.name', 'A Person');
    repository.git('config', 'user.email', 'person@example.com');
    repository.git('switch', '--quiet', '--create', 'work');
    repository.script(turns);
    return repository;
  }

  /** Replaces what the agent plays; turns already played count. */
  script(turns: readonly Turn[]): void {
    this.write('../script.yaml', stringify(turns));
  }

  /** `pawl issue run GAL-1 <args>` with the scripted agent. */
  run(args: readonly string[] = [], options: RunOptions = {}): Promise<Result> {
    return this.issue(['run', 'GAL-1', ...args], options);
  }

  async issue(args: readonly string[], options: RunOptions = {}): Promise<Result> {
    const played = args[0] === 'run' ? ['--agent', 'scripted', '--script', join(this.folder, 'script.yaml')] : [];
    const ran = await this.pawl(['issue', ...args, ...played, '--json'], options);
    let json: Record<string, any> = {};
    try {
      json = JSON.parse(ran.stdout) as Record<string, any>;
    } catch {
      json = { notJson: ran.stdout };
    }
    const dispatches: readonly Record<string, string>[] = json['dispatches'] ?? [];
    return { ...ran, json, steps: dispatches.map(({ step, signal }) => `${step}:${signal}`) };
  }

  artifact(name: string, run = 'GAL-1'): string {
    return this.read(`.workflow/run-${run}/${name}`);
  }

  /** What was asked of the agents in that step, in order. */
  prompts(step: string, result: Result): readonly string[] {
    const dispatches: readonly Record<string, any>[] = result.json['dispatches'] ?? [];
    const folder = join(this.runFolder('issue', 'GAL-1'), 'dispatches');
    return dispatches
      .filter((each) => each['step'] === step)
      .map(({ id }) => readFileSync(join(folder, String(id).split('#')[1] ?? '', 'prompt.md'), 'utf8'));
  }

  /** Subjects of the commits of the branch, the last one first. */
  log(range = 'main..work'): readonly string[] {
    return this.git('log', '--format=%s', range).split('\n').filter(Boolean);
  }
}
