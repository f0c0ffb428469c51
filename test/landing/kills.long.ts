import { afterAll, beforeAll, expect, test } from 'vitest';
import { KilledLandings } from './killed-landings.ts';

let landings: KilledLandings;
beforeAll(async () => {
  landings = await KilledLandings.create();
});
afterAll(() => landings.remove());

test.each([
  ['after', 'commit-tree', 'merged'],
  ['after', 'read-tree', 'merged'],
  ['before', 'ORIG_HEAD', 'merged'],
  ['after', 'HEAD', 'already'],
  ['before', 'remove', 'already'],
  ['after', 'remove', 'already'],
  ['after', '-d', 'already'],
] as const)('a landing killed %s git %s and repeated is made once', (when, command, kind) => {
  expect(landings.killAndRepeat({ when, command })).toBe(kind);
});
