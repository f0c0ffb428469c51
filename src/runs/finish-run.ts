/**
 * Brings the work of a run that is over home: into a commit, into the branch it began from, into a pull request, or away.
 *
 * H1. Every part may be cut off and repeated, and is then done once (`workspace/committing.ts`, `workspace/landing.ts`);
 *     what became of the work goes on record last.
 * H2. A conflict, a hook that refuses or edits in the way change nothing outside of the run's own branch.
 * H3. Nothing is lost: a worktree goes only with all of its work kept elsewhere, or confirmed by the run's name.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shellWord } from '../documents/shell-word.ts';
import { stateOf } from '../engine/transition.ts';
import { gitWork } from '../runtime/git-work.ts';
import type { Host } from '../runtime/host.ts';
import { recover } from '../runtime/recover.ts';
import type { Run } from '../runtime/run.ts';
import { worktreeIn } from '../runtime/worktree-setup.ts';
import type { Landed } from '../store/record.ts';
import type { RunKey } from '../store/run-store.ts';
import type { GitWork } from '../workflows/workflow.ts';
import { copyInside } from '../workspace/worktree.ts';
import { landedText } from './landed-text.ts';
import { withOpenRun } from './quiet-work.ts';
import { isRefusal, notReady, refusal, type Refusal } from './refusal.ts';
import { ownWork, type OwnWork } from './own-work.ts';
import type { RunRepository } from './work-order.ts';

export const finishWays = ['commit', 'merge', 'pull_request', 'keep', 'discard'] as const;
export type FinishWay = (typeof finishWays)[number];

export interface FinishOrder {
  readonly how: FinishWay;
  /** Of the commit, instead of the one that the run's documents give. */
  readonly message?: string;
  /** The branch to merge into, instead of the one that the run began from. */
  readonly into?: string;
  /** H3. The run's name, as a person typed it. */
  readonly confirmed?: string;
}

/** What there is to finish, for somebody who chooses. */
export interface FinishPlan extends RunKey, OwnWork {
  readonly workspace: string;
  /** The run's own; null where it worked in a checkout of the user's. */
  readonly branch: string | null;
  readonly into: string | null;
  readonly message: string;
  readonly ways: readonly FinishWay[];
  readonly landed: Landed | null;
}

export interface FinishedRun extends RunKey {
  readonly landed: Landed;
  /** What else there is to know: what stays where it is, and how to get back what is gone. */
  readonly notes: readonly string[];
}

export interface FinishCaller {
  readonly host: Host;
  /** Hooks and settings of the repository take part. */
  readonly untrusted: (repository: RunRepository) => Promise<Refusal | null>;
}

/** `choose`: an order, or who makes one of the plan. */
export function finishRun(
  repository: RunRepository,
  key: RunKey,
  { host, untrusted }: FinishCaller,
  choose: (plan: FinishPlan) => FinishOrder | Refusal | Promise<FinishOrder | Refusal>,
): Promise<FinishedRun | Refusal> {
  return withOpenRun(repository, key, host, async (run) => {
    const early = notOver(repository, run);
    if (early) return early;
    if (existsSync(run.workspace)) {
      const recovery = await recover(run, undefined);
      if (recovery.kind !== 'ready')
        return refusal('PersonNeeded', recovery.message, { fix: recovery.fix, outcome: 'needs_person' });
    }
    const plan = await planOf(run, key);
    const order = await choose(plan);
    if (isRefusal(order)) return order;
    const { landed } = plan;
    if (landed && wayOf[landed.how] === order.how) return { ...key, landed, notes: [] };
    const objection = objectionTo(plan, order) ?? (order.how === 'keep' ? null : await untrusted(repository));
    if (objection) return objection;
    const done = await ways[order.how]({ run, plan, order, git: gitWork(run, outputFolders(run)) });
    if (isRefusal(done)) return done;
    const { notes, ...end } = done;
    run.append({ type: 'landed', ...end, by: { who: host.user, how: 'command' } });
    return { ...key, landed: end, notes };
  });
}

const wayOf: Readonly<Record<Landed['how'], FinishWay>> = {
  committed: 'commit',
  merged: 'merge',
  pull_request: 'pull_request',
  kept: 'keep',
  discarded: 'discard',
};

function notOver({ workflows }: RunRepository, run: Run): Refusal | null {
  const { id, workflow, state } = run;
  if (stateOf(workflow.machine, state.snapshot.state).kind === 'final') return null;
  const hasOwn = workflows.surfaceOf(workflow.name).verbs.some(({ verb }) => verb === 'finish');
  const next = workflow.summarize(run.view(), { outcome: 'done', refusal: null }).next ?? `pawl resume ${id}`;
  const message = `${id} is not over (${run.phase ?? 'new'})${hasOwn ? '' : `; to give it up, use pawl abandon ${id}`}`;
  return notReady('RunNotOver', message, hasOwn ? `pawl ${workflow.name} finish ${id}` : next);
}

async function planOf(run: Run, key: RunKey): Promise<FinishPlan> {
  const { workflow, workspace, state, commonDir, folder } = run;
  const worktree = worktreeIn(state.input);
  const git = gitWork(run, () => '');
  const branch = worktree?.branch ?? null;
  const work = await ownWork({ workflow, state, workspace, commonDir, folder, records: run.records });
  const end = stateOf(workflow.machine, state.snapshot.state);
  const isGood = end.kind === 'final' && end.outcome !== 'failed' && state.snapshot.state !== 'abandoned';
  const isOpen = (way: FinishWay): boolean => {
    if (way === 'merge') return branch !== null && isGood;
    if (way === 'pull_request') return isGood;
    return way !== 'discard' || branch !== null;
  };
  return {
    ...key,
    ...work,
    workspace,
    branch,
    into: worktree?.base ?? (worktree === null ? git.branch() : git.mainBranch()),
    message: messageOf(run),
    ways: finishWays.filter(isOpen),
    landed: state.landed,
  };
}

const subjectCharsMax = 72;

function messageOf(run: Run): string {
  const name = run.workflow.name;
  const trailer = `${name.charAt(0).toUpperCase()}${name.slice(1)}: ${run.id}`;
  const subject = (run.workflow.subject?.(run.view()) ?? '').replaceAll(/\s+/g, ' ').trim().replace(/\.$/, '');
  if (subject === '') return `${name} ${run.id}\n`;
  if (subject.length <= subjectCharsMax) return `${subject}\n\n${trailer}\n`;
  const cut = subject.lastIndexOf(' ', subjectCharsMax - 1);
  const first = subject.slice(0, cut > 0 ? cut : subjectCharsMax - 1);
  return `${first}…\n\n${subject}\n\n${trailer}\n`;
}

function objectionTo({ run, ways: open, branch, landed }: FinishPlan, order: FinishOrder): Refusal | null {
  const { how, confirmed, message } = order;
  if (landed && (landed.how === 'merged' || landed.how === 'discarded'))
    return notReady('AlreadyFinished', `${run} is finished: ${landedText(landed)}`, `pawl log ${run}`);
  if (message !== undefined && message.trim() === '')
    return refusal('MessageEmpty', 'the message is empty', { fix: `pawl finish ${run} --message "<text>"` });
  if (!open.includes(how)) {
    const why =
      branch === null
        ? `${run} worked in your checkout, not on a branch of its own`
        : `${run} did not succeed, so its work is only committed, kept or discarded`;
    return notReady('NotPossible', `${how.replace('_', ' ')} is not possible: ${why}`, `pawl finish ${run} --commit`);
  }
  if (how !== 'discard' || confirmed === run) return null;
  const given = confirmed === undefined ? '' : `; "${confirmed}" is not its name`;
  const fix = `pawl finish ${run} --discard ${run}`;
  return refusal('PersonNeeded', `discarding ${run} needs its name as confirmation${given}`, {
    fix,
    outcome: 'needs_person',
  });
}

interface Finishing {
  readonly run: Run;
  readonly plan: FinishPlan;
  readonly order: FinishOrder;
  readonly git: GitWork;
}

type Ending = Landed & Pick<FinishedRun, 'notes'>;
type Finish = (finishing: Finishing) => Promise<Ending | Refusal>;

const nowhere = { branch: null, commit: null, url: null, notes: [] };

const ways: Readonly<Record<FinishWay, Finish>> = {
  keep: async ({ plan: { branch } }) => ({ ...nowhere, how: 'kept', branch }),
  commit: async (finishing) => {
    const { git, plan } = finishing;
    const commit = await committed(finishing);
    if (isRefusal(commit)) return commit;
    return { ...nowhere, how: 'committed', branch: plan.branch ?? git.branch(), commit };
  },
  merge,
  pull_request: pullRequest,
  discard,
};

/** H1. The id of the commit that has all of the run's work. */
async function committed({ run, plan, order, git }: Finishing): Promise<string | null | Refusal> {
  const { branch, uncommitted: paths, workspace } = plan;
  if (!existsSync(workspace)) return null;
  const here = git.branch();
  if (branch !== null && here !== branch) {
    const on = here === null ? 'a detached commit' : `the branch ${here}`;
    const back = `git -C ${shellWord(workspace)} switch ${shellWord(branch)}`;
    return notReady('OtherBranch', `${workspace} has ${on} checked out, not ${branch}`, back);
  }
  if (paths.length === 0) return git.head();
  const done = await git.commit({ message: order.message ?? plan.message, paths });
  if (done.kind !== 'refused') return done.id;
  const message = `the hook ${done.hook} refuses the commit of ${run.id}; nothing was changed: ${done.output}`;
  return notReady('HookRefused', message, 'satisfy the hook, then run the same command again');
}

async function merge(finishing: Finishing): Promise<Ending | Refusal> {
  const { run, plan, order, git } = finishing;
  const { branch } = plan;
  const into = order.into ?? plan.into;
  if (into === null) return notReady('NoBaseBranch', 'no branch is checked out to merge into', `git switch <branch>`);
  const commit = await committed(finishing);
  if (isRefusal(commit)) return commit;
  const title = (order.message ?? plan.message).split('\n')[0] ?? '';
  const message = `Merge ${run.workflow.name} ${run.id}: ${title}`;
  const done = await git.landing.merge({ branch, into, message });
  if (done.kind === 'refused') return notReady('MergeRefused', `nothing was merged: ${done.why}`, done.fix);
  if (done.kind === 'conflict') {
    const what = `${branch} does not merge into ${into}: ${done.paths.join(', ')} conflict; ${into} is as it was`;
    const how = `merge ${into} into the worktree, resolve the conflicts and commit, then run pawl finish ${run.id}`;
    return notReady('MergeConflict', `${what}. ${how}`, `git -C ${shellWord(plan.workspace)} merge ${into}`);
  }
  keepIgnoredDocuments(run, git);
  const removed = await git.landing.remove({ branch, lose: false });
  const isRemoved = removed.kind === 'removed';
  const told = isRemoved
    ? `the worktree and the branch ${branch} are removed`
    : `the worktree stays: ${removed.why}; to remove it: ${removed.fix}`;
  return { how: 'merged', branch: into, commit: done.commit, url: null, notes: [told] };
}

/** Documents that git ignores go to the main work tree, where lists and status look for them. */
function keepIgnoredDocuments(run: Run, { workTree, mainWorkTree }: GitWork): void {
  const folder = run.workflow.watchedFolder?.(run.id);
  if (folder === undefined || workTree === mainWorkTree || !existsSync(join(workTree, folder))) return;
  for (const path of run.view().files.list(folder)) copyInside(workTree, mainWorkTree, `${folder}/${path}`);
}

async function pullRequest(finishing: Finishing): Promise<Ending | Refusal> {
  const { run, plan, order, git } = finishing;
  const branch = plan.branch ?? git.branch();
  const base = order.into ?? (plan.branch === null ? await defaultBranch(git) : (plan.into ?? 'main'));
  if (branch === null || branch === base) {
    const message = 'a pull request needs a branch of its own; switch to one, and your changes go along';
    return notReady('NoBranch', message, `git switch --create ${shellWord(`${run.workflow.name}/${run.id}`)}`);
  }
  const commit = await committed(finishing);
  if (isRefusal(commit)) return commit;
  const [title = '', ...body] = (order.message ?? plan.message).split('\n');
  const done = await git.landing.pullRequest({ branch, base, title, body: body.join('\n').trim() });
  if (done.kind === 'failed') return refusal('PullRequestFailed', done.output, { fix: done.fix, outcome: 'failed' });
  if (done.kind === 'commands') {
    const message = `the work is on the branch ${branch}, but no pull request is open: ${done.why}`;
    return notReady('ForgeMissing', message, done.commands.join(' && '));
  }
  const notes = plan.branch === null ? [] : [`the worktree stays until the work is merged; then pawl gc removes it`];
  return { how: 'pull_request', branch, commit, url: done.url, notes };
}

async function defaultBranch(git: GitWork): Promise<string> {
  return (await git.mergeBase('main')) === null ? 'master' : 'main';
}

async function discard({ run, plan: { branch }, git }: Finishing): Promise<Ending | Refusal> {
  const { firstTree } = run.state;
  const copy = join(run.folder, 'discarded.patch');
  if (firstTree !== null && existsSync(run.workspace))
    run.keepFile(copy, await run.tree.patch(firstTree, await run.tree.snapshot()));
  const removed = await git.landing.remove({ branch, lose: true });
  if (removed.kind === 'refused') return notReady('DiscardRefused', removed.why, removed.fix);
  const { commit } = removed;
  const notes = [
    `the worktree and the branch ${branch} are removed`,
    ...(existsSync(copy) ? [`a copy of its changes is in ${copy}`] : []),
    ...(commit === null ? [] : [`to get its commits back: git branch ${branch} ${commit}`]),
  ];
  return { ...nowhere, how: 'discarded', commit, notes };
}

function outputFolders(run: Run): () => string {
  let count = 0;
  return () => join(run.folder, 'checks', `${run.held.length}-finish-${(count += 1)}`);
}
