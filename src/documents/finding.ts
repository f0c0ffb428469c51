export const SEVERITIES = ['High', 'Medium', 'Low'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Something wrong in a document that can still be read. */
export interface Finding {
  /** Stable, kebab-case. */
  readonly code: string;
  /** Relative to the workspace. */
  readonly path: string;
  /** Counts from 1 in the file; null where no single line is to blame. */
  readonly line: number | null;
  readonly message: string;
  /** What to do about it. */
  readonly fix: string;
  /** High blocks; the others are shown. A finding without a severity blocks. */
  readonly severity?: Severity;
}
