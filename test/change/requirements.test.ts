import { expect, test } from 'vitest';
import { citationsOf } from '../citations.ts';
import { openIn, unknownRows } from '../reviewed.ts';
import { requirements } from './requirements.ts';
import { reviewed } from './reviewed.ts';

const { uncited, unknown } = citationsOf('change', requirements);

test('every rule of the change workflow is cited by a test', () => {
  expect(uncited).toEqual([]);
});

test('every citation names a rule', () => {
  expect(unknown).toEqual([]);
});

test('every rule and defect of the review of change is cited by a test or has a decision', () => {
  const lastRow = 111;
  expect(openIn(reviewed, lastRow)).toEqual([]);
  expect(unknownRows('change', reviewed, lastRow)).toEqual([]);
});

test('a row without a test and a defect that no test cites are found', () => {
  const broken = { rows: { 1: 'change/no/such-rule', 2: { decision: ' ' } }, defects: ['NONE-', 1, []] } as const;
  expect(openIn(broken, 3)).toHaveLength(4);
  expect(unknownRows('change', broken, 1)).toContain('2');
});
