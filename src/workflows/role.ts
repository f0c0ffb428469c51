/** What the runtime knows of a role. */

import type { DispatchContext } from './workflow.ts';

/** Null where there is no file. A rename is a deletion and a new file. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface Role {
  /**
   * Globs of what the role may write; a role without any only reads. What is written beside them is put back.
   * A function is called once, before the dispatch begins, and its role is one that writes.
   */
  readonly mayWrite: readonly string[] | ((context: DispatchContext) => readonly string[]);
  /**
   * Why a change within the globs is not allowed, or null; one that is not is put back. It is called again after a crash.
   * `files` of the context are as they were when the dispatch began.
   */
  objection?(change: FileChange, context: DispatchContext): string | null | Promise<string | null>;
  /** Its prompt is about what the run changed (`DispatchContext.judged`). */
  readonly judges?: true;
  readonly defaultAgent: string;
}
