/**
 * A space with the budgets of an item counted: every situation with what can be left of each there.
 *
 * U1. The same situations as an exact exploration finds, without asking the engine again: a way of the space is
 *     taken where what it assumed is true, and does to a budget what its move says.
 * U2. Nothing is cut off silently: where a person can add to a budget without end, or there are too many nodes,
 *     there is no unfolded space.
 */

import type { Space } from './space.ts';
import type { Effect, Way } from './ways.ts';

export type Counts = Readonly<Record<string, number>>;

/** Nodes and edges are numbers; the edges from a node are those from `first[node]` on and below `first[node + 1]`. */
export interface Unfolded {
  /** By node: its situation's number. */
  readonly situations: readonly number[];
  /** The nodes it starts from. */
  readonly starts: readonly number[];
  readonly first: readonly number[];
  /** By edge. */
  readonly to: readonly number[];
  readonly ways: readonly Way[];
}

const nodesMax = 1_000_000;

export interface UnfoldOptions {
  /** What each budget is renewed to. */
  readonly limits: Counts;
  /** What is left of each at the start, if not all. */
  readonly left?: Counts;
}

/** Undefined where it has no end. */
export function unfold(
  space: Space,
  waysOf: readonly (readonly Way[])[],
  { limits, left = limits }: UnfoldOptions,
): Unfolded | undefined {
  const codes = new Codes(space, limits, left);
  if (codes.size * space.situations.length > codesMax) return undefined;
  /** Numbers of nodes, one higher: 0 is nothing known. */
  const known = new Int32Array(codes.size * space.situations.length);
  const situations: number[] = [];
  const counts: number[] = [];
  const find = (situation: number, code: number): number => {
    const place = situation * codes.size + code;
    const found = known[place] ?? 0;
    if (found > 0) return found - 1;
    counts.push(code);
    known[place] = situations.push(situation);
    return situations.length - 1;
  };
  const numbers = new Map(space.situations.map((situation, number) => [situation, number]));
  const starts = space.starts.map((situation) => find(numbers.get(situation) ?? 0, codes.start));
  const first: number[] = [];
  const to: number[] = [];
  const ways: Way[] = [];
  for (let node = 0; node < situations.length; node += 1) {
    first.push(to.length);
    const code = counts[node] ?? 0;
    for (const way of waysOf[situations[node] ?? 0] ?? []) {
      if (way.needs && codes.allows(way.needs)[code] === 0) continue;
      const after = way.effects ? (codes.after(way.effects)[code] ?? 0) : code;
      if (after < 0 || situations.length > nodesMax) return undefined;
      to.push(find(way.to, after));
      ways.push(way);
    }
  }
  first.push(to.length);
  return { situations, starts, first, to, ways };
}

/** What is left of each budget as one number, with tables of what ways make of it. */
class Codes {
  readonly size: number;
  readonly start: number;
  readonly #limits: readonly number[];
  /** One more than there can be of each budget. */
  readonly #above: readonly number[];
  readonly #allows = new Map<NonNullable<Way['needs']>, Uint8Array>();
  readonly #after = new Map<NonNullable<Way['effects']>, Int32Array>();

  constructor({ open }: Space, limits: Counts, left: Counts) {
    this.#limits = open.map((name) => limits[name] ?? 0);
    const start = open.map((name) => left[name] ?? 0);
    // A person may add one where the limit is none, and one more to what there is.
    this.#above = this.#limits.map((limit, at) => Math.max(limit, start[at] ?? 0, 1) + 2);
    this.size = this.#above.reduce((product, each) => product * each, 1);
    this.start = this.#codeOf(start);
  }

  /** By code: 1 where a way with such needs is open. */
  allows(needs: NonNullable<Way['needs']>): Uint8Array {
    const known = this.#allows.get(needs) ?? Uint8Array.from(this.#all(), (counts) => Number(isMet(needs, counts)));
    this.#allows.set(needs, known);
    return known;
  }

  /** By code: the one after it; -1 where a budget would grow without end. */
  after(effects: readonly Effect[]): Int32Array {
    const known = this.#after.get(effects) ?? Int32Array.from(this.#all(), (counts) => this.#changed(counts, effects));
    this.#after.set(effects, known);
    return known;
  }

  #changed(counts: readonly number[], effects: readonly Effect[]): number {
    const after = this.#limits.map((limit, at) => {
      const { renewed = false, filled = false, plus = 0 } = effects[at] ?? {};
      const before = renewed ? limit : (counts[at] ?? 0);
      return Math.max(0, (filled ? Math.max(before, limit, 1) : before) + plus);
    });
    return after.some((count, at) => count >= (this.#above[at] ?? 0)) ? -1 : this.#codeOf(after);
  }

  #codeOf(counts: readonly number[]): number {
    return this.#above.reduce((code, above, at) => code * above + (counts[at] ?? 0), 0);
  }

  *#all(): Generator<readonly number[]> {
    for (let code = 0; code < this.size; code += 1) {
      let rest = code;
      const counts = this.#above.toReversed().map((above) => {
        const count = rest % above;
        rest = Math.floor(rest / above);
        return count;
      });
      yield counts.toReversed();
    }
  }
}

function isMet(needs: readonly (boolean | null)[], counts: readonly number[]): boolean {
  return needs.every((some, at) => some === null || some === (counts[at] ?? 0) > 0);
}

/** So many numbers of four bytes each. */
const codesMax = 50_000_000;

/** All nodes, each after those it leads to without a person; undefined when there is a circle. */
export function restFirst({ situations, first, to, ways }: Unfolded): readonly number[] | undefined {
  const order: number[] = [];
  const next = Int32Array.from(first);
  const unseen = 0;
  const open = 1;
  const done = 2;
  const seen = new Uint8Array(situations.length);
  for (let root = 0; root < situations.length; root += 1) {
    if (seen[root] !== unseen) continue;
    const path = [root];
    seen[root] = open;
    for (let node = root; ;) {
      const edge = next[node] ?? 0;
      if (edge >= (first[node + 1] ?? 0)) {
        seen[node] = done;
        order.push(node);
        path.pop();
        const above = path.at(-1);
        if (above === undefined) break;
        node = above;
        continue;
      }
      next[node] = edge + 1;
      if (ways[edge]?.by === 'person') continue;
      const target = to[edge] ?? 0;
      if (seen[target] === open) return undefined;
      if (seen[target] === done) continue;
      seen[target] = open;
      path.push(target);
      node = target;
    }
  }
  return order;
}
