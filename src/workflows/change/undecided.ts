import type { Reporter } from '../../documents/finding.ts';

/** Words for what nobody decided yet. Only in capitals: a todo list is a fine thing to build. */
const UNDECIDED = /\b(?:TODO|TBD)\b/;

export function reportUndecided(report: Reporter, line: number, what: string, title: string): void {
  if (!UNDECIDED.test(title)) return;
  report.high('undecided-title', line, `${what} "${title}" is not decided`, 'replace TODO or TBD by what is meant');
}
