import type { Problem } from '../../engine/snapshot.ts';

/** Documents that are not as they must be. */
export function documentsProblem(problems: readonly string[], run: string): Problem {
  const fix = `mend the files, or let the step run again: pawl session resume ${run}`;
  return { code: 'invalid_documents', message: problems.join('\n'), fix };
}
