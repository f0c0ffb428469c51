import { join } from 'node:path';
import { expect, test } from 'vitest';
import { spentBefore } from '../../runtime/spending.ts';
import { batchText } from './batch-report.ts';

const beside = (name: string): string => join(process.cwd(), '..', name);
const spent = { ...spentBefore({}), dispatches: 3, costUsd: 1.5, wallMs: 61_000 };
const gathering = { branch: 'issue/all', folder: beside('repo-issue-all') };

test('fits in 80 columns: what was done, what was not and why, and where the work is', () => {
  const entries = [
    { run: 'GAL-1', result: 'done', message: '', apart: null },
    {
      run: 'GAL-2',
      result: 'done',
      message: '',
      apart: 'issue/GAL-2 does not fit into issue/all: git -C /repo-issue-all merge issue/GAL-2',
    },
    {
      run: 'GAL-10',
      result: 'failed',
      message: 'the run of GAL-10 failed: review_code: unparseable: check ended without calling file_review',
      apart: null,
    },
  ] as const;
  const left = [{ run: 'GAL-11', why: 'waits for GAL-10' }];
  const text = batchText(
    {
      entries,
      stopped: null,
      left,
      problems: ['TODO/GAL-12.md:1: x'],
      gathering,
      worktreeOf: (run) => beside(`repo-issue-${run}`),
      spentBy: (run) => (run === 'GAL-10' ? { ...spent, unknownCost: 1 } : spent),
    },
    80,
  );
  expect(text).toBe(`GAL-1   done    $1.50
GAL-2   done    $1.50          issue/GAL-2 does not fit into issue/all: git -C
                               /repo-issue-all merge issue/GAL-2
GAL-10  failed  $1.50 or more  the run of GAL-10 failed: review_code:
                               unparseable: check ended without calling
                               file_review (in ../repo-issue-GAL-10)
GAL-11  left                   waits for GAL-10

2 done, 1 failed · 9 agent calls · $4.50 or more · 3m 03s
problem: TODO/GAL-12.md:1: x

The work is on the branch issue/all, in ../repo-issue-all:
  git merge issue/all`);
});

test('says why it stopped, and when there was nothing to do', () => {
  const nothing = { entries: [], left: [], problems: [], gathering, worktreeOf: () => null, spentBy: () => null };
  expect(batchText({ ...nothing, stopped: null }, 80)).toBe('nothing can be begun now');
  const entries = [{ run: 'GAL-1', result: 'stopped', message: 'stopped', apart: null }] as const;
  expect(batchText({ ...nothing, entries, stopped: 'interrupted' }, 80)).toBe(
    'GAL-1  stopped  stopped\n\n1 stopped · 0 agent calls · $0.00 · 0.0s\nstopped: interrupted; run the same command to continue',
  );
});
