/**
 * Merges the branch of a run into the one that is checked out in the main work tree.
 *
 * M1. The merge is made as an object that nothing leads to, without a work tree: a conflict, a hook or a missing identity
 *     leaves everything as it was, and no half of a merge is ever in the user's work tree for them to clear up.
 * M2. The commit is on record before the work tree moves to it (work-tree-move.ts), so hooks run once and no merge is
 *     made twice.
 * M3. `pre-merge-commit`, `prepare-commit-msg` and `commit-msg` may refuse, and change the message but no file. They see
 *     the merged index, and the files of the work tree as they are before the merge. `post-merge` changes nothing.
 */

import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IdentityMissing, isAncestor, requireIdentity } from './committing.ts';
import { readText } from './files.ts';
import { findRepository, GitFailed, type Repository } from './git.ts';
import { hookIn, hooksFolder, leftByHook, makeHookRepository } from './hook-repository.ts';
import type { LandingPlace, MergeOrder, MergeResult, Refused } from './landing.ts';
import { shellLine } from './shell-line.ts';
import { userGit, type UserGit } from './user-git.ts';
import { branchAt, branchTip } from './worktree.ts';
import { moveWorkTree, releaseIndex } from './work-tree-move.ts';

export async function mergeBranch(place: LandingPlace, order: MergeOrder): Promise<MergeResult> {
  const { branch, into } = order;
  const main = findRepository(place.mainWorkTree);
  const git = userGit(main.root);
  const from = await branchTip(main.root, into);
  const record = readRecord(place, order);
  const noBranch = refused(`there is no branch ${into}`, shellLine('git', 'branch', '--list'));
  if (branch === null || branch === into) return alreadyIn(main, into, from);
  if (from === null) return noBranch;
  const tip = (await branchTip(main.root, branch)) ?? record?.tip;
  if (tip === undefined) return { ...noBranch, why: `there is no branch ${branch}` };
  if (await isAncestor(git, tip, from)) {
    releaseIndex(main, place.folder);
    const isOurs = record?.tip === tip && (await isAncestor(git, record.commit, from));
    return { kind: 'already', commit: isOurs ? record.commit : from };
  }
  const objection = notNow(main, into);
  if (objection) return objection;
  const isRecorded = record?.tip === tip && record.from === from;
  const work: Work = { place, main, git, branch, into, tip, from, ...(order.message && { message: order.message }) };
  const made = isRecorded ? record : await prepare(work);
  if ('kind' in made) return made;
  const keep = (stage: Stage): void => keepRecord(place, { ...made, branch, into, stage });
  const isRepeated = isRecorded && record.stage === 'moving';
  if (!isRecorded) keep('made');
  const { commit } = made;
  const reason = `merge ${branch}: ${commit === tip ? 'Fast-forward' : "Merge made by the 'ort' strategy."}`;
  const begin = (): void => keep('moving');
  const { folder, env } = place;
  const stop = await moveWorkTree(main, { from, commit, folder, env, isRepeated, reason, begin });
  if (stop) return stop;
  await afterwards(work);
  return { kind: 'merged', commit };
}

export function refused(why: string, fix: string): Refused {
  return { kind: 'refused', why, fix };
}

function alreadyIn(main: Repository, into: string, head: string | null): MergeResult {
  if (head !== null && branchAt(main.root) === into) return { kind: 'already', commit: head };
  return otherBranch(main, into);
}

function otherBranch({ root }: Repository, into: string): Refused {
  const here = branchAt(root);
  const why = `${root} has ${here === null ? 'a detached commit' : `the branch ${here}`} checked out, not ${into}`;
  return refused(why, shellLine('git', '-C', root, 'switch', into));
}

const underWay: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'],
  ['REVERT_HEAD', 'revert'],
  ['rebase-merge', 'rebase'],
  ['rebase-apply', 'rebase'],
];

function notNow(main: Repository, into: string): Refused | null {
  const what = underWay.find(([file]) => existsSync(join(main.gitDir, file)))?.[1];
  if (what !== undefined)
    return refused(
      `a ${what} is under way in ${main.root}`,
      `finish or abort the ${what}, then run the same command again`,
    );
  return branchAt(main.root) === into ? null : otherBranch(main, into);
}

interface Work {
  readonly place: LandingPlace;
  readonly main: Repository;
  readonly git: UserGit;
  readonly branch: string;
  readonly into: string;
  readonly tip: string;
  readonly from: string;
  readonly message?: string;
}

type Made = Pick<MergeRecord, 'tip' | 'from' | 'commit'>;

/** M1. */
async function prepare(work: Work): Promise<Made | Exclude<MergeResult, { kind: 'merged' | 'already' }>> {
  const { git, tip, from, branch, main } = work;
  const byHand = shellLine('git', '-C', main.root, 'merge', branch);
  const mode = await git.text(['config', '--default=true', '--get', 'merge.ff']);
  const isFastForward = await isAncestor(git, from, tip);
  if (isFastForward && mode !== 'false') return { tip, from, commit: tip };
  if (mode === 'only') return refused(`merge.ff is "only", and ${branch} does not contain all of ${work.into}`, byHand);
  try {
    await requireIdentity(git);
    const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', from, tip];
    const [tree = '', ...paths] = await git.fields(args, { answersWith: 1 });
    const conflicts = [...new Set(paths)].map((path) => Buffer.from(path, 'latin1').toString('utf8'));
    if (conflicts.length > 0) return { kind: 'conflict', paths: conflicts };
    const message = await passedHooks(work, tree);
    return 'kind' in message ? message : { tip, from, commit: await commitTree(work, tree, message.text) };
  } catch (error) {
    if (error instanceof IdentityMissing) return refused(error.message, error.fix);
    if (!(error instanceof GitFailed)) throw error;
    // Unrelated histories, a key that cannot sign, or a git before 2.38, which merges in a work tree only.
    return refused(error.message, byHand);
  }
}

async function commitTree({ git, from, tip }: Work, tree: string, message: string): Promise<string> {
  const isSigned = (await git.text(['config', '--get', '--type=bool', '--default=false', 'commit.gpgSign'])) === 'true';
  const parents = ['-p', from, '-p', tip];
  const args = [
    '-c',
    'core.fsync=loose-object',
    'commit-tree',
    ...(isSigned ? ['-S'] : []),
    ...parents,
    '-F',
    '-',
    tree,
  ];
  return git.text(args, { input: message });
}

/** M3. The message as the hooks leave it, or the refusal of one. */
async function passedHooks(work: Work, tree: string): Promise<{ readonly text: string } | Refused> {
  const { place, main, git, tip, branch, message } = work;
  const tidy = (input: string): Promise<string> => git.text(['stripspace'], { input });
  const usual = (): Promise<string> => git.text(['fmt-merge-msg'], { input: `${tip}\t\tbranch '${branch}' of .\n` });
  const text = await tidy(message ?? (await usual()));
  const hooks = await hooksFolder(main);
  const names = ['pre-merge-commit', 'prepare-commit-msg', 'commit-msg'].filter((name) => hookIn(hooks, name) !== null);
  if (names.length === 0) return { text };
  const folder = join(place.folder, 'hooks');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const index = join(folder, 'index');
  if (existsSync(join(main.gitDir, 'index'))) copyFileSync(join(main.gitDir, 'index'), index);
  await git.run(['-c', 'core.splitIndex=false', 'read-tree', '--reset', tree], { env: { GIT_INDEX_FILE: index } });
  const repository = await makeHookRepository(main, join(folder, 'git'), index);
  writeFileSync(repository.messageFile, `${text}\n`);
  for (const name of names) {
    const args =
      name === 'pre-merge-commit' ? [] : [repository.messageFile, ...(name === 'commit-msg' ? [] : ['merge'])];
    const { passed, output } = await place.runHook(name, [join(hooks, name), ...args], repository);
    if (!passed) return refused(`the hook ${name} refuses: ${output}`, satisfyHook);
  }
  const file = leftByHook(repository.messageFile);
  const final = file === undefined ? '' : await tidy(readText(file) ?? '');
  return final === '' ? refused('the hooks left no commit message', satisfyHook) : { text: final };
}

const satisfyHook = 'satisfy the hook, then run the same command again';

/** Too late to change anything: what becomes of it does not matter. */
async function afterwards({ place, main }: Work): Promise<void> {
  const hook = hookIn(await hooksFolder(main), 'post-merge');
  if (hook === null) return;
  const folder = join(place.folder, 'post-merge');
  rmSync(folder, { recursive: true, force: true });
  const repository = await makeHookRepository(main, folder, join(main.gitDir, 'index'));
  const isSquash = '0';
  await place.runHook('post-merge', [hook, isSquash], repository);
}

/** `moving`: files of the work tree may be those of the merge already. */
type Stage = 'made' | 'moving';

/** M2. */
interface MergeRecord {
  readonly branch: string;
  readonly into: string;
  readonly tip: string;
  readonly from: string;
  readonly commit: string;
  readonly stage: Stage;
}

const recordName = 'merge';

function keepRecord({ records }: LandingPlace, { branch, into, tip, from, commit, stage }: MergeRecord): void {
  records.keep(recordName, [branch, into, tip, from, commit, stage].join(' '));
}

function readRecord({ records }: LandingPlace, order: MergeOrder): MergeRecord | null {
  const [branch = '', into = '', tip = '', from = '', commit = '', stage = ''] = (records.read(recordName) ?? '').split(
    ' ',
  );
  if (branch !== order.branch || into !== order.into || stage === '') return null;
  return { branch, into, tip, from, commit, stage: stage === 'moving' ? 'moving' : 'made' };
}
