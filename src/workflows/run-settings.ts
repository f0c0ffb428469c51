/** What a workflow's configuration comes to for the runtime. */

import type { DocumentWarning } from '../documents/read-document.ts';

/** Limits on what a run may consume, over its whole life. */
export interface SpendingLimits {
  readonly dispatches: number;
  readonly tokens: number;
  readonly costUsd: number;
  readonly wallMs: number;
  /** What a dispatch counts for when its usage is not known. */
  readonly unknownTokens: number;
  readonly unknownCostUsd: number;
}

/** How a new worktree is made fit for work. */
export interface WorktreeSettings {
  /** Program and arguments run in it once. */
  readonly setup: readonly string[] | null;
  readonly timeoutMs: number;
  /** Files (relative) taken over from the checkout, such as those git ignores. */
  readonly copy: readonly string[];
}

/** The settings of a workflow that the runtime acts on. */
export interface RunSettings {
  /** Role → agent, where the configuration names one. */
  readonly agents: Readonly<Record<string, string>>;
  /** Agents that go on where another is missing or out of quota, in this order. */
  readonly fallback: readonly string[];
  modelFor(agent: string, complexity: string | undefined): string | null;
  /** How an agent is started, where the user says so. */
  agentOptions(agent: string): {
    readonly command: readonly string[] | null;
    readonly driver: 'native' | 'acp' | null;
    readonly mcp: readonly string[];
    readonly env?: readonly string[];
  };
  /** Limits of the machine's budgets. */
  readonly limits: Readonly<Record<string, number>>;
  readonly spending: SpendingLimits;
  readonly dispatch: { readonly timeoutMs: number; readonly killGraceMs: number; readonly outputBytesMax: number };
  readonly retryDelayMs: number;
  /** New runs work in a worktree of their own unless told otherwise. */
  readonly ownWorktree?: boolean;
  /** For workflows that can work in a worktree of their own. */
  readonly worktree?: WorktreeSettings;
  /** Program and arguments run when a person is needed. */
  readonly notify: readonly string[] | null;
  readonly warnings: readonly DocumentWarning[];
  /** Shown by `pawl doctor` only. */
  readonly notes: readonly string[];
}
