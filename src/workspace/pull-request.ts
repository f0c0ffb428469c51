/**
 * Pushes the branch of a run and opens a pull request for it.
 *
 * P1. Nothing is forced: what the remote has and the branch lacks stays there, and the push fails.
 * P2. One that there is already, by an earlier call that was cut off or by hand, is found and told.
 * P3. `pre-push` may refuse. It runs as other hooks do, so one that needs the network may have to be run by hand.
 */

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeAtomically } from './files.ts';
import { asksNobody, findForge, forgesOf, opening, openingLine, runForge, shownUrl, urlIn, viewing } from './forge.ts';
import type { Forge } from './forge.ts';
import { findRepository, GitFailed } from './git.ts';
import { hookIn, hooksFolder, makeHookRepository } from './hook-repository.ts';
import type { LandingPlace, PullRequestOrder, PullRequestResult } from './landing.ts';
import { shellLine } from './shell-line.ts';
import { userGit, type UserGit } from './user-git.ts';
import { branchTip } from './worktree.ts';

export async function openPullRequest(place: LandingPlace, order: PullRequestOrder): Promise<PullRequestResult> {
  const { branch } = order;
  const git = userGit(place.mainWorkTree);
  const tip = await branchTip(place.mainWorkTree, branch);
  if (tip === null) {
    const fix = shellLine('git', 'branch', '--list');
    return { kind: 'failed', output: `there is no branch ${branch}`, fix };
  }
  const remote = await remoteOf(git, order);
  if (remote === null) return withoutRemote(order);
  const failed = await push({ place, git, remote, branch, tip });
  if (failed) return failed;
  const host = await hostOf(git, remote);
  const forge = host === null ? null : findForge(place, host);
  return forge === null ? withoutForge(place, order, { git, remote, host }) : request(place, order, { forge, tip });
}

/** Where the user's own `git push` would go, or where the base is. */
async function remoteOf(git: UserGit, { branch, base }: PullRequestOrder): Promise<string | null> {
  const remotes = (await git.text(['remote'])).split('\n').filter(Boolean);
  const keys = [
    `branch.${branch}.pushRemote`,
    'remote.pushDefault',
    `branch.${branch}.remote`,
    `branch.${base}.remote`,
  ];
  const wanted = await Promise.all(keys.map((key) => git.text(['config', '--default=', '--get', key])));
  const only = remotes.length === 1 ? remotes : [];
  return [...wanted, 'origin', ...only].find((name) => remotes.includes(name)) ?? null;
}

function withoutRemote({ branch }: PullRequestOrder): PullRequestResult {
  const output = `the repository has no remote to push ${branch} to; add one, then run the same command again`;
  return { kind: 'failed', output, fix: 'git remote add origin <url>' };
}

interface Push {
  readonly place: LandingPlace;
  readonly git: UserGit;
  readonly remote: string;
  readonly branch: string;
  readonly tip: string;
}

async function push(work: Push): Promise<Extract<PullRequestResult, { kind: 'failed' }> | null> {
  const { place, git, remote, branch, tip } = work;
  const env = environmentOf(place);
  const ref = `refs/heads/${branch}`;
  let fix = shellLine('git', '-C', place.mainWorkTree, 'push', '--set-upstream', remote, branch);
  try {
    const there = (await git.text(['ls-remote', '--', remote, ref], { env })).split('\t')[0] ?? '';
    if (there === tip) return null;
    const objection = await refusedByHook(work, there || '0'.repeat(tip.length));
    if (objection !== null) return { kind: 'failed', output: objection, fix };
    // What the remote has comes first: a push that is not forced would be refused again.
    if (there !== '') fix = shellLine('git', '-C', place.workTree, 'pull', '--no-rebase', remote, branch);
    await git.run(['push', '--set-upstream', '--porcelain', '--', remote, `${ref}:${ref}`], { env });
    return null;
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    return { kind: 'failed', output: error.message, fix };
  }
}

/** P3. */
async function refusedByHook({ place, git, remote, branch, tip }: Push, there: string): Promise<string | null> {
  const main = findRepository(place.mainWorkTree);
  const hook = hookIn(await hooksFolder(main), 'pre-push');
  if (hook === null) return null;
  const folder = join(place.folder, 'pre-push');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(place.folder, { recursive: true });
  const repository = await makeHookRepository(main, folder, join(main.gitDir, 'index'));
  const url = await git.text(['remote', 'get-url', '--push', '--', remote]);
  const line = `refs/heads/${branch} ${tip} refs/heads/${branch} ${there}`;
  // A hook reads what is pushed from its input.
  const command = ['sh', '-c', String.raw`printf '%s\n' "$3" | "$0" "$1" "$2"`, hook, remote, url, line];
  const { passed, output } = await place.runHook('pre-push', command, repository);
  return passed ? null : `the hook pre-push refuses: ${output}`;
}

/** The host of a remote; null for a folder. An address that the configuration shortens or redirects is read both ways. */
async function hostOf(git: UserGit, remote: string): Promise<string | null> {
  const urls = [
    await git.text(['remote', 'get-url', '--push', '--', remote]),
    await git.text(['config', '--default=', '--get', `remote.${remote}.url`]),
  ];
  return urls.map(hostIn).find((host) => host !== null) ?? null;
}

function hostIn(url: string): string | null {
  const [, host] =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)/i.exec(url) ??
    /^(?:[\w.-]+@)?([\w-]+(?:\.[\w-]+)+):(?!\/\/)/.exec(url) ??
    [];
  return host ?? null;
}

interface Destination {
  readonly git: UserGit;
  readonly remote: string;
  readonly host: string | null;
}

function withoutForge(place: LandingPlace, order: PullRequestOrder, { remote, host }: Destination): PullRequestResult {
  const bodyFile = join(place.folder, 'pull-request.md');
  writeAtomically(bodyFile, order.body);
  const [name = 'gh', ...others] = host === null ? [] : forgesOf(host);
  if (host === null || others.length > 0) {
    const why = `the branch ${order.branch} is pushed to ${remote}; no program for its forge is installed (gh, glab)`;
    return { kind: 'commands', commands: [shellLine('git', 'request-pull', order.base, remote, order.branch)], why };
  }
  const why = `the branch ${order.branch} is pushed to ${remote}; ${name} is not installed`;
  return { kind: 'commands', commands: [openingLine(name, order, bodyFile)], why };
}

async function request(
  place: LandingPlace,
  order: PullRequestOrder,
  { forge, tip }: { readonly forge: Forge; readonly tip: string },
): Promise<PullRequestResult> {
  const { branch } = order;
  const options = { cwd: place.mainWorkTree, env: environmentOf(place), signal: place.interrupted };
  /** P2. */
  const known = async (): Promise<string | null> => {
    const { passed, stdout } = await runForge(forge, viewing(forge.name, branch), options);
    return passed ? shownUrl(forge.name, stdout, { branch, tip }) : null;
  };
  const before = await known();
  if (before !== null) return { kind: 'already', url: before };
  const { args, input } = opening(forge.name, order);
  const { passed, stdout, output } = await runForge(forge, args, { ...options, input });
  const url = (passed ? urlIn(stdout) : null) ?? (await known());
  if (url !== null) return { kind: passed ? 'opened' : 'already', url };
  const bodyFile = join(place.folder, 'pull-request.md');
  writeAtomically(bodyFile, order.body);
  return {
    kind: 'failed',
    output: output || `${forge.name} tells no address`,
    fix: openingLine(forge.name, order, bodyFile),
  };
}

/** They would lead git to another repository than the one it is started in. */
const ofOneRepository = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
  'GIT_DIR',
  'GIT_INDEX_FILE',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_WORK_TREE',
];

function environmentOf({ env }: LandingPlace): Record<string, string> {
  const own = Object.entries(process.env).filter(
    ([name]) => !ofOneRepository.includes(name) && !/^GIT_CONFIG_(?:KEY|VALUE)_/.test(name),
  );
  const set = own.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  return { ...Object.fromEntries(set), LC_ALL: 'C', ...asksNobody, ...env };
}
