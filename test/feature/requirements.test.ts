import { expect, test } from 'vitest';
import { citationsOf } from '../citations.ts';
import { requirements } from './requirements.ts';

const { uncited, unknown } = citationsOf('feature', requirements);

test('every rule of the feature workflow is cited by a test', () => {
  expect(uncited).toEqual([]);
});

test('every citation names a rule', () => {
  expect(unknown).toEqual([]);
});
