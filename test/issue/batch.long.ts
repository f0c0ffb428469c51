/** `pawl issue run --all`: several issues, each in a worktree and a process of its own, and every way it can be cut off. */

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { findByMarker } from '../../src/workspace/processes.ts';
import { fileOf, IssueRepository, makerIn, scripted, untested, type GivenIssue } from './scratch-issues.ts';

const made: IssueRepository[] = [];
afterEach(() => made.splice(0).forEach((each) => each.remove()));

function repositoryWith(issues: readonly GivenIssue[], script?: string): IssueRepository {
  const repository = IssueRepository.with(issues);
  made.push(repository);
  const ids = [...issues.map(({ id }) => id), 'shared'];
  repository.play(untested(ids, [makerIn(repository, script)]));
  return repository;
}

const all = ['run', '--all', ...scripted];

interface Report {
  readonly stopped: string | null;
  readonly branch: string;
  readonly runs: readonly { run: string; result: string; message: string; apart: string | null; worktree: string }[];
  readonly left: readonly { run: string; why: string }[];
}

function report(stdout: string): Report {
  return JSON.parse(stdout) as Report;
}

const inAll = (repository: IssueRepository, path: string): string =>
  readFileSync(join(`${repository.root}-issue-all`, path), 'utf8');

/** Commits of the work of an issue, on the branch that gathers all. */
const commitsOf = (repository: IssueRepository, id: string): number =>
  repository
    .git('log', '--format=%b', 'issue/all')
    .split('\n')
    .filter((line) => line.startsWith(`${id}: `)).length;

test('[issue/commands/all] [issue/commands/all-stops] [issue/parallel/worktrees] two at a time: a chain, one that fails, one that does not fit', async () => {
  const issues = [
    { id: 'GAL-1' },
    { id: 'GAL-2' },
    { id: 'GAL-3' },
    { id: 'GAL-4', dependsOn: ['GAL-3'] },
    { id: 'GAL-5' },
    { id: 'GAL-6', dependsOn: ['GAL-5'] },
  ];
  // The first two begin together and write the same file; GAL-6 needs what GAL-5 committed.
  const script = `write(fileOf(ID), ID === 'GAL-6' ? 'after ' + readFileSync(fileOf('GAL-5'), 'utf8').trim() : ID);
    if (ID === 'GAL-1' || ID === 'GAL-2') write(fileOf('shared'), ID);`;
  const repository = repositoryWith(issues, script);
  repository.write('.git/hooks/pre-commit', '#!/bin/sh\n[ ! -e out/GAL-3.txt ] || { echo "no GAL-3"; exit 1; }\n');
  chmodSync(join(repository.root, '.git/hooks/pre-commit'), 0o755);

  const first = await repository.issue([...all, '--jobs', '2', '--json']);
  expect(first.code, first.stderr).toBe(1);
  const { runs, left, stopped, branch } = report(first.stdout);
  const resultOf = (id: string) => runs.find(({ run }) => run === id);
  expect([stopped, branch]).toEqual([null, 'issue/all']);
  expect(runs.map(({ run, result }) => `${run} ${result}`).toSorted()).toEqual([
    'GAL-1 done',
    'GAL-2 done',
    'GAL-3 failed',
    'GAL-5 done',
    'GAL-6 done',
  ]);
  expect(resultOf('GAL-3')).toMatchObject({ worktree: `${repository.root}-issue-GAL-3`, apart: null });
  expect(resultOf('GAL-3')?.message).toContain('git refused the commit "feat: write the file"');
  expect(left).toEqual([{ run: 'GAL-4', why: 'waits for GAL-3' }]);
  const apart = runs.find((each) => each.apart !== null);
  expect(['GAL-1', 'GAL-2']).toContain(apart?.run);
  expect(apart?.apart).toBe(
    `issue/${apart?.run} does not fit into issue/all: git -C ${repository.root}-issue-all merge issue/${apart?.run}`,
  );
  const kept = apart?.run === 'GAL-1' ? 'GAL-2' : 'GAL-1';
  expect([inAll(repository, fileOf('shared')), inAll(repository, fileOf('GAL-6'))]).toEqual([
    `${kept}\n`,
    'after GAL-5\n',
  ]);
  // Neighbouring lines of the index, flipped on several branches.
  expect(inAll(repository, 'TODO/README.md').match(/\[x\] \[[\w-]+\]/g)?.length).toBe(3);
  expect(first.stderr.split('\n').filter((line) => line.length > 40)).toEqual([]);

  // By hand, as the report says; then only what failed is left.
  const place = `${repository.root}-issue-all`;
  expect(() => repository.git('-C', place, 'merge', `issue/${apart?.run}`)).toThrow('Command failed');
  const busy = await repository.issue(all);
  expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('that are not committed')]);
  repository.git('-C', place, 'checkout', '--theirs', '.');
  repository.git('-C', place, 'add', '--all');
  repository.git('-C', place, 'commit', '--quiet', '--message=by hand');
  // In the checkout only.
  repository.write(
    'TODO/GAL-7.md',
    readFileSync(join(repository.root, 'TODO/GAL-6.md'), 'utf8').replaceAll('GAL-6', 'GAL-7').replace('[GAL-5]', '[]'),
  );
  const second = await repository.issue(all);
  expect(second.stdout.trimEnd().split('\n')).toEqual([
    'nothing can be begun now',
    'GAL-3  left  ran before: pawl issue status GAL-3',
    'GAL-4  left  waits for GAL-3',
    'GAL-7  left  its file is not committed: git add it, and commit',
  ]);
  expect(second.code).toBe(0);
});

/** `make` says that it is there, and waits as long as the file `hang` is beside the repository. */
const hanging = `
writeFileSync('../at-' + ID, '');
while (existsSync('../hang')) await new Promise((wake) => setTimeout(wake, 20));
write(fileOf(ID), ID);`;

async function reached(repository: IssueRepository, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) while (!existsSync(join(repository.folder, `at-${id}`))) await wait(20);
}

/** All that a batch started, and the agents of its runs. */
function alive(repository: IssueRepository): readonly number[] {
  const runs = ['GAL-1', 'GAL-2'].map((id) => repository.runFolder('issue', id));
  const agents = runs.flatMap((folder) =>
    Array.from({ length: 20 }, (_, number) => findByMarker('PAWL_DISPATCH', `${folder}#${number}`)).flat(),
  );
  return [...findByMarker('PAWL_BATCH', `${repository.root}-issue-all`), ...agents];
}

/** Turns of a role that writes or plans, each of which must be played once for each issue. */
function plays(log: string): readonly string[] {
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => /^start \S+ planner /.test(line)).map((line) => line.split(' ').slice(1, 4).join(' '));
}

test('[issue/commands/all-stops] [issue/adr/3] killed with two at work: nothing is left running, and the same command goes on', async () => {
  const repository = repositoryWith([{ id: 'GAL-1' }, { id: 'GAL-2' }], hanging);
  const hang = join(repository.folder, 'hang');
  const log = join(repository.folder, 'played.log');
  writeFileSync(hang, '');
  const command = [...all, '--jobs', '2'];
  const killed = await repository.issue(command, {
    env: { PAWL_SCRIPT_LOG: log },
    onSpawn: (child) =>
      void reached(repository, 'GAL-1', 'GAL-2').then(async () => {
        const other = await repository.issue(all);
        expect([other.code, other.stderr]).toEqual([6, expect.stringContaining('works through all issues')]);
        child.kill('SIGKILL');
      }),
  });
  expect(killed.signal).toBe('SIGKILL');
  while (alive(repository).length > 0) await wait(20);
  rmSync(hang);
  const again = await repository.issue(command, { env: { PAWL_SCRIPT_LOG: log } });
  expect(again.code, again.stderr + again.stdout).toBe(0);
  expect(again.stderr).toContain('GAL-1  continued');
  expect([commitsOf(repository, 'GAL-1'), commitsOf(repository, 'GAL-2')]).toEqual([1, 1]);
  expect(new Set(plays(log)).size).toBe(plays(log).length);
  expect(alive(repository)).toEqual([]);
});

test('[issue/commands/all-stops] a child that is killed, Ctrl-C, and work that nobody took over', async () => {
  const repository = repositoryWith([{ id: 'GAL-1' }, { id: 'GAL-2' }], hanging);
  const start = repository.git('rev-parse', 'HEAD').trim();
  const hang = join(repository.folder, 'hang');
  writeFileSync(hang, '');
  const command = [...all, '--jobs', '2'];
  const stopped = await repository.issue([...command, '--json'], {
    onSpawn: (child) =>
      void reached(repository, 'GAL-1', 'GAL-2').then(async () => {
        const isOf = (pid: number): boolean => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('\0GAL-1\0');
        const victim = findByMarker('PAWL_BATCH', `${repository.root}-issue-all`).find(isOf) ?? 0;
        process.kill(victim, 'SIGKILL');
        while (existsSync(`/proc/${victim}`)) await wait(20);
        child.kill('SIGINT');
      }),
  });
  expect(stopped.code, stopped.stderr).toBe(130);
  expect(report(stopped.stdout)).toMatchObject({
    stopped: 'interrupted',
    runs: [
      { run: 'GAL-1', result: 'stopped', message: 'its process was killed (SIGKILL)' },
      { run: 'GAL-2', result: 'stopped', message: 'stopped; everything finished so far is kept' },
    ],
  });
  // Not even waited for: what is left of the first one is ended by the next.
  rmSync(hang);
  const again = await repository.issue(command);
  expect(again.code, again.stderr + again.stdout).toBe(0);
  expect([commitsOf(repository, 'GAL-1'), commitsOf(repository, 'GAL-2')]).toEqual([1, 1]);

  // As if it had been killed after the runs, before their work was taken over, in the middle of a merge.
  const place = `${repository.root}-issue-all`;
  repository.git('-C', place, 'reset', '--hard', '--quiet', start);
  const gitDir = repository.git('-C', place, 'rev-parse', '--absolute-git-dir').trim();
  writeFileSync(join(gitDir, 'pawl-gathering'), '');
  writeFileSync(join(gitDir, 'index.lock'), '');
  writeFileSync(join(place, 'TODO/GAL-1.md'), 'half of it');
  const third = await repository.issue(command);
  expect([third.code, third.stdout.split('\n').slice(0, 2).toSorted()], third.stderr).toEqual([
    0,
    ['GAL-1  done  cost unknown', 'GAL-2  done  cost unknown'],
  ]);
  expect([commitsOf(repository, 'GAL-1'), commitsOf(repository, 'GAL-2')]).toEqual([1, 1]);
});

test('[issue/commands/all-stops] a budget is for all of them, and the number of runs is limited', async () => {
  const repository = repositoryWith([{ id: 'GAL-1' }, { id: 'GAL-2' }, { id: 'GAL-3' }]);
  const limited = await repository.issue([...all, '--limit', '1', '--json']);
  expect([limited.code, report(limited.stdout)]).toMatchObject([5, { stopped: 'limit', runs: [{ run: 'GAL-1' }] }]);
  // A run takes ten calls, those of the advisors among them.
  const spent = await repository.issue([...all, '--budget', 'dispatches=12', '--json']);
  expect([spent.code, report(spent.stdout)]).toMatchObject([
    5,
    {
      stopped: 'over_budget',
      runs: [
        { run: 'GAL-2', result: 'done' },
        { run: 'GAL-3', result: 'stopped' },
      ],
    },
  ]);
  const rest = await repository.issue([...all, '--budget', 'dispatches=8']);
  expect(rest.code, rest.stderr + rest.stdout).toBe(0);
  expect(rest.stdout.replace(/[\d.]+s\n/, '3.2s\n')).toBe(
    'GAL-3  done  cost unknown\n\n1 done · 9 agent calls · cost unknown · 3.2s\n\nThe work is on the branch issue/all, in ../repo-issue-all:\n  git merge issue/all\n',
  );
});

test('[trial 2 2] what the printed recovery of a failed run did is taken over', async () => {
  const repository = repositoryWith([{ id: 'GAL-1' }]);
  const hook = join(repository.root, '.git/hooks/pre-commit');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  expect((await repository.issue(all)).code).toBe(1);
  rmSync(hook);
  const place = `${repository.root}-issue-GAL-1`;
  const summary = readFileSync(join(place, '.workflow/run-GAL-1/summary.md'), 'utf8');
  const [, commands = ''] = /```sh\n([^]*?)```/.exec(summary) ?? [];
  const program = join(import.meta.dirname, '../../dist/pawl.js');
  const script = join(repository.folder, 'script.yaml');
  const pasted = `set -e\npawl() { node ${program} "$@" --agent scripted --script ${script}; }\n${commands}`;
  execFileSync('sh', ['-c', pasted], {
    cwd: repository.root,
    env: { ...process.env, PAWL_SANDBOX: 'off' },
    stdio: 'pipe',
  });
  const again = await repository.issue(all);
  expect([again.code, again.stdout], again.stderr).toEqual([0, expect.stringContaining('GAL-1  done')]);
  expect(commitsOf(repository, 'GAL-1')).toBe(1);
  expect(inAll(repository, 'TODO/GAL-1.md')).toContain('status: Done');
});
