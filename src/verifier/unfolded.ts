/**
 * A space with the budgets of an item counted: every situation with what can be left of each there.
 *
 * U1. The same situations as an exact exploration finds, without asking the engine again: a way of the space is
 *     taken where what it assumed is true, and does to a budget what its move says.
 * U2. Nothing is cut off silently: where a person can add to a budget without end, or there are too many nodes,
 *     there is no unfolded space.
 */

import type { Space } from './space.ts';
import type { Touch, Ways } from './ways.ts';

export type Counts = Readonly<Record<string, number>>;

/** What is left of the budgets is one number, a code. */
export interface Unfolded {
  readonly ways: Ways;
  /** How many codes there are. */
  readonly size: number;
  /** What is left at the start. */
  readonly start: number;
  /** By touch and code: the code after it; negative where the way is closed. */
  readonly after: readonly Int32Array[];
  /** What persons do, by the number of the start: one way to each class and code that it leads to. */
  readonly entries: ReadonlyMap<number, readonly Entry[]>;
}

export interface Entry {
  readonly way: number;
  /** After it. */
  readonly code: number;
}

const nodesMax = 1_000_000;

export interface UnfoldOptions {
  /** What each budget is renewed to. */
  readonly limits: Counts;
  /** What is left of each at the start, if not all. */
  readonly left?: Counts;
}

/** Undefined where it has no end. */
export function unfold(space: Space, ways: Ways, { limits, left = limits }: UnfoldOptions): Unfolded | undefined {
  const codes = new Codes(space, limits, left);
  const { size, start } = codes;
  if (size * space.situations.length > codesMax) return undefined;
  const after = ways.touches.map((touch) => codes.after(touch));
  const entries = new Map<number, Entry[]>();
  const isEntered = new Uint8Array(size * ways.classes.entrances);
  const isKnown = new Uint8Array(size * space.situations.length);
  const nodes: number[] = [];
  const find = (situation: number, code: number): void => {
    const node = situation * size + code;
    if (isKnown[node] === 1) return;
    isKnown[node] = 1;
    nodes.push(node);
  };
  for (const { number } of space.starts) find(number, start);
  for (const node of nodes) {
    const situation = Math.floor(node / size);
    for (let way = ways.first[situation] ?? 0; way < (ways.first[situation + 1] ?? 0); way += 1) {
      const code = after[ways.touching[way] ?? 0]?.[node % size] ?? closed;
      if (code === endless || nodes.length > nodesMax) return undefined;
      if (code === closed) continue;
      find(ways.to[way] ?? 0, code);
      const entrance = (ways.classes.entering[way] ?? 0) * size + code;
      if (ways.starting[way] === -1 || isEntered[entrance] === 1) continue;
      isEntered[entrance] = 1;
      const known = entries.get(ways.starting[way] ?? 0);
      if (known) known.push({ way, code });
      else entries.set(ways.starting[way] ?? 0, [{ way, code }]);
    }
  }
  return { ways, size, start, after, entries };
}

const closed = -1;
const endless = -2;

/** So many numbers of one byte each. */
const codesMax = 50_000_000;

class Codes {
  readonly size: number;
  readonly start: number;
  readonly #limits: readonly number[];
  /** One more than there can be of each budget. */
  readonly #above: readonly number[];

  constructor({ open }: Space, limits: Counts, left: Counts) {
    this.#limits = open.map((name) => limits[name] ?? 0);
    const start = open.map((name) => left[name] ?? 0);
    // A person may add one where the limit is none, and one more to what there is.
    this.#above = this.#limits.map((limit, at) => Math.max(limit, start[at] ?? 0, 1) + 2);
    this.size = this.#above.reduce((product, each) => product * each, 1);
    this.start = this.#codeOf(start);
  }

  after({ needs, effects }: Touch): Int32Array {
    return Int32Array.from({ length: this.size }, (_, code) => {
      const counts = this.#countsOf(code);
      if (!needs.every((some, at) => some === null || some === (counts[at] ?? 0) > 0)) return closed;
      const after = this.#limits.map((limit, at) => {
        const { renewed = false, filled = false, plus = 0 } = effects[at] ?? {};
        const before = renewed ? limit : (counts[at] ?? 0);
        return Math.max(0, (filled ? Math.max(before, limit, 1) : before) + plus);
      });
      return after.some((count, at) => count >= (this.#above[at] ?? 0)) ? endless : this.#codeOf(after);
    });
  }

  #codeOf(counts: readonly number[]): number {
    return this.#above.reduce((code, above, at) => code * above + (counts[at] ?? 0), 0);
  }

  #countsOf(code: number): readonly number[] {
    let rest = code;
    const counts = this.#above.toReversed().map((above) => {
      const count = rest % above;
      rest = Math.floor(rest / above);
      return count;
    });
    return counts.toReversed();
  }
}
