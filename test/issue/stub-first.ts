/** A small project in one language, and the turns that take a new symbol of it from a stub to its commits. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import { advise, IssueRepository, make, plan, review, reviewed, task, tasks, tests, update } from './played-issue.ts';

export interface Project {
  /** With its toolchain's marker; what the toolchain makes is ignored. */
  readonly files: Readonly<Record<string, string>>;
  readonly source: string;
  readonly symbol: string;
  /** Something that is no stub, and why not, as the note of the check says it. */
  readonly wrong: readonly [content: string, why: RegExp];
  readonly stub: string;
  readonly testFile: string;
  /** Passes, or fails without a call of the symbol. */
  readonly structural: readonly [content: string, name: string, why: RegExp];
  readonly tested: string;
  /** As the runner prints it. */
  readonly testName: string;
  readonly body: string;
  readonly commits: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Options {
  readonly prepare?: (root: string) => void;
  /** The only ones that are installed. */
  readonly programs?: Readonly<Record<string, string>>;
}

type Context = Pick<TestContext, 'onTestFinished'>;

/** From a wrong stub over a structural test to the commits. */
export async function takeStubFirst(context: Context, project: Project, { prepare, programs }: Options = {}) {
  const { files, source, symbol, wrong, stub, testFile, structural, tested, testName, body } = project;
  const handed = (name: string) => ({ tests: [{ name, file: testFile, code: 'MISSING_BEHAVIOR' }] });
  const repository = IssueRepository.for(context, {
    files,
    turns: [
      plan({ files: [], new_files: [source, testFile] }),
      review('review_plan'),
      advise('review_plan'),
      tasks(task({ files: [], new_files: [source], new_symbols: [{ file: source, name: symbol }] })),
      { ...make('write_stubs'), write: { [source]: wrong[0] } },
      { ...make('write_stubs'), write: { [source]: stub } },
      tests(handed(structural[1]), { write: { [testFile]: structural[0] } }),
      tests(handed(testName), { write: { [testFile]: tested } }),
      { ...make('implement'), write: { [source]: body } },
      ...reviewed,
      update([1, 2]),
    ],
  });
  prepare?.(repository.root);
  const ran = await repository.run(['--verbose'], {
    env: { ...project.env, ...(programs && { PATH: pathOf(repository.folder, programs) }) },
  });
  const told = ran.stderr;
  expect(told).toMatch(/check stubs: invalid → write stubs/);
  expect(told).toMatch(wrong[1]);
  expect(told).toMatch(/check stubs: valid → write tests/);
  expect(told).toMatch(/prove red: structural → write tests/);
  expect(told).toMatch(structural[2]);
  expect(told).toMatch(/prove red: red → entry check\s+one new test fails as it should/);
  expect(told).toMatch(/entry check: red → implement/);
  expect(told).toMatch(/run suite: green → review code/);
  expect(ran.steps.join(' ')).toContain(
    'write_stubs:complete write_stubs:complete write_tests:tests_ready write_tests:tests_ready implement:complete review_code:acceptable',
  );
  expect([ran.code, repository.log()]).toEqual([0, ['chore(todo): close GAL-1', ...project.commits]]);
  expect(repository.git('show', `HEAD~2:${source}`)).toBe(stub);
  expect(repository.git('show', `HEAD~1:${source}`)).toBe(body);
  expect(repository.git('diff', '--name-only', 'main', '--', ':!TODO').split('\n').filter(Boolean).toSorted()).toEqual(
    [source, testFile].toSorted(),
  );
  expect(repository.git('status', '--porcelain')).toBe('');
  return { repository, ran };
}

/** A PATH with these programs only, and what git and Node need. */
export function pathOf(folder: string, programs: Readonly<Record<string, string>> = {}): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const all = { git, node: process.execPath, sh: '/bin/sh', ...programs };
  for (const [name, file] of Object.entries(all)) symlinkSync(file, join(bin, name));
  return bin;
}
