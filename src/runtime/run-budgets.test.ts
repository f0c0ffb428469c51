import { expect, test } from 'vitest';
import { exceeded, raisableBudgets } from './run-budgets.ts';

const limits = {
  dispatches: 4,
  tokens: 1_000,
  costUsd: 0.5,
  wallMs: 36_000,
  unknownTokens: 100,
  unknownCostUsd: 0.1,
  crashes: 10,
};
const nothing = {
  dispatches: 0,
  unknownTokens: 0,
  unknownCost: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: 0,
  wallMs: 0,
  reruns: 0,
  crashes: 0,
};

test.each([
  [{ dispatches: 3, reruns: 1 }, 'dispatches=6'],
  [{ inputTokens: 5_000, unknownTokens: 10 }, 'tokens=9000'],
  [{ costUsd: 0.5 }, 'cost=2'],
  [{ wallMs: 9 * 3_600_000 }, 'hours=14'],
  [{ crashes: 10 }, 'crashes=15'],
])('trial 2 B5: where %j is too much, %s leaves room again', (spent, raise) => {
  const used = { ...nothing, ...spent };
  expect(exceeded(used, limits)?.raise).toBe(raise);
  const [name = '', number = ''] = raise.split('=');
  const { key, factor } = raisableBudgets[name as keyof typeof raisableBudgets];
  expect(exceeded(used, { ...limits, [key]: Number(number) * factor })).toBeNull();
});

test('within its limits a run may go on', () => {
  expect(exceeded({ ...nothing, dispatches: 3, crashes: 9 }, limits)).toBeNull();
});
