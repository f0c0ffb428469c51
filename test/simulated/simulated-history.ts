/**
 * A branch and its commits on a simulated disk, without git.
 *
 * H1. As with git, commits outlive every crash, the branch is one file that is replaced and synced, and a commit is on
 *     record before the branch moves to it. How git itself is killed is tested with the real one (test/committing).
 */

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Disk } from '../../src/disk/disk.ts';
import { DurableFiles } from '../../src/disk/syncing.ts';
import type { CommitRequest, CommitResult } from '../../src/workspace/committing.ts';
import { listFiles, readText, writeAtomically } from '../../src/workspace/files.ts';
import type { CommitHistory } from '../../src/workspace/history.ts';
import type { Landing } from '../../src/workspace/landing.ts';

type Files = ReadonlyMap<string, string>;

/** Files by the id of a commit. */
export class CommitObjects {
  readonly first: string;
  readonly #commits = new Map<string, Files>();

  constructor(files: Readonly<Record<string, string>>) {
    this.first = this.add('start', '', new Map(Object.entries(files)));
  }

  add(message: string, parent: string, files: Files): string {
    const id = sha1(JSON.stringify([message, parent, digestOf(files)]));
    this.#commits.set(id, files);
    return id;
  }

  read(id: string): Files {
    return this.#commits.get(id) ?? new Map();
  }
}

interface Place {
  readonly root: string;
  readonly commonDir: string;
}

const branchFile = 'branch';

/** Commits behind the first one, each with its message. */
export function branchOn(disk: Disk, commonDir: string): readonly string[] {
  return (readText(join(commonDir, branchFile), disk) ?? '').split('\n').filter(Boolean);
}

export function simulatedHistory(disk: Disk, { root, commonDir }: Place, commits: CommitObjects): CommitHistory {
  const branch = (): readonly string[] => branchOn(disk, commonDir);
  const idOf = (line: string): string => line.split(' ')[0] ?? '';
  const head = (): string => idOf(branch().at(-1) ?? commits.first);
  return {
    branch: () => 'work',
    head: () => Promise.resolve(head()),
    mergeBase: () => Promise.resolve(commits.first),
    namesElsewhere: (folder) => {
      const committed = [...commits.read(head()).keys()].filter((path) => path.startsWith(`${folder}/`));
      return Promise.resolve([...committed, ...listFiles(root, folder, disk, 'shallow')].map(nameIn));
    },
    commit: (request) => Promise.resolve(commit(request)),
  };

  function commit({ message, paths, files, record }: CommitRequest): CommitResult {
    const isNamed = (path: string): boolean => paths.some((one) => path === one || path.startsWith(`${one}/`));
    const before = commits.read(head());
    const kept = [...before].filter(([path]) => !isNamed(path));
    const after = new Map([...kept, ...files.map(({ name, content }) => [name, content.toString('latin1')] as const)]);
    const digest = digestOf(after);
    const [recorded = '', parent = '', asked = ''] = (record.read() ?? '').split(' ');
    if (branch().some((line) => idOf(line) === recorded)) return { kind: 'already', id: recorded };
    if (digest === digestOf(before)) return { kind: 'nothing', id: head() };
    const id = parent === head() && asked === digest ? recorded : commits.add(message, head(), after);
    record.keep(`${id} ${head()} ${digest}`);
    const line = `${id} ${message.split('\n')[0]}`;
    // As git with core.fsync=reference: the content is on the disk before the name is.
    writeAtomically(join(commonDir, branchFile), `${[...branch(), line].join('\n')}\n`, { whole: true }, disk);
    new DurableFiles(disk, commonDir).sync([branchFile], () => true);
    return { kind: 'committed', id };
  }
}

/** A run there has no branch of its own, and nothing to bring home. */
export function simulatedLanding(disk: Disk, commonDir: string, commits: CommitObjects): Landing {
  const commit = branchOn(disk, commonDir).at(-1)?.split(' ')[0] ?? commits.first;
  return {
    uncommitted: () => Promise.resolve([]),
    merge: () => Promise.resolve({ kind: 'already', commit }),
    pullRequest: () => Promise.resolve({ kind: 'commands', commands: [], why: 'no forge is installed' }),
    remove: () => Promise.resolve({ kind: 'removed', commit: null }),
  };
}

function digestOf(files: Files): string {
  return sha1(JSON.stringify([...files].toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function nameIn(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
