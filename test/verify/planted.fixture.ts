/** What is tested of every planted defect: it is refuted, with the way to it. */

import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/engine/machine.ts';
import { verify, type VerifyOptions } from '../../src/verifier/verifier.ts';

export interface Planted {
  readonly defect: string;
  readonly machine: Machine;
  /** The proof that must fail, what it must say, and how its trace must end. */
  readonly proof: string;
  readonly says: string;
  readonly ends?: readonly string[];
  readonly cycle?: readonly string[];
}

export function describePlanted(planted: readonly Planted[], options: VerifyOptions): void {
  describe.each(planted)('$defect', ({ machine, proof, says, ends = [], cycle = [] }) => {
    const { holds, proofs } = verify(machine, options);
    const refutations = proofs.find(({ id }) => id === proof)?.refutations ?? [];

    test('is refuted', () => {
      expect(holds).toBe(false);
      expect(refutations.map(({ what }) => what).join('\n')).toContain(says);
    });

    test('the refutation shows the path to it', () => {
      const found = refutations.find(({ what }) => what.includes(says));
      const told = (steps: readonly { state: string; signal: string; to: string }[] = []): string[] =>
        steps.map(({ state, signal, to }) => `${state}.${signal} → ${to}`);
      expect(told(found?.trace).slice(-ends.length || undefined)).toEqual(ends.length > 0 ? ends : told(found?.trace));
      expect(told(found?.cycle)).toEqual(expect.arrayContaining([...cycle]));
      // A trace starts where every run starts, and each step begins where the one before ended.
      if (ends.length > 0) expect(found?.trace[0]?.state).toBe('new');
      found?.trace.slice(1).forEach(({ state }, index) => expect(state).toBe(found.trace[index]?.to));
    });
  });
}
