/** A run that was stopped, interrupted or killed goes on with `--resume`; the rehearsal, and what is proved of the machine. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { code, IssueRepository, make, planned, reviewed, tests, update } from './played-issue.ts';

const byName = '`Hello ${name}`';

/** Runs until a file is there, and then gets the signal. */
function signalled(repository: IssueRepository, args: readonly string[], file: string, signal: NodeJS.Signals) {
  return repository.run(args, {
    onSpawn: (child) =>
      void (async () => {
        while (child.exitCode === null && !existsSync(join(repository.root, file))) await wait(20);
        child.kill(signal);
      })(),
  });
}

describe.concurrent('runs that were cut off', () => {
  test('[issue/resume/killed] [issue/failure/not-resumable] [issue/commits/atomic] [issue/review/tree] a limit, Ctrl-C, kill -9 and a missing identity: each time --resume goes on where it stopped, and what a person edits after the review is reviewed again', async (context) => {
    const begun = tests({}, { write: { 'test/greet.test.mjs': '// one\n' }, fault: 'hang' });
    const done = tests({}, { write: { 'test/greet.test.mjs': '// two\n' } });
    const turns = (...more: readonly Readonly<Record<string, unknown>>[]) => [...planned, ...more];
    const repository = IssueRepository.for(context, { turns: turns(begun) });
    const limited = await repository.run(['--budget', 'dispatches=1']);
    expect([limited.code, limited.steps], limited.stderr).toEqual([5, ['draft_plan:drafted']]);
    expect(limited.json['next']).toMatch(/--budget dispatches=\d+/);
    const again = await repository.run();
    expect([again.code, again.json['diagnostics'][0].code]).toEqual([4, 'RunUnfinished']);

    const interrupted = await signalled(
      repository,
      ['--resume', '--budget', 'dispatches=50'],
      'test/greet.test.mjs',
      'SIGINT',
    );
    expect([interrupted.code, interrupted.json['outcome']], interrupted.stderr).toEqual([130, 'interrupted']);

    const half = {
      ...make('implement'),
      write: { 'src/greet.mjs': code("'half'"), 'src/half.mjs': '' },
      fault: 'hang',
    };
    repository.script(turns(done, half));
    const killed = await signalled(repository, ['--resume'], 'src/half.mjs', 'SIGKILL');
    expect(killed.signal, killed.stderr).toBe('SIGKILL');

    repository.git('config', '--unset', 'user.name');
    repository.git('config', 'user.useConfigOnly', 'true');
    repository.script(turns(done, make('implement', byName), ...reviewed, ...reviewed, update([1, 2])));
    const nobody = await repository.run(['--resume']);
    expect(nobody.code, nobody.stderr + nobody.stdout).not.toBe(0);
    expect(nobody.stdout + nobody.stderr).toContain('git config user.name');
    expect(repository.read('TODO/GAL-1.md')).toContain('status: In Progress');

    repository.git('config', 'user.name', 'A Person');
    const edited = `${code(byName)}// A person's.\n`;
    repository.write('src/greet.mjs', edited);
    const ended = await repository.run(['--resume', '--edits', 'keep']);
    expect(ended.code, ended.stderr + ended.stdout).toBe(0);
    expect(ended.steps.filter((step) => step.startsWith('review_code'))).toHaveLength(2);
    expect(repository.log()).toEqual(['chore(todo): close GAL-1', 'feat: greet by name']);
    expect(repository.git('show', 'HEAD~1:src/greet.mjs')).toBe(edited);
    expect(repository.git('show', 'HEAD~1:test/greet.test.mjs')).toBe('// two\n');
    expect(repository.exists('src/half.mjs')).toBe(false);
    const over = await repository.run(['--resume']);
    expect([over.code, over.json['diagnostics'][0].code]).toEqual([4, 'NothingToRetry']);
  });

  test('[issue/rehearsal] [issue/route/6-stubs] [issue/route/7-green] [issue/stubs/commits] [issue/adr/7] the bundled rehearsal: a split, tests designed again, a fix, two commits of code', async (context) => {
    const repository = IssueRepository.for(context, {
      files: { 'package.json': '{"type": "module", "scripts": {"test": "node --test"}}\n' },
    });
    const ran = await repository.pawl(['issue', 'run', 'GAL-1', '--agent', 'scripted', '--json']);
    expect(ran.code, ran.stderr).toBe(0);
    const { dispatches } = JSON.parse(ran.stdout) as { dispatches: { step: string; signal: string }[] };
    const steps = dispatches.map(({ step, signal }) => `${step}:${signal}`);
    for (const step of [
      'draft_tasks:several',
      'write_stubs:complete',
      'diagnose:test_design',
      'review_code:production',
    ])
      expect(steps).toContain(step);
    expect(ran.stderr).toContain('2 new tests fail as they should');
    expect(repository.log()).toEqual([
      'chore(todo): update GAL-1',
      'feat: implement limitSlug',
      'feat: scaffold limitSlug with stubs',
    ]);
    expect(repository.git('show', 'HEAD~2:slug/limit.mjs')).toContain("throw new Error('NotImplemented')");
    expect(repository.git('ls-tree', '--name-only', '-r', 'HEAD~2', 'slug')).toBe('slug/limit.mjs\n');
    expect(repository.artifact('summary.md')).toContain('GAL-2 (split-from-run): Number slugs that are taken');
  });

  test('[issue/verify] nobody is asked, every loop ends, no unreviewed commit, failure leaves its record', async (context) => {
    const repository = IssueRepository.for(context);
    const { code: exit, stdout, stderr } = await repository.pawl(['verify', 'issue']);
    expect(exit, stdout + stderr).toBe(0);
    for (const proof of [
      'nobody is ever asked',
      'every loop is bounded or needs a human decision',
      'commit_code requires a current approval of the code',
      'update_issue, close_issue, commit_todo or done only after commit_code.committed',
      'commit_wip or failed only after fail.recorded',
      'no role approves its own work',
    ])
      expect(stdout).toContain(`✓ ${proof}`);
  });
});
