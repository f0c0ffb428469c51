/** A run of the toy workflow, made with the engine itself. */

import { initialSnapshot } from '../engine/snapshot.ts';
import { transition } from '../engine/transition.ts';
import { toyMachine } from '../../test/toy.ts';
import { walkOf, type Walk, type WalkedStep } from './run-walk.ts';

/** Every list that is loaded has two pages. */
export function toyWalk(signals: readonly string[], more: readonly WalkedStep[] = []): Walk {
  const start = initialSnapshot(toyMachine);
  const steps: WalkedStep[] = [];
  let snapshot = start;
  for (const name of signals) {
    const items = ['one', 'two'].map((id) => ({ id, after: [] }));
    const step = transition(toyMachine, snapshot, { name, items });
    if (step.kind === 'refusal') throw new Error(`${name} was refused: ${step.reason}`);
    steps.push({ signal: name, change: step.delta });
    ({ snapshot } = step);
  }
  return walkOf(toyMachine, 'first', start, [...steps, ...more]);
}
