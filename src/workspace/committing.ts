/**
 * Commits in the user's name.
 *
 * C1. A commit changes exactly the named paths, stored as the user's own git stores them (line endings, filters).
 * C2. The user's hooks decide, and may change these files and the message. Identity and signature are the user's.
 * C3. The commit is on record before HEAD moves to it: one that was cut off is completed, and none is made twice.
 * C4. HEAD moves only from the commit that the new one was made on, and on the branch that is meant. Nothing is pushed.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from './files.ts';
import { GitFailed, type Repository } from './git.ts';
import { hookIn, hooksFolder, leftByHook, makeHookRepository, type HookRepository } from './hook-repository.ts';
import { CommitIndex, entriesOf, type Entries } from './commit-index.ts';
import { userGit, type UserGit } from './user-git.ts';
import { headCommit } from './worktree.ts';

/** A file of a recorded tree. */
export interface TreeFile {
  /** A byte string: one character per byte. */
  readonly name: string;
  readonly mode: string;
  readonly content: Buffer;
}

export interface CommitRequest {
  readonly message: string;
  /** Files and folders. */
  readonly paths: readonly string[];
  /** What is to be at these paths; everything else there is deleted. */
  readonly files: readonly TreeFile[];
  /** Taken from a snapshot: later commits of the same paths are expected. */
  readonly isEarlier?: boolean;
  /** For this commit alone; made anew. */
  readonly folder: string;
  /** C3. It is durable when `keep` returns. */
  readonly record: { read(): string | undefined; keep(text: string): void };
  /** Throws where the commit would go to a wrong branch; called again when it is ready, because hooks take their time. */
  requirePlace?(): void;
  /** Runs a hook in the work tree; it may write `repository.folder`. */
  runHook(name: string, command: readonly string[], repository: HookRepository): Promise<HookEnd>;
}

export interface HookEnd {
  readonly passed: boolean;
  readonly output: string;
}

export type CommitResult =
  /** `altered`: files that a hook changed. */
  | { readonly kind: 'committed' | 'already'; readonly id: string; readonly altered?: readonly string[] }
  /** There is nothing to commit; `id` is the HEAD. */
  | { readonly kind: 'nothing'; readonly id: string | null }
  | { readonly kind: 'refused'; readonly hook: string; readonly output: string };

/** Git does not know who the user is: stop, a person has to say it. */
export class IdentityMissing extends Error {
  readonly code = 'IdentityMissing';
  readonly fix = 'git config user.name "<name>" && git config user.email "<address>"';
}

/** C3. */
interface Recorded {
  readonly commit: string;
  readonly parent: string | null;
  /** Digest of the request's files. */
  readonly files: string;
  readonly altered?: readonly string[];
}

export async function commitFiles(place: Repository, request: CommitRequest): Promise<CommitResult> {
  const git = userGit(place.root);
  request.requirePlace?.();
  await requireIdentity(git);
  rmSync(request.folder, { recursive: true, force: true });
  mkdirSync(request.folder, { recursive: true });
  const head = await headCommit(place.root);
  const index = await CommitIndex.of(place, { head, file: join(request.folder, 'index') });
  await index.stage(request);
  const [recorded, files] = [readRecord(request), digestOf(request)];
  const isDone = recorded !== null && head !== null && (await isAncestor(git, recorded.commit, head));
  const changesNothing = (await index.tree()) === (await treeOf(git, head));
  const isMade =
    isDone &&
    (changesNothing ||
      (recorded.files === files && (request.isEarlier || (await isKept(git, recorded, head, request)))));
  if (isMade) {
    await index.updateUsers(recorded, { onlyStale: true });
    return { kind: 'already', id: recorded.commit };
  }
  if (changesNothing) return { kind: 'nothing', id: head };
  const isPrepared = recorded?.parent === head && recorded.files === files && (await exists(git, recorded.commit));
  const made = isPrepared ? recorded : await prepare({ place, git, index, head, files }, request);
  if ('kind' in made) return made;
  request.requirePlace?.();
  await moveHead(git, made);
  await index.updateUsers(made, { onlyStale: false });
  await afterwards(place, request);
  return { kind: 'committed', id: made.commit, ...(made.altered && { altered: made.altered }) };
}

interface Preparation {
  readonly place: Repository;
  readonly git: UserGit;
  readonly index: CommitIndex;
  readonly head: string | null;
  readonly files: string;
}

/** C2, C3: the commit as an object that nothing leads to yet. */
async function prepare(preparation: Preparation, request: CommitRequest): Promise<Recorded | CommitResult> {
  const { git, index, head, files } = preparation;
  const staged = await index.tree();
  const message = await passedHooks(preparation, request);
  if ('kind' in message) return message;
  const tree = await index.tree();
  if (tree === (await treeOf(git, head)))
    return { kind: 'refused', hook: 'pre-commit', output: 'it left nothing to commit' };
  const isSigned = (await git.text(['config', '--get', '--type=bool', '--default=false', 'commit.gpgSign'])) === 'true';
  const parent = head === null ? [] : ['-p', head];
  const args = ['commit-tree', ...(isSigned ? ['-S'] : []), ...parent, '-F', '-', tree];
  const commit = await git.text([...durably, ...args], { input: message.text });
  const recorded = { commit, parent: head, files };
  request.record.keep(`${commit} ${head ?? ''} ${files}`);
  if (staged === tree) return recorded;
  return { ...recorded, altered: await git.fields(['diff-tree', '-r', '-z', '--name-only', staged, tree]) };
}

const durably = ['-c', 'core.fsync=loose-object,reference'];

/** The message as the hooks leave it, or the refusal of one. */
async function passedHooks(
  { place, git, index }: Preparation,
  request: CommitRequest,
): Promise<{ readonly text: string } | CommitResult> {
  const tidy = (input: string): Promise<string> => git.text(['stripspace'], { input });
  const text = await tidy(request.message);
  const hooks = await hooksFolder(place);
  const names = ['pre-commit', 'prepare-commit-msg', 'commit-msg'].filter((name) => hookIn(hooks, name) !== null);
  if (names.length === 0) return { text };
  await index.refresh();
  const repository = await makeHookRepository(place, join(request.folder, 'hooks'), index.file);
  writeFileSync(repository.messageFile, `${text}\n`);
  for (const name of names) {
    const args = name === 'pre-commit' ? [] : [repository.messageFile, ...(name === 'commit-msg' ? [] : ['message'])];
    const { passed, output } = await request.runHook(name, [join(hooks, name), ...args], repository);
    if (!passed) return { kind: 'refused', hook: name, output };
    const objection = name === 'pre-commit' ? await index.takeOver(repository.folder, request.paths) : null;
    if (objection !== null) return { kind: 'refused', hook: name, output: objection };
  }
  const file = leftByHook(repository.messageFile);
  const final = file === undefined ? '' : await tidy(readText(file) ?? '');
  if (final !== '') return { text: final };
  return { kind: 'refused', hook: 'commit-msg', output: 'the hooks left no commit message' };
}

/** C4. */
async function moveHead(git: UserGit, { commit, parent }: Recorded): Promise<void> {
  const subject = await git.text(['log', '--no-show-signature', '--format=%s', '--max-count=1', commit]);
  const from = parent ?? '0'.repeat(commit.length);
  const reason = `commit${parent === null ? ' (initial)' : ''}: ${subject}`;
  await git.text([...durably, 'update-ref', '-m', reason, 'HEAD', commit, from]);
}

/** Too late to change anything: what becomes of it does not matter. */
async function afterwards(place: Repository, request: CommitRequest): Promise<void> {
  const hook = hookIn(await hooksFolder(place), 'post-commit');
  if (hook === null) return;
  const index = join(place.gitDir, 'index');
  const repository = await makeHookRepository(place, join(request.folder, 'post-commit'), index);
  await request.runHook('post-commit', [hook], repository);
}

/** Throws IdentityMissing. */
export async function requireIdentity(git: UserGit): Promise<void> {
  try {
    for (const name of ['GIT_AUTHOR_IDENT', 'GIT_COMMITTER_IDENT']) await git.text(['var', name]);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new IdentityMissing('git does not know whose commit it is: user.name or user.email is not set', {
      cause: error,
    });
  }
}

/** Whether the paths are still as the recorded commit has them. */
async function isKept(git: UserGit, { commit }: Recorded, head: string, { paths }: CommitRequest): Promise<boolean> {
  const [then, now] = await Promise.all([entriesOf(git, commit, paths), entriesOf(git, head, paths)]);
  return textOf(then) === textOf(now);
}

function textOf(entries: Entries): string {
  return JSON.stringify([...entries]);
}

export function isAncestor(git: UserGit, commit: string, head: string): Promise<boolean> {
  return git.succeeds(['merge-base', '--is-ancestor', commit, head]);
}

function exists(git: UserGit, commit: string): Promise<boolean> {
  return git.succeeds(['cat-file', '-e', `${commit}^{commit}`]);
}

async function treeOf(git: UserGit, head: string | null): Promise<string | null> {
  return head === null ? null : git.text(['rev-parse', `${head}^{tree}`]);
}

function readRecord({ record }: CommitRequest): Recorded | null {
  const [, commit, parent = '', files] = /^(\w+) (\w*) (\w+)$/.exec(record.read() ?? '') ?? [];
  return commit === undefined || files === undefined ? null : { commit, parent: parent || null, files };
}

function digestOf({ files }: CommitRequest): string {
  const hash = createHash('sha256');
  for (const { name, mode, content } of files) hash.update(`${mode} ${name}\0${content.length}\0`).update(content);
  return hash.digest('hex');
}
