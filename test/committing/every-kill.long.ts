import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledCommits } from './killed-commits.ts';

let commits: KilledCommits;
beforeAll(async () => {
  commits = await KilledCommits.create();
});
afterAll(() => commits.remove());

test.each(['before', 'after'] as const)('a commit killed %s any git command', { timeout: 300_000 }, (when) => {
  const kinds: string[] = [];
  for (let command = 1; ; command += 1) {
    const kind = commits.killAndRepeat({ when, command });
    if (kind === null) break;
    kinds.push(kind);
  }
  expect(kinds.length).toBeGreaterThan(15);
  expect([...new Set(kinds)]).toEqual(['committed', 'already']);
});
