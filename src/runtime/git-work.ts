/**
 * What a check does with the repository.
 *
 * G1. Everything may be cut off and repeated: a commit is on record in the run's folder before it takes effect, a claim
 *     names the run, and a snapshot that is brought back twice is the same.
 * G2. Hooks run as the project's other commands do, in the sandbox where there is one; the commit is made outside of it.
 */

import { createHash, randomUUID } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { CommitOrder, CommitResult, GitWork, Landing, RewindOptions } from '../workflows/workflow.ts';
import { claimName } from '../workspace/claims.ts';
import type { CommitRequest } from '../workspace/committing.ts';
import { readText } from '../workspace/files.ts';
import { mainWorkTree } from '../workspace/git.ts';
import type { CommitHistory } from '../workspace/history.ts';
import { listed } from './bounds.ts';
import { execute } from './check-command.ts';
import { requireOwnBranch } from './own-branch.ts';
import { markedFor } from './project-command.ts';
import type { Run } from './run.ts';
import { changedPaths, ownFiles } from './tree-changes.ts';

/** `nextFolder`: for the output of another command. */
export function gitWork(run: Run, nextFolder: () => string): GitWork {
  const { commonDir, disk, workflow } = run;
  return {
    workTree: run.workspace,
    mainWorkTree: mainWorkTree({ root: run.workspace, commonDir }),
    commit: (order) => commit(run, order, nextFolder),
    snapshot: () => run.tree.snapshot(),
    rewind: (tree, options = {}) => rewind(run, tree, options),
    diff: (from, to, { except = [] } = {}) => run.tree.diff(from, to, { exceptFolders: except }),
    claim: (name) => claimName({ commonDir, scope: workflow.name, name, owner: ownerOf(run) }, disk),
    namesElsewhere: (folder) => historyOf(run).namesElsewhere(folder),
    branch: () => historyOf(run).branch(),
    mainBranch: () => historyOf(run, mainWorkTree({ root: run.workspace, commonDir })).branch(),
    head: () => historyOf(run).head(),
    movedFrom: (commit) => movedFrom(run, commit),
    mergeBase: (ref) => historyOf(run).mergeBase(ref),
    landing: landingOf(run, nextFolder),
  };
}

/** Loaded with the first call. */
function landingOf(run: Run, nextFolder: () => string): Landing {
  const { commonDir, disk, host, workspace: workTree } = run;
  const main = mainWorkTree({ root: workTree, commonDir });
  const folder = join(run.folder, 'landing');
  const fileOf = (name: string): string => join(folder, `${name}.record`);
  const records = {
    read: (name: string) => readText(fileOf(name), disk),
    keep: (name: string, text: string) => run.keepFile(fileOf(name), text),
  };
  const open = async (): Promise<Landing> => {
    if (!host.landing) throw new Error('this computer has no git');
    const env = markedFor(run, '#check');
    const runHook = hooksIn(run, nextFolder, main);
    const { interrupted } = host;
    return host.landing({ workTree, mainWorkTree: main, commonDir, folder, env, records, runHook, interrupted });
  };
  return {
    uncommitted: async (except) => (await open()).uncommitted(except),
    merge: async (order) => (await open()).merge(order),
    pullRequest: async (order) => (await open()).pullRequest(order),
    remove: async (order) => {
      if (workTree === main || !run.hasCompany()) return (await open()).remove(order);
      const why = `another run is working in ${workTree}`;
      return { kind: 'refused', why, fix: 'wait until it has ended, then run the same command again' };
    },
  };
}

/** Of this very run: a later one of the same name does not get its names again. */
function ownerOf(run: Run): string {
  const file = join(run.folder, 'owner');
  const known = readText(file, run.disk);
  if (known !== undefined) return known;
  const owner = `${run.workflow.name}/${run.id}/${randomUUID()}`;
  run.keepFile(file, owner);
  return owner;
}

function historyOf({ host, workspace }: Run, root = workspace): CommitHistory {
  if (!host.history) throw new Error('this computer has no git');
  return host.history(root);
}

async function commit(run: Run, order: CommitOrder, nextFolder: () => string): Promise<CommitResult> {
  const { message, paths } = order;
  const tree = order.tree ?? (await run.tree.snapshot());
  const key = createHash('sha256').update(JSON.stringify([message, paths.toSorted(), order.tree ?? null]));
  const folder = join(run.folder, 'commits', key.digest('hex').slice(0, 16));
  const file = `${folder}.commit`;
  const record = {
    read: () => readText(file, run.disk),
    keep: (text: string) => run.keepFile(file, text),
  };
  const files = await run.tree.files(tree, paths);
  const isEarlier = order.tree !== undefined;
  const requirePlace = (): void => requireOwnBranch(run);
  const runHook = hooksIn(run, nextFolder);
  const request = { message, paths, files, isEarlier, folder, record, requirePlace, runHook };
  const result = await historyOf(run).commit(request);
  if ('altered' in result && result.altered)
    run.tell('warning', `hooks changed files that the run had finished: ${listed(result.altered)}`);
  return result;
}

/** By the records of its own commits (G1). */
async function movedFrom(run: Run, commit: string): Promise<boolean> {
  const folder = join(run.folder, 'commits');
  const names = run.disk.exists(folder)
    ? run.disk
        .list(folder)
        .map(({ name }) => name)
        .filter((name) => name.endsWith('.commit'))
    : [];
  const parents = new Map(
    names.map((name) => {
      const [made = '', parent = ''] = (readText(join(folder, name), run.disk) ?? '').split(' ');
      return [made, parent];
    }),
  );
  let at = (await historyOf(run).head()) ?? '';
  for (let steps = 0; at !== commit && steps <= parents.size; steps += 1) at = parents.get(at) ?? at;
  return at !== commit;
}

const hookMsMax = 30 * 60_000;

/** G2. */
function hooksIn(run: Run, nextFolder: () => string, cwd = run.workspace): CommitRequest['runHook'] {
  return async (name, command, { env, folder }) => {
    const hook = command.find((word) => isAbsolute(word)) ?? [];
    // One of another work tree only reads it.
    const folders = { read: [hook, cwd === run.workspace ? [] : cwd].flat(), write: [folder] };
    const { exitCode, timedOut, missing, output } = await execute(run, command, nextFolder(), {
      timeoutMs: hookMsMax,
      env,
      folders,
      cwd,
    });
    const why = timedOut ? 'it timed out' : missing ? 'it could not be started' : '';
    return { passed: exitCode === 0, output: [output.trimEnd(), why].filter(Boolean).join('\n') || `${name} failed` };
  };
}

async function ownAmong(run: Run, now: string, changed: readonly string[]) {
  const { attributionUntil } = await import('./undo.ts');
  const { own, others } = await attributionUntil(run, now);
  const paths = changed.filter((path) => own.has(path));
  return { paths: paths.filter((path) => !others.has(path)), shared: paths.filter((path) => others.has(path)) };
}

async function rewind(
  run: Run,
  tree: string | null,
  { except = [], onlyOwn = false }: RewindOptions,
): Promise<readonly string[]> {
  const now = await run.tree.snapshot();
  const to = tree ?? run.state.firstTree ?? now;
  const kept = [...run.unjudged, ...except];
  const isKept = (path: string): boolean => kept.some((one) => path === one || path.startsWith(`${one}/`));
  const isOwn = await ownFiles(run);
  const changed = (await changedPaths(run, now, to)).filter((path) => !isKept(path) && isOwn(path));
  const { paths, shared } = onlyOwn ? await ownAmong(run, now, changed) : { paths: changed, shared: [] };
  if (shared.length > 0)
    run.tell('warning', `left as they are, because somebody else changed them too: ${listed(shared)}`);
  if (paths.length === 0) return [];
  // Named by both trees: a repetition keeps what is left beside the first one.
  const patch = join(run.folder, 'rewinds', `${now.slice(0, 12)}-${to.slice(0, 12)}.patch`);
  run.keepFile(patch, await run.tree.patch(to, now, { exceptFolders: kept }));
  await run.tree.restore(now, to, { paths });
  run.sync(paths);
  run.tell('recovered', `brought ${paths.length} files back; what they were is kept in ${patch}`);
  return paths;
}
