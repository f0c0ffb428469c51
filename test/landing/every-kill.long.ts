import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledLandings } from './killed-landings.ts';

let landings: KilledLandings;
beforeAll(async () => {
  landings = await KilledLandings.create();
});
afterAll(() => landings.remove());

test.each(['before', 'after'] as const)('a landing killed %s any git command', (when) => {
  const kinds: string[] = [];
  for (let command = 1; ; command += 1) {
    const kind = landings.killAndRepeat({ when, command });
    if (kind === null) break;
    kinds.push(kind);
  }
  expect(kinds.length).toBeGreaterThan(20);
  expect([...new Set(kinds)]).toEqual(['merged', 'already']);
});
