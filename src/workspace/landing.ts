/**
 * Brings the work of a run home: into the branch it began from, into a pull request, or away.
 *
 * L1. Nothing that is not committed, or that only the run's branch has, is lost unless a person confirmed that.
 * L2. Every call may be cut off at any instant and repeated: it then ends as one that was not. What it is about to do is
 *     on record before it does it.
 * L3. The user's own git does it: their identity, signature and credentials. Hooks run only through `runHook`, and may
 *     refuse.
 */

import type { CommitRequest } from './committing.ts';
import { mergeBranch } from './landing-merge.ts';
import { removeWork, uncommittedIn } from './landing-removal.ts';
import { openPullRequest } from './pull-request.ts';

export interface LandingPlace {
  /** The work tree of the run, which may be removed already, and the one that the repository was made with. */
  readonly workTree: string;
  readonly mainWorkTree: string;
  readonly commonDir: string;
  /** For this alone, on the file system of the git directory. */
  readonly folder: string;
  /** By which a program that outlives this process is found again. */
  readonly env: Readonly<Record<string, string>>;
  /** Ends a program of a forge; what was done is found again by the next call (L2). */
  readonly interrupted?: AbortSignal;
  /** L2. Durable when `keep` returns. */
  readonly records: { read(name: string): string | undefined; keep(name: string, text: string): void };
  /** Runs a hook in the main work tree; it may write `repository.folder`. */
  readonly runHook: CommitRequest['runHook'];
}

/** Nothing was changed. */
export interface Refused {
  readonly kind: 'refused';
  readonly why: string;
  readonly fix: string;
}

export interface MergeOrder {
  /** Null for a run without a branch of its own. */
  readonly branch: string | null;
  readonly into: string;
  /** Of the merge commit; git's own words where there is none. */
  readonly message?: string;
}

export type MergeResult =
  | { readonly kind: 'merged' | 'already'; readonly commit: string }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  | Refused;

export interface PullRequestOrder {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export type PullRequestResult =
  | { readonly kind: 'opened' | 'already'; readonly url: string }
  | { readonly kind: 'commands'; readonly commands: readonly string[]; readonly why: string }
  | { readonly kind: 'failed'; readonly output: string; readonly fix: string };

export interface RemovalOrder {
  /** Null for a run without a branch of its own. */
  readonly branch: string | null;
  /** A person confirmed that commits and edits may be lost. */
  readonly lose: boolean;
  /** Only says whether it could be. */
  readonly dryRun?: boolean;
  /** Files and folders whose edits nobody needs. */
  readonly except?: readonly string[];
}

export type RemovalResult = { readonly kind: 'removed'; readonly commit: string | null } | Refused;

export interface Landing {
  uncommitted(except: readonly string[]): Promise<readonly string[]>;
  merge(order: MergeOrder): Promise<MergeResult>;
  pullRequest(order: PullRequestOrder): Promise<PullRequestResult>;
  remove(order: RemovalOrder): Promise<RemovalResult>;
}

export function landingAt(place: LandingPlace): Landing {
  return {
    uncommitted: (except) => uncommittedIn(place.workTree, except),
    merge: (order) => mergeBranch(place, order),
    pullRequest: (order) => openPullRequest(place, order),
    remove: (order) => removeWork(place, order),
  };
}
