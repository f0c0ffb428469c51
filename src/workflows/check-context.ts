/** What a check may look at and do, and what it answers. */

import type { WorkItem } from '../engine/snapshot.ts';
import type { Signal } from '../engine/transition.ts';
import type { GitWork } from './git-access.ts';
import type { RunView, Write } from './workflow.ts';

export interface CommandRun {
  readonly command: readonly string[];
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** The program is not installed. */
  readonly missing: boolean;
  readonly output: string;
  readonly outputFile: string;
}

/** A check may read, work with git, and run programs of the project through the one launcher. */
export interface CheckContext extends RunView {
  readonly git: GitWork;
  readonly item?: WorkItem;
  exec(command: readonly string[], options: { readonly timeoutMs: number }): Promise<CommandRun>;
  /** Whether `exec` runs programs in a sandbox. */
  isConfined(): Promise<boolean>;
  /** Digest of the work tree outside the workflow's control folder. */
  treeDigest(): Promise<string>;
  /** From now on: tells which files outside the control folder were changed since. */
  watch(): Promise<() => Promise<readonly string[]>>;
  /** Files outside the control folder that the run changed so far, untracked ones included. */
  changedFiles(): Promise<readonly string[]>;
  /** Unified diff of what the run did to the work tree so far, untracked files included. */
  diff(): Promise<string>;
}

export interface CheckResult {
  readonly signal: Signal;
  readonly writes?: readonly Write[];
  readonly notes?: readonly string[];
}
