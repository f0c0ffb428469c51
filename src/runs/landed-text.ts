import type { Landed } from '../store/record.ts';

/** What became of a run's work, in a few words. */
export function landedText({ how, branch, commit, url }: Landed): string {
  const at = commit === null ? '' : ` at ${commit.slice(0, 9)}`;
  switch (how) {
    case 'merged':
      return `merged into ${branch}${at}`;
    case 'committed':
      return `committed${branch === null ? '' : ` on ${branch}`}${at}`;
    case 'pull_request':
      return `pull request ${url}`;
    case 'kept':
      return 'kept as it is';
    case 'discarded':
      return `discarded${commit === null ? '' : `; its branch was${at}`}`;
  }
}
