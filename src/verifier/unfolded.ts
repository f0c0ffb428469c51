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

/** What is left of all budgets is one number, a code. */
export interface Unfolded {
  readonly ways: Ways;
  /** How many codes there are, and the one at the start. */
  readonly size: number;
  readonly start: number;
  /** By touch and code as one number: the code after it, or `closed`. */
  readonly after: Int32Array;
  /** What persons do: one way of each start to each class and code, with the code after it as one number. */
  readonly entries: readonly number[];
}

export interface UnfoldOptions {
  /** What each budget is renewed to. */
  readonly limits: Counts;
  /** What is left of each at the start, if not all. */
  readonly left?: Counts;
}

export const closed = -1;
const endless = -2;
const nodesMax = 1_000_000;
/** So many numbers of four bytes each. */
const codesMax = 50_000_000;

/** Undefined where it has no end. */
export function unfold(space: Space, ways: Ways, { limits, left = limits }: UnfoldOptions): Unfolded | undefined {
  const codes = new Codes(space, limits, left);
  const { size, start } = codes;
  if (size * space.situations.length > codesMax) return undefined;
  const after = codes.afterAll(ways.touches);
  const starts = Int32Array.from(space.starts, ({ number }) => number * size + start);
  const entries = reach(ways, after, size, starts);
  return entries && { ways, size, start, after, entries };
}

/** What persons can do wherever the run gets to. */
function reach(ways: Ways, after: Int32Array, size: number, starts: Int32Array): readonly number[] | undefined {
  const { first, to, touching, starting } = ways;
  const { entering, entrances } = ways.classes;
  const entries: number[] = [];
  const isEntered = new Uint8Array(entrances * size);
  const isKnown = new Uint8Array((first.length - 1) * size);
  const nodes = new Int32Array(Math.min(isKnown.length, nodesMax + 1));
  nodes.set(starts);
  let count = starts.length;
  for (let at = 0; at < count; at += 1) {
    const node = nodes[at] ?? 0;
    const situation = Math.floor(node / size);
    const before = node - situation * size;
    const end = first[situation + 1] ?? 0;
    for (let way = first[situation] ?? 0; way < end; way += 1) {
      const code = after[(touching[way] ?? 0) * size + before] ?? closed;
      if (code === endless || count > nodesMax) return undefined;
      if (code === closed) continue;
      const next = (to[way] ?? 0) * size + code;
      if (isKnown[next] === 0) {
        isKnown[next] = 1;
        nodes[count] = next;
        count += 1;
      }
      const entrance = (entering[way] ?? 0) * size + code;
      if (starting[way] === -1 || isEntered[entrance] === 1) continue;
      isEntered[entrance] = 1;
      entries.push(way * size + code);
    }
  }
  return entries;
}

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
    this.start = this.#above.reduce((code, above, at) => code * above + (start[at] ?? 0), 0);
  }

  afterAll(touches: readonly Touch[]): Int32Array {
    const after = new Int32Array(touches.length * this.size);
    for (const [at, touch] of touches.entries())
      for (let code = 0; code < this.size; code += 1) after[at * this.size + code] = this.#after(touch, code);
    return after;
  }

  #after({ needs, effects }: Touch, code: number): number {
    let rest = code;
    let after = 0;
    let isEndless = false;
    for (let at = this.#above.length - 1, place = 1; at >= 0; at -= 1) {
      const above = this.#above[at] ?? 1;
      const limit = this.#limits[at] ?? 0;
      const count = rest % above;
      const need = needs[at] ?? null;
      if (need !== null && need !== count > 0) return closed;
      const { renewed = false, filled = false, plus = 0 } = effects[at] ?? {};
      const before = renewed ? limit : count;
      const next = Math.max(0, (filled ? Math.max(before, limit, 1) : before) + plus);
      isEndless ||= next >= above;
      after += next * place;
      place *= above;
      rest = Math.floor(rest / above);
    }
    return isEndless ? endless : after;
  }
}
