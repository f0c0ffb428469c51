/** The fewest dispatches from the start of a run to its end. */

import type { Machine } from '../engine/machine.ts';
import type { Situation, Space, SpaceStep } from './space.ts';

/** Fewest dispatches first, then what they cost, then fewest steps; lists have one item. */
export function cheapestRun(
  { machine, situations }: Space,
  priceOf: (role: string) => number,
): SpaceStep[] | undefined {
  const [start] = situations;
  if (!start) return undefined;
  const best = new Map<Situation, { cost: number; via: SpaceStep | null }>([[start, { cost: 0, via: null }]]);
  const open = new Cheapest<Situation>();
  open.add(start, 0);
  for (let next = open.take(); next; next = open.take()) {
    const { what: at, cost: here } = next;
    if (here > (best.get(at)?.cost ?? 0)) continue;
    if (machine.states[at.state]?.kind === 'final') return wayTo(best, at);
    for (const step of at.steps) {
      const { move, by, loaded } = step.edge;
      if (!move || by === 'fault' || (loaded?.items ?? 1) !== 1) continue;
      const cost = here + 0.001 + roleIn(machine, step.to).reduce((sum, role) => sum + 1_000 + priceOf(role), 0);
      if (cost >= (best.get(step.to)?.cost ?? Infinity)) continue;
      best.set(step.to, { cost, via: step });
      open.add(step.to, cost);
    }
  }
  return undefined;
}

export function roleIn(machine: Machine, situation: Situation): string[] {
  const state = machine.states[situation.state];
  return state?.kind === 'dispatch' ? [state.role] : [];
}

function wayTo(best: ReadonlyMap<Situation, { via: SpaceStep | null }>, end: Situation): SpaceStep[] {
  const path: SpaceStep[] = [];
  for (let via = best.get(end)?.via; via; via = best.get(via.from)?.via) path.push(via);
  return path.toReversed();
}

interface Priced<T> {
  readonly what: T;
  readonly cost: number;
}

/** A heap: the cheapest comes first. */
class Cheapest<T> {
  readonly #heap: Priced<T>[] = [];

  add(what: T, cost: number): void {
    const heap = this.#heap;
    let at = heap.push({ what, cost }) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#cost(at) < this.#cost(above); above = (at - 1) >> 1) {
      this.#swap(at, above);
      at = above;
    }
  }

  take(): Priced<T> | undefined {
    const heap = this.#heap;
    if (heap.length > 1) this.#swap(0, heap.length - 1);
    const taken = heap.pop();
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const least = this.#cost(right) < this.#cost(left) ? right : left;
      if (this.#cost(least) >= this.#cost(at)) return taken;
      this.#swap(at, least);
      at = least;
    }
  }

  #cost(at: number): number {
    return this.#heap[at]?.cost ?? Infinity;
  }

  #swap(one: number, other: number): void {
    const [a, b] = [this.#heap[one], this.#heap[other]];
    if (!a || !b) return;
    this.#heap[one] = b;
    this.#heap[other] = a;
  }
}
