/** Ids of issues, allocated by several processes at the same time, in several worktrees. */

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { IssueRepository, makerIn, scripted, turn, untested } from './scratch-issues.ts';

const made: IssueRepository[] = [];
afterEach(() => made.splice(0).forEach((each) => each.remove()));

function repositoryWith(...ids: readonly string[]): IssueRepository {
  const repository = IssueRepository.with(ids.map((id) => ({ id })));
  made.push(repository);
  return repository;
}

function worktree(repository: IssueRepository, name: string): string {
  const folder = join(repository.folder, name);
  repository.git('worktree', 'add', '--quiet', '-b', name, folder);
  return folder;
}

const issuesIn = (folder: string): readonly string[] =>
  readdirSync(join(folder, 'TODO'))
    .filter((name) => name !== 'README.md')
    .map((name) => name.slice(0, -'.md'.length));

test('[issue/files/ids] `new` in two worktrees and twice in each at the same time: no id is given twice', async () => {
  const repository = repositoryWith('GAL-1');
  const places = [worktree(repository, 'left'), worktree(repository, 'right')];
  // Only another branch has it.
  repository.git('-C', places[0] ?? '', 'switch', '--quiet', '--create', 'other');
  await repository.issue(['new', 'On another branch'], { cwd: places[0] ?? '' });
  repository.git('-C', places[0] ?? '', 'add', '--all');
  repository.git('-C', places[0] ?? '', 'commit', '--quiet', '--message=another');
  repository.git('-C', places[0] ?? '', 'switch', '--quiet', 'left');
  const given: string[] = [];
  for (let round = 0; round < 5; round += 1) {
    const all = [...places, ...places].map((cwd, index) =>
      repository.issue(['new', `Round ${round}, ${index}`, '--json'], { cwd }),
    );
    for (const { code, stdout, stderr } of await Promise.all(all)) {
      expect(code, stderr).toBe(0);
      given.push((JSON.parse(stdout) as { id: string }).id);
    }
  }
  expect(new Set(given).size).toBe(20);
  expect(given).not.toContain('GAL-2');
  // Both indexes list what was made there, and nothing was lost of either.
  for (const place of places) {
    const { stdout } = await repository.issue(['list', '--json'], { cwd: place });
    const { issues, problems } = JSON.parse(stdout) as { issues: readonly { id: string }[]; problems: unknown[] };
    expect([issues.length, problems]).toEqual([11, []]);
  }
  expect(issuesIn(places[0] ?? '').filter((id) => issuesIn(places[1] ?? '').includes(id))).toEqual(['GAL-1']);
});

test('[issue/files/ids] [issue/parallel/worktrees] [issue/adr/3] [issue/adr/21] two runs at the same time, each of which files the rest of its split', async () => {
  const repository = repositoryWith('GAL-1', 'GAL-2');
  const places = [worktree(repository, 'one-issue-GAL-1'), worktree(repository, 'two-issue-GAL-2')];
  const task = (title: string, file: string, more = {}) => {
    return { title, description: `${title}.`, new_files: [file], criteria: ['It is there.'], ...more };
  };
  const tasks = [
    task('Write the file', 'out/GAL-1.txt', { new_files: ['out/GAL-1.txt', 'out/GAL-2.txt'] }),
    task('Write a second file', 'out/second.txt', { depends_on: [1] }),
    task('Write a third file', 'out/third.txt', { depends_on: [2] }),
  ];
  const turns = untested(['GAL-1', 'GAL-2'], [makerIn(repository)]);
  repository.play([
    ...turns.filter(({ step }) => step !== 'draft_tasks'),
    turn('planner', 'draft_tasks', 'write_tasks', { tasks }),
    turn('check', 'review_split', 'file_review', { verdict: 'ACCEPTABLE', summary: 'Three purposes.' }),
  ]);
  const runs = places.map((cwd, index) => repository.issue(['run', `GAL-${index + 1}`, ...scripted], { cwd }));
  for (const { code, stderr, stdout } of await Promise.all(runs)) expect(code, stderr + stdout).toBe(0);
  const filed = places.flatMap((place) => issuesIn(place).filter((id) => Number(id.slice(4)) > 2));
  expect(filed.toSorted()).toEqual(['GAL-3', 'GAL-4', 'GAL-5', 'GAL-6']);
  // One task was done in each, and only there; both branches fit together.
  expect(places.map((place) => readdirSync(join(place, 'out')))).toEqual([['GAL-1.txt'], ['GAL-2.txt']]);
  for (const [index, place] of places.entries()) {
    const subjects = repository.git('-C', place, 'log', '--format=%s', 'main..').trim().split('\n');
    expect(subjects).toEqual([`chore(todo): close GAL-${index + 1}`, 'feat: write the file']);
    const { stdout } = await repository.issue(['list', '--parent', `GAL-${index + 1}`, '--json'], { cwd: place });
    const { issues } = JSON.parse(stdout) as { issues: readonly { dependsOn: string[]; labels: string[] }[] };
    expect(issues.map(({ dependsOn }) => dependsOn.length)).toEqual([0, 1]);
    expect(issues.every(({ labels }) => labels.includes('split-from-run'))).toBe(true);
  }
  expect(repository.git('status', '--porcelain')).toBe('');
  const again = await repository.issue(['run', 'GAL-1', '--resume'], { cwd: places[0] ?? '' });
  expect([again.code, again.stdout]).toEqual([4, expect.stringContaining('the run of GAL-1 is done; nothing is left')]);
});
