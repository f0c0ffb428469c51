/** A role beside another, in the engine, the proofs, the worst case, pictures and simulations. */

import { describe, expect, test } from 'vitest';
import { acrossGate, selfJudging } from '../../src/agents/assignment.ts';
import { diagramOf } from '../../src/diagrams/diagram.ts';
import { matrix } from '../../src/diagrams/matrix.ts';
import { initialSnapshot } from '../../src/engine/snapshot.ts';
import { effectOf } from '../../src/engine/transition.ts';
import { equalOdds } from '../../src/simulation/odds.ts';
import { simulate } from '../../src/simulation/simulated-runs.ts';
import { formulaText } from '../../src/verifier/formula.ts';
import { verify } from '../../src/verifier/verifier.ts';
import { advisedToy, toyMachine, withAdvisor } from '../toy.ts';

test('the effect of a dispatch names its advisor', () => {
  const snapshot = { ...initialSnapshot(advisedToy), state: 'review' };
  expect(effectOf(advisedToy, snapshot)).toEqual({
    type: 'dispatch',
    role: 'reviewer',
    beside: 'simplifier',
    step: 'review',
  });
  expect(effectOf(toyMachine, snapshot)).not.toHaveProperty('beside');
});

describe('proofs', () => {
  const refuted = (beside: string, writers: readonly string[] = ['writer']) =>
    verify(withAdvisor(beside), { workflow: 'toy', writers })
      .proofs.filter(({ id }) => id === 'roles')
      .flatMap(({ refutations }) => refutations.map(({ what }) => what));

  test('hold with an advisor that only reads', () => {
    expect(refuted('simplifier')).toEqual([]);
  });

  test('refute an advisor that writes', () => {
    expect(refuted('simplifier', ['writer', 'simplifier'])).toEqual([
      'simplifier may write the work tree, but works beside another in review',
    ]);
  });

  test('refute an advisor beside a role that writes', () => {
    expect(refuted('simplifier', ['writer', 'reviewer'])).toContain(
      'reviewer may write the work tree, but works beside another in review',
    );
  });

  test('refute a role that advises on what it made, and one that advises itself', () => {
    expect(refuted('writer', [])).toEqual(['writer makes the text and advises on it too, in review']);
    expect(refuted('reviewer')).toEqual(['reviewer advises itself in review']);
  });
});

test('the worst case counts both agents, each with its own price', () => {
  const prices = {
    writer: { typical: 1, most: 10 },
    reviewer: { typical: 2, most: 20 },
    simplifier: { typical: 4, most: 40 },
  };
  const { worstCase } = verify(advisedToy, { workflow: 'toy', prices });
  const [go] = worstCase?.steps ?? [];
  expect(go && [formulaText(go.dispatches), formulaText(go.withFaults)]).toEqual(['6 + 3·pages', '12 + 6·pages']);
  expect(go && Object.entries(go.byRole).map(([role, formula]) => [role, formulaText(formula)])).toEqual([
    ['writer', '3·pages'],
    ['reviewer', '3'],
    ['simplifier', '3'],
  ]);
  expect(worstCase?.run).toMatchObject({ fewest: 3, cost: { expected: [7, { constant: 18 }] } });
});

test('tables show who advises', () => {
  expect(matrix(diagramOf('toy', advisedToy))).toContain('reviewer with simplifier');
});

test('simulations count the calls of both', () => {
  const { roles } = simulate(advisedToy, equalOdds(advisedToy), { runs: 50, seed: 1, faults: false });
  const calls = Object.fromEntries(roles.map(({ role, dispatches }) => [role, dispatches]));
  expect(calls['simplifier']).toBeGreaterThan(0);
  expect(calls['simplifier']).toBe(calls['reviewer']);
});

test('an advisor is across the gate from who made what it advises on', () => {
  expect(acrossGate(advisedToy, 'writer', ['reviewer', 'simplifier'])).toEqual(['reviewer', 'simplifier']);
  const assigned = { writer: 'claude', reviewer: 'codex', simplifier: 'claude' };
  expect(selfJudging(advisedToy, assigned)).toEqual([['writer', 'simplifier']]);
});
