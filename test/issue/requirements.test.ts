import { expect, test } from 'vitest';
import { citationsOf } from '../citations.ts';
import { requirements } from './requirements.ts';

const { uncited, unknown } = citationsOf('issue', requirements);

test('every rule of the issue workflow is cited by a test', () => {
  expect(uncited).toEqual([]);
});

test('every citation names a rule', () => {
  expect(unknown).toEqual([]);
});
