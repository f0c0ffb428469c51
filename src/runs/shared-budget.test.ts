import { expect, test } from 'vitest';
import { spentBefore } from '../runtime/spending.ts';
import type { SpendingLimits } from '../workflows/workflow.ts';
import { SharedBudget } from './shared-budget.ts';

const alone: SpendingLimits = {
  dispatches: 30,
  tokens: 1_000,
  costUsd: 50,
  wallMs: 1_000,
  crashes: 3,
  unknownTokens: 100,
  unknownCostUsd: 2,
};

function shared(limits: Readonly<Record<string, number>>, used: Record<string, Readonly<Record<string, number>>> = {}) {
  const budget = new SharedBudget(limits, alone, (run) => {
    const spent = used[run];
    return spent && spentBefore({ spentBefore: { ...spent } });
  });
  return { budget, used };
}

test('a run at work holds its share, and gives back the rest', () => {
  const { budget, used } = shared({ dispatches: 21 });
  expect(budget.begin('a', 2)).toEqual({ dispatches: 10 });
  expect(budget.begin('b', 1)).toEqual({ dispatches: 11 });
  expect(budget.isSpent()).toBe(true);
  used['a'] = { dispatches: 4, reruns: 1 };
  budget.end('a');
  expect(budget.isSpent()).toBe(false);
  expect(budget.begin('c', 1)).toEqual({ dispatches: 5 });
});

test('a run that goes on keeps what it used before, and no run may use more than it could alone', () => {
  const { budget } = shared({ dispatches: 12, costUsd: 500 }, { a: { dispatches: 7, costUsd: 3 } });
  expect(budget.begin('a', 1)).toEqual({ dispatches: 19, costUsd: 50 });
  budget.end('a');
  expect(budget.begin('b', 1)).toEqual({ dispatches: 12, costUsd: 50 });
});

test('unknown usage counts at its ceiling', () => {
  const { budget, used } = shared({ costUsd: 5 });
  budget.begin('a', 1);
  used['a'] = { dispatches: 2, unknownCost: 2, costUsd: 0.5 };
  budget.end('a');
  expect(budget.begin('b', 1)).toEqual({ costUsd: 0.5 });
});

test('without a budget there is no limit', () => {
  const { budget } = shared({});
  expect([budget.begin('a', 1), budget.isSpent()]).toEqual([{}, false]);
});
