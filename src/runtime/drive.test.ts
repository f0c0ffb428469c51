import { expect, test } from 'vitest';
import { pauseLeft } from './drive.ts';

test('a pause between attempts ends on time, and is never longer than it is (attack 8.6)', () => {
  expect(pauseLeft(60_000, 1_000_000, 1_010_000)).toBe(50_000);
  expect(pauseLeft(60_000, 1_000_000, 2_000_000)).toBeLessThanOrEqual(0);
  const tenDaysMs = 10 * 24 * 3_600_000;
  expect(pauseLeft(60_000, 1_000_000 + tenDaysMs, 1_000_000)).toBe(60_000);
});
