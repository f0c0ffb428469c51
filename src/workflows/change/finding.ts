export type Severity = 'High' | 'Medium' | 'Low';

/** Something wrong with a plan. High blocks; the others are shown. */
export interface Finding {
  readonly severity: Severity;
  /** Stable, kebab-case. */
  readonly code: string;
  readonly message: string;
  readonly file: string;
  readonly line: number | null;
  /** What to do about it. */
  readonly fix: string;
}

/** Words for what nobody decided yet. Only in capitals: a todo list is a fine thing to build. */
export const UNDECIDED = /\b(?:TODO|TBD)\b/;

export function undecided(what: string, title: string): Pick<Finding, 'severity' | 'code' | 'message' | 'fix'> {
  return {
    severity: 'High',
    code: 'undecided-title',
    message: `${what} "${title}" is not decided`,
    fix: 'replace TODO or TBD by what is meant',
  };
}
