/** The checks that bring a feature home. Nothing is lost: git's own refusals are handed on. */

import { counted, oneLine } from '../../documents/review-text.ts';
import { patch } from '../data-slots.ts';
import { stopWith } from '../define-workflow.ts';
import type { CheckContext, CheckResult, FileWrite } from '../workflow.ts';
import { openTasks } from './phase-artifacts.ts';
import { judgedDigest } from './phase-checks.ts';
import { data, phaseRecords, recordIn } from './run-data.ts';
import { branchOf, historyPath, isInMain } from './phases.ts';

type Check = (context: CheckContext) => Promise<CheckResult>;

const refused = (signal: string, code: string, message: string, fix: string): CheckResult =>
  stopWith(signal, message, { code, fix });

const shownLinesMax = 10;

/** Work that is not committed, or not on the branch that is landed, is in nobody's way, and nobody takes it away. */
async function outstanding({ git, snapshot }: CheckContext): Promise<CheckResult | null> {
  const branch = data.branch.of(snapshot);
  if (branch !== null && git.branch() !== branch) {
    const message = `${git.workTree} has ${git.branch() ?? 'no branch'} checked out, not ${branch}, which would be landed`;
    // What is on no branch would be out of sight.
    const kept = git.branch() === null ? `git -C ${git.workTree} branch ${branch}-kept && ` : '';
    return refused('dirty', 'OtherBranch', message, `${kept}git -C ${git.workTree} switch ${branch}`);
  }
  const lines = (await git.landing.uncommitted([])).filter((line) => !isInMain(line.slice(3)));
  if (lines.length === 0) return null;
  const names = lines.slice(0, shownLinesMax).map((line) => line.slice(3));
  const more = lines.length > shownLinesMax ? ` and ${lines.length - shownLinesMax} more` : '';
  const message = `there are uncommitted changes: ${names.join(', ')}${more}`;
  return refused('dirty', 'UncommittedChanges', message, `git -C ${git.workTree} status`);
}

const inspect_finish: Check = async (context) => {
  const { run, snapshot, files } = context;
  const left = await outstanding(context);
  if (left) return left;
  const open = openTasks(files, run).length;
  const notes = open === 0 ? [] : [`warning: ${counted(open, 'open task')} in tasks.md`];
  if (data.mode.of(snapshot) !== 'full') return { signal: { name: 'unverified' }, notes };
  if ((await judgedDigest(context)) === data.verifiedTree.of(snapshot)) return { signal: { name: 'verified' }, notes };
  const message = 'code or documents changed since verify approved them';
  const { signal } = refused('changed', 'ChangedSinceVerify', message, `pawl feature verify ${run}`);
  const record = { ...recordIn(snapshot, 'verify'), verified: false, stale: true };
  return { signal: { ...signal, data: { ...signal.data, ...data.phase.set('verify', record) } } };
};

const inspect_discard: Check = async (context) => (await outstanding(context)) ?? { signal: { name: 'ready' } };

const merge: Check = async ({ git, run, snapshot }) => {
  const branch = data.branch.of(snapshot);
  const into = data.base.of(snapshot) ?? git.mainBranch();
  if (branch === null)
    return { signal: { name: 'merged', data: data.landed.set(['the work is on the branch already']) } };
  if (into === null) {
    const why = 'it is not known which branch the feature began from';
    return refused('refused', 'NoBaseBranch', why, `git merge ${branch}`);
  }
  const done = await git.landing.merge({
    branch,
    into,
    message: `Merge feature ${run}: ${oneLine(data.name.of(snapshot))}`,
  });
  if (done.kind === 'refused') return refused('refused', 'MergeRefused', done.why, done.fix);
  if (done.kind === 'conflict') {
    const message = `${branch} does not merge into ${into}: ${done.paths.join(', ')} conflict; nothing was changed. Merge ${into} into the feature, resolve the conflicts and commit, then run pawl feature finish ${run}`;
    return refused('conflict', 'MergeConflict', message, `git -C ${git.workTree} merge ${into}`);
  }
  const told = `merged into ${into} (${done.commit.slice(0, 9)})`;
  return { signal: { name: 'merged', data: data.landed.set([told]) }, notes: [told] };
};

const open_pull_request: Check = async ({ git, run, snapshot, at }) => {
  const branch = data.branch.of(snapshot) ?? git.branch();
  const base = data.base.of(snapshot) ?? ((await git.mergeBase('main')) === null ? 'master' : 'main');
  if (branch === null || branch === base)
    return refused('refused', 'NoBranch', 'a pull request needs a branch of its own', `git switch -c ${branchOf(run)}`);
  const done = await git.landing.pullRequest({
    branch,
    base,
    title: oneLine(data.name.of(snapshot)),
    body: bodyOf(run, snapshot),
  });
  if (done.kind === 'failed') return refused('refused', 'PullRequestFailed', done.output, done.fix);
  const told =
    done.kind === 'commands'
      ? [`${done.why}; to open it:`, ...done.commands.map((each) => `  ${each}`)]
      : [`pull request: ${done.url}`];
  return ended('opened', { run, at, told });
};

function bodyOf(run: string, snapshot: CheckContext['snapshot']): string {
  const done = Object.entries(phaseRecords(snapshot)).map(([phase, record]) => {
    const { completed, iterations, reviewerNotes } = record;
    const notes = reviewerNotes.length === 0 ? '' : `; concerns: ${reviewerNotes.join('; ')}`;
    return completed === null ? '' : `- ${phase}: ${iterations ?? 0} iterations${notes}`;
  });
  return [data.description.of(snapshot), '', `Feature ${run}`, ...done.filter(Boolean)].join('\n');
}

const clean_up: Check = async ({ git, run, snapshot, at }) => {
  const told = data.landed.of(snapshot);
  const branch = data.branch.of(snapshot);
  const removed = branch === null ? null : await git.landing.remove({ branch, lose: false });
  const kept = removed?.kind === 'refused' ? [`the worktree stays: ${removed.why}; ${removed.fix}`] : [];
  const gone = removed?.kind === 'removed' ? [`removed the worktree and the branch ${branch}`] : [];
  const result = ended('removed', { run, at, told: [...told, ...gone, ...kept] });
  return removed?.kind === 'removed' ? withoutWorktree(result) : result;
};

const discard: Check = async ({ git, run, snapshot, at }) => {
  const branch = data.branch.of(snapshot);
  if (branch === null) return ended('removed', { run, at, told: ['your checkout stays as it is'] });
  const removed = await git.landing.remove({ branch, lose: true });
  if (removed.kind === 'refused') return refused('refused', 'DiscardRefused', removed.why, removed.fix);
  const back = removed.commit === null ? [] : [`to get its commits back: git branch ${branch} ${removed.commit}`];
  return withoutWorktree(
    ended('removed', { run, at, told: [`removed the worktree and the branch ${branch}`, ...back] }),
  );
};

function withoutWorktree(result: CheckResult): CheckResult {
  const { signal } = result;
  return { ...result, signal: { ...signal, data: { ...signal.data, ...data.worktree.set(null) } } };
}

/** The history served its purpose; the journal keeps everything. */
function ended(signal: string, { run, at, told }: { run: string; at: string; told: readonly string[] }): CheckResult {
  const writes: FileWrite[] = [{ path: historyPath(run), content: null }];
  return { signal: { name: signal, data: patch(data.completed.set(at), data.landed.set(told)) }, writes, notes: told };
}

export const finishChecks = { inspect_finish, inspect_discard, merge, open_pull_request, clean_up, discard };
