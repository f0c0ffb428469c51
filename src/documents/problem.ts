/** Something wrong in a document that can still be read. `line` counts from 1 in the file. */
export interface Problem {
  /** Stable, kebab-case. */
  readonly code: string;
  readonly message: string;
  readonly line: number;
  /** What to do about it. */
  readonly fix: string;
}
