/** The commands that work with TODO/ alone. */

import { expect, test } from 'vitest';
import { issueText } from '../../src/workflows/issue/files/backlog.fixture.ts';
import { IssueRepository } from './played-issue.ts';

const issues = {
  'GAL-1': { status: 'In Progress', body: '\n## Sub-issues\n\n- [x] [GAL-2](GAL-2.md) — Title of GAL-2\n' },
  'GAL-2': { status: 'Done', parent: 'GAL-1', labels: ['bug'] },
  'GAL-3': { dependsOn: ['GAL-4'] },
  'GAL-4': { labels: ['bug', 'parser'] },
  'GAL-5': { status: 'In Progress' },
} as const;

const idsOf = (document: Record<string, any>): string[] =>
  (document['issues'] as readonly { readonly id: string }[]).map(({ id }) => id);

test('[issue/commands/list] filters by status, label and parent, and tells what cannot be read', async (context) => {
  const repository = IssueRepository.for(context, { issues });
  const listed = async (...args: readonly string[]) => idsOf((await repository.issue(['list', ...args])).json);
  expect(await listed()).toEqual(['GAL-1', 'GAL-2', 'GAL-3', 'GAL-4', 'GAL-5']);
  expect(await listed('--status', 'in-progress')).toEqual(['GAL-1', 'GAL-5']);
  expect(await listed('--label', 'bug')).toEqual(['GAL-2', 'GAL-4']);
  expect(await listed('--label', 'bug', '--status', 'todo')).toEqual(['GAL-4']);
  expect(await listed('--parent', 'GAL-1')).toEqual(['GAL-2']);

  for (const [args, code] of [
    [['--status', 'doing'], 'UsageError'],
    [['--parent', 'GAL-9'], 'IssueNotFound'],
  ] as const) {
    const refused = await repository.issue(['list', ...args]);
    expect([refused.code, refused.json['diagnostics'][0].code]).toEqual([2, code]);
  }

  repository.write('TODO/GAL-4.md', issueText('GAL-4', {}).replace('Todo', 'Doing'));
  const { json, code } = await repository.issue(['list']);
  expect(idsOf(json)).not.toContain('GAL-4');
  expect(json['problems']).toEqual([expect.objectContaining({ path: 'TODO/GAL-4.md', line: 4 })]);
  expect(code).toBe(0);
});

test('[issue/commands/view] shows an issue, what it waits for and its sub-issues', async (context) => {
  const repository = IssueRepository.for(context, { issues });
  const { json } = await repository.issue(['view', 'GAL-3']);
  expect(json).toMatchObject({ id: 'GAL-3', status: 'Todo', waitsFor: [{ id: 'GAL-4', status: 'Todo' }] });
  const { stdout, code } = await repository.pawl(['issue', 'view', 'GAL-1']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/status\s+In Progress\n[^]*sub-issues\s+GAL-2 \(Done\)\n[^]*# GAL-1: Title of GAL-1\n/);
  const unknown = await repository.issue(['view', 'GAL-44']);
  expect([unknown.code, unknown.json['diagnostics'][0].message]).toEqual([
    2,
    'there is no issue GAL-44; did you mean GAL-4?',
  ]);
});

test('[issue/commands/next] lists what can be run, in dependency order, and what the rest waits for', async (context) => {
  const repository = IssueRepository.for(context, { issues });
  const { json } = await repository.issue(['next']);
  // GAL-5 is In Progress, and can go on; all sub-issues of GAL-1 are Done, so it is its turn again (trial D7).
  expect(idsOf(json)).toEqual(['GAL-1', 'GAL-4', 'GAL-5']);
  expect(json['waiting']).toEqual([{ id: 'GAL-3', waitsFor: ['GAL-4'] }]);

  repository.write('TODO/GAL-4.md', issueText('GAL-4', { dependsOn: ['GAL-3'] }));
  const cycle = await repository.issue(['next']);
  expect(idsOf(cycle.json)).toEqual(['GAL-1', 'GAL-5']);
  expect(cycle.json['problems'][0].message).toContain('GAL-3 → GAL-4 → GAL-3');
});

test('[issue/commands/new] creates an issue, listed in its category or its parent', async (context) => {
  const repository = IssueRepository.for(context, { issues });
  const created = async (...args: readonly string[]) => (await repository.issue(['new', ...args])).json['id'];
  expect(await created('Read limits', '--category', 'Parser')).toBe('GAL-6');
  expect(await created('Document limits', '--parent', 'GAL-1')).toBe('GAL-7');
  expect(await created('Publish limits', '--category', 'Release')).toBe('GAL-8');
  expect(repository.read('TODO/README.md')).toMatch(
    /## Parser\n[^]*— Title of GAL-5\n- \[ \] \[GAL-6\]\(GAL-6\.md\) — Read limits\n\n## Release\n\n- \[ \] \[GAL-8\]/,
  );
  expect(repository.read('TODO/README.md')).not.toContain('GAL-7');
  expect(repository.read('TODO/GAL-1.md')).toContain('- [ ] [GAL-7](GAL-7.md) — Document limits\n');
  expect((await repository.issue(['view', 'GAL-7'])).json).toMatchObject({
    title: 'Document limits',
    status: 'Todo',
    parent: 'GAL-1',
  });

  const before = repository.git('status', '--porcelain');
  for (const args of [[' '], ['Title', '--parent', 'GAL-99'], ['Title', '--parent', 'GAL-1', '--category', 'Parser']])
    expect((await repository.issue(['new', ...args])).code).toBe(2);
  expect(repository.git('status', '--porcelain')).toBe(before);
});

test('[issue/commands/new] [issue/adr/2] begins a tracker in a checkout without one, with ids that no branch has', async (context) => {
  const repository = IssueRepository.for(context);
  repository.git('rm', '-r', '--quiet', 'TODO');
  expect((await repository.issue(['new', 'Read limits'])).json['id']).toBe('GAL-2');
  expect(repository.read('TODO/README.md')).toContain('[GAL-2](GAL-2.md)');
  expect(idsOf((await repository.issue(['next'])).json)).toEqual(['GAL-2']);
});
