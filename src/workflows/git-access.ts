/** What a check may do with the repository that a run works in. */

export interface CommitOrder {
  readonly message: string;
  /** Files and folders; nothing else is committed. */
  readonly paths: readonly string[];
  /** A snapshot to take them from, instead of the work tree as it is. */
  readonly tree?: string;
}

export type CommitResult =
  /** `already`: by a check that was cut off. */
  | { readonly kind: 'committed' | 'already'; readonly id: string }
  /** There is nothing to commit; `id` is the last commit. */
  | { readonly kind: 'nothing'; readonly id: string | null }
  /** By a hook of the user's. */
  | { readonly kind: 'refused'; readonly hook: string; readonly output: string };

/** Nothing was changed; `fix` is a command or a sentence for a person. */
export interface LandingRefused {
  readonly kind: 'refused';
  readonly why: string;
  readonly fix: string;
}

export interface MergeOrder {
  /** Null for a run without a branch of its own. */
  readonly branch: string | null;
  readonly into: string;
  /** Of the merge commit, where one is made; git's own words where there is none. */
  readonly message?: string;
}

export type MergeResult =
  /** `already`: the branch has all of it, or a check that was cut off merged it. */
  | { readonly kind: 'merged' | 'already'; readonly commit: string }
  /** Both branches, and the work tree, are as before. */
  | { readonly kind: 'conflict'; readonly paths: readonly string[] }
  /** Another branch is checked out, edits are in the way, something else is under way, or a hook refuses. */
  | LandingRefused;

export interface PullRequestOrder {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
}

export type PullRequestResult =
  | { readonly kind: 'opened' | 'already'; readonly url: string }
  /** For a person to run: it is pushed, and there is no program for its forge. */
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

export type RemovalResult =
  /** `commit`: where the branch was, for `git branch <name> <commit>`; null where there was none. */
  { readonly kind: 'removed'; readonly commit: string | null } | LandingRefused;

/** Brings the work of a run home. Nothing is lost that is not committed, merged or pushed, unless the order says so. */
export interface Landing {
  /** Lines of `git status` of the run's work tree, untracked files included, each `XY path`; without these paths. */
  uncommitted(except: readonly string[]): Promise<readonly string[]>;
  /** Merges the run's branch into one that is checked out in the main work tree. */
  merge(order: MergeOrder): Promise<MergeResult>;
  /** Pushes the branch, and opens a pull request with the program of its forge. */
  pullRequest(order: PullRequestOrder): Promise<PullRequestResult>;
  /** Removes the run's worktree, if it has one of its own, and deletes the branch. The run needs neither afterwards. */
  remove(order: RemovalOrder): Promise<RemovalResult>;
}

export interface RewindOptions {
  readonly except?: readonly string[];
  /** Only what the run's dispatches changed and nobody else did; the rest of theirs is named. */
  readonly onlyOwn?: boolean;
}

/** Everything can be repeated after a crash, and is then done once. */
export interface GitWork {
  /** Absolute paths: the work tree of the run, and the one that the repository was made with. */
  readonly workTree: string;
  readonly mainWorkTree: string;
  /** In the user's name, with their hooks and signature, on the branch that is checked out. Nothing is pushed. */
  commit(order: CommitOrder): Promise<CommitResult>;
  /** The work tree as it is, to be committed or brought back later. */
  snapshot(): Promise<string>;
  /**
   * Brings the judged files back to a snapshot; null is the work tree before the first dispatch. What is taken away is
   * kept as a patch in the run's folder. Tells the paths that were changed.
   */
  rewind(tree: string | null, options?: RewindOptions): Promise<readonly string[]>;
  /** What differs between two snapshots, as a unified diff. */
  diff(from: string, to: string, options?: { readonly except?: readonly string[] }): Promise<string>;
  /** Takes a name for this run, for good; false when another run has it. */
  claim(name: string): boolean;
  /** Names of the files and folders in that folder in all branches and worktrees of the repository. */
  namesElsewhere(folder: string): Promise<readonly string[]>;
  /** The branch that is checked out; null when none is. */
  branch(): string | null;
  /** The same in the main work tree. */
  mainBranch(): string | null;
  /** The last commit; null when there is none. */
  head(): Promise<string | null>;
  /** Whether HEAD is neither at this commit, nor at one that this run made on it: somebody else moved it. */
  movedFrom(commit: string): Promise<boolean>;
  /** The last commit that it has in common with a branch, tag or commit; null when there is none, or no such name. */
  mergeBase(ref: string): Promise<string | null>;
  readonly landing: Landing;
}
