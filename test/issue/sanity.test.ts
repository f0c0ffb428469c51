/** Phase 1: one clear error for each thing that is wrong, before anything is written anywhere. */

import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { issueText } from '../../src/workflows/issue/files/backlog.fixture.ts';
import { IssueRepository, plan } from './played-issue.ts';

/** Every file beside and in the repository, git's and Pawl's included, with its content. */
function everything({ folder }: IssueRepository): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const found = lstatSync(path);
      if (found.isSymbolicLink()) return [name, readlinkSync(path)];
      return [name, found.isFile() ? readFileSync(path, 'latin1') : '-'];
    }),
  );
}

type Issues = NonNullable<NonNullable<Parameters<typeof IssueRepository.for>[1]>['issues']>;

interface Row {
  readonly what: string;
  readonly issues?: Issues;
  readonly prepare?: (repository: IssueRepository) => void;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly exitCode: 2 | 4;
  readonly code: string;
  /** In this order. */
  readonly says: readonly string[];
}

const commit = (repository: IssueRepository): void => {
  repository.git('add', '--all');
  repository.git('commit', '--quiet', '--message=more');
};
const dirty = {
  exitCode: 2,
  code: 'DirtyTree',
  says: ['Working tree must be clean. Commit or stash uncommitted changes before running the workflow.'],
} as const;
const onBase = { exitCode: 2, code: 'OnBaseBranch' } as const;

const malformed = (what: string, text: string, line: number, ...says: readonly string[]): Row => ({
  what: `[issue/bad-input] front matter with ${what}`,
  prepare: (repository) => {
    repository.write('TODO/GAL-1.md', text);
    commit(repository);
  },
  exitCode: 2,
  code: 'IssueMalformed',
  says: [`TODO/GAL-1.md:${line}`, ...says],
});
const good = issueText('GAL-1', {});

const rows: readonly Row[] = [
  {
    what: '[issue/sanity/bare] a bare repository',
    prepare: (repository) => repository.git('clone', '--quiet', '--bare', '.', '../bare.git'),
    cwd: '../bare.git',
    exitCode: 2,
    code: 'BareRepository',
    says: ['a git directory without a work tree'],
  },
  {
    what: '[issue/sanity/detached] a detached HEAD',
    prepare: (repository) => repository.git('switch', '--quiet', '--detach'),
    exitCode: 2,
    code: 'DetachedHead',
    says: ['HEAD is detached'],
  },
  {
    what: '[issue/sanity/tracker] [issue/adr/2] no TODO/',
    prepare: (repository) => {
      repository.git('rm', '-r', '--quiet', 'TODO');
      commit(repository);
    },
    exitCode: 2,
    code: 'NoTracker',
    says: ['TODO/'],
  },
  {
    what: '[issue/sanity/tracker] no TODO/README.md',
    prepare: (repository) => {
      repository.git('rm', '--quiet', 'TODO/README.md');
      commit(repository);
    },
    exitCode: 2,
    code: 'NoIndex',
    says: ['TODO/README.md'],
  },
  {
    what: '[issue/sanity/tracker] [issue/bad-input] an id without an issue',
    args: ['GAL-11'],
    exitCode: 2,
    code: 'IssueNotFound',
    says: ['GAL-11', 'did you mean GAL-1'],
  },
  {
    what: '[issue/bad-input] a word that is no id',
    args: ['../../etc/passwd'],
    exitCode: 2,
    code: 'InvalidIssueId',
    says: ['../../etc/passwd'],
  },
  malformed(
    'a status that does not exist',
    good.replace('Todo', 'Doing'),
    4,
    'Doing',
    'one of "Todo", "In Progress", "Done"',
  ),
  malformed('the id of another issue', good.replace('id: GAL-1', 'id: GAL-7'), 2, 'GAL-7', 'GAL-1'),
  malformed('a list that is no list', good.replace('[]', '{a: 1}'), 6, 'label'),
  malformed('a dependency on itself', good.replace('depends-on: []', 'depends-on: [GAL-1]'), 7, 'depends on itself'),
  malformed('YAML that cannot be read', good.replace('Todo', 'Todo: now'), 4, 'expected valid YAML'),
  malformed('no end', good.replaceAll('---\n\n', '\n'), 1, 'not closed', '---'),
  malformed('nothing in it', '# GAL-1: Title\n', 1, 'there is no front matter', 'id, title, status'),
  {
    what: '[issue/bad-input] a dependency that cannot be read',
    issues: { 'GAL-1': { dependsOn: ['GAL-2'] } },
    prepare: (repository) => {
      repository.write('TODO/GAL-2.md', issueText('GAL-2', {}).replace('Todo', 'Doing'));
      commit(repository);
    },
    exitCode: 2,
    code: 'IssueMalformed',
    says: ['TODO/GAL-2.md:4', 'Doing'],
  },
  {
    what: '[issue/bad-input] a parent that cannot be read',
    issues: { 'GAL-1': { parent: 'GAL-2' } },
    prepare: (repository) => {
      repository.write('TODO/GAL-2.md', issueText('GAL-2', {}).replace('Todo', 'Doing'));
      commit(repository);
    },
    exitCode: 2,
    code: 'IssueMalformed',
    says: ['TODO/GAL-2.md:4', 'Doing'],
  },
  {
    what: '[issue/bad-input] issues that wait for each other',
    issues: { 'GAL-1': { dependsOn: ['GAL-2'] }, 'GAL-2': { dependsOn: ['GAL-3'] }, 'GAL-3': { dependsOn: ['GAL-1'] } },
    exitCode: 2,
    code: 'DependencyCycle',
    says: ['GAL-1 → GAL-2 → GAL-3 → GAL-1'],
  },
  {
    what: '[issue/sanity/dirty] [issue/adr/20] an edited file',
    prepare: (repository) => repository.write('src/greet.mjs', 'export {};\n'),
    ...dirty,
  },
  {
    what: '[issue/sanity/dirty] a staged file',
    prepare: (repository) => {
      repository.write('src/greet.mjs', 'export {};\n');
      repository.git('add', '--all');
    },
    ...dirty,
  },
  {
    what: '[issue/sanity/dirty] [issue/bad-input] a file that git does not know',
    prepare: (repository) => repository.write('notes.txt', 'mine\n'),
    ...dirty,
  },
  {
    what: '[issue/sanity/base] [issue/bad-input] the branch that is named as the base',
    args: ['GAL-1', 'work'],
    ...onBase,
    says: ['work'],
  },
  {
    what: '[issue/sanity/base] main without an argument',
    prepare: (repository) => repository.git('switch', '--quiet', 'main'),
    ...onBase,
    says: ['main'],
  },
  {
    what: '[issue/sanity/base] master where there is no main',
    prepare: (repository) => {
      repository.git('branch', '--quiet', '--move', 'main', 'master');
      repository.git('switch', '--quiet', 'master');
    },
    ...onBase,
    says: ['master'],
  },
  {
    what: '[issue/sanity/base] a base that does not exist',
    args: ['GAL-1', 'mian'],
    exitCode: 2,
    code: 'NoBaseBranch',
    says: ['mian', 'did you mean main'],
  },
  {
    what: '[issue/sanity/base] neither main nor master',
    prepare: (repository) => repository.git('branch', '--quiet', '--move', 'main', 'trunk'),
    exitCode: 2,
    code: 'NoBaseBranch',
    says: ['main', 'master'],
  },
  {
    what: '[issue/sanity/depends-on] a dependency that is not Done',
    issues: {
      'GAL-1': { dependsOn: ['GAL-2', 'GAL-3', 'GAL-4'] },
      'GAL-2': { status: 'In Progress' },
      'GAL-3': { status: 'Done' },
    },
    exitCode: 4,
    code: 'IssueBlocked',
    says: ['GAL-2 (In Progress), GAL-4 (missing)'],
  },
  {
    what: '[issue/sanity/done] an issue that is Done',
    issues: { 'GAL-1': { status: 'Done' } },
    exitCode: 4,
    code: 'IssueDone',
    says: ['GAL-1 is Done already'],
  },
];

describe('[issue/sanity/nothing-written] phase 1 stops with one error, and nothing is written', () => {
  test.for(rows.map((row) => [row.what, row] as const))('%s', async ([, row], context) => {
    const { issues = {}, prepare, args = ['GAL-1'], cwd = '.', exitCode, code, says } = row;
    const repository = IssueRepository.for(context, { turns: [plan()], issues });
    prepare?.(repository);
    const before = everything(repository);
    const ran = await repository.issue(['run', ...args], { cwd: join(repository.root, cwd) });
    expect(everything(repository)).toEqual(before);
    const { diagnostics } = ran.json;
    expect(diagnostics).toEqual([expect.objectContaining({ severity: 'error', code })]);
    const pattern = says.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)).join('[^]*');
    expect(diagnostics[0].message).toMatch(new RegExp(pattern));
    expect(ran.code).toBe(exitCode);
  });
});
