import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledCommits } from './killed-commits.ts';

let commits: KilledCommits;
beforeAll(async () => {
  commits = await KilledCommits.create();
});
afterAll(() => commits.remove());

test.each([
  ['before', 'hash-object', 'committed'],
  ['after', 'commit-tree', 'committed'],
  ['before', 'update-ref', 'committed'],
  ['after', 'update-ref', 'already'],
] as const)('a commit killed %s %s and repeated is made once', { timeout: 30_000 }, (when, command, kind) => {
  expect(commits.killAndRepeat({ when, command })).toBe(kind);
});
