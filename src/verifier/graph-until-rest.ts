/** The ways without a person, from what a person did to where the run rests. */

import type { Space } from './space.ts';
import { closed, type Unfolded } from './unfolded.ts';

const unseen = -1;
const open = -2;

/** Nodes are classes with a code, in an order in which each comes after those it leads to. */
export class GraphUntilRest {
  /** By node: its role. */
  readonly roles: number[] = [];
  /** By node, and one more: where its edges begin. */
  readonly first: number[] = [0];
  /** By edge: the node it leads to, and what it takes. */
  readonly to: number[] = [];
  readonly taking: number[] = [];
  readonly #unfolded: Unfolded;
  /** By place, which is a class and a code as one number. */
  readonly #nodes: Int32Array;
  /** By place: how many of its ways were followed. */
  readonly #followed: Int32Array;

  /** Undefined when there is a circle. */
  static of({ starts }: Space, unfolded: Unfolded): GraphUntilRest | undefined {
    const graph = new GraphUntilRest(unfolded);
    const { start, entries } = unfolded;
    for (const { number } of starts) if (!graph.#visit(graph.#placeOf(number, start))) return undefined;
    for (const entry of entries) if (!graph.#visit(graph.#placeAfter(entry))) return undefined;
    return graph;
  }

  private constructor(unfolded: Unfolded) {
    this.#unfolded = unfolded;
    this.#nodes = new Int32Array(unfolded.ways.classes.ways.length * unfolded.size).fill(unseen);
    this.#followed = new Int32Array(this.#nodes.length);
  }

  nodeAt(situation: number, code: number): number {
    return this.#nodes[this.#placeOf(situation, code)] ?? 0;
  }

  /** The node that a way with the code after it leads to. */
  nodeAfter(entry: number): number {
    return this.#nodes[this.#placeAfter(entry)] ?? 0;
  }

  #placeAfter(entry: number): number {
    const { ways, size } = this.#unfolded;
    return this.#placeOf(ways.to[Math.floor(entry / size)] ?? 0, entry % size);
  }

  #placeOf(situation: number, code: number): number {
    return (this.#unfolded.ways.classes.of[situation] ?? 0) * this.#unfolded.size + code;
  }

  /** Whether no circle is found. */
  #visit(root: number): boolean {
    const { ways, size, after } = this.#unfolded;
    const path = this.#nodes[root] === unseen ? [root] : [];
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const followed = this.#followed[place] ?? 0;
      const way = ways.classes.ways[Math.floor(place / size)]?.[followed];
      if (!way) {
        this.#finish(place);
        path.pop();
        continue;
      }
      this.#nodes[place] = open;
      this.#followed[place] = followed + 1;
      const code = after[way.touch * size + (place % size)] ?? closed;
      const target = way.to * size + code;
      if (code === closed || (this.#nodes[target] ?? 0) >= 0) continue;
      if (this.#nodes[target] === open) return false;
      path.push(target);
    }
    return true;
  }

  #finish(place: number): void {
    const { ways, size, after } = this.#unfolded;
    const number = Math.floor(place / size);
    for (const { to, take, touch } of ways.classes.ways[number] ?? []) {
      const code = after[touch * size + (place % size)] ?? closed;
      if (code === closed) continue;
      this.to.push(this.#nodes[to * size + code] ?? 0);
      this.taking.push(take);
    }
    this.first.push(this.to.length);
    this.#nodes[place] = this.roles.push(ways.classes.roles[number] ?? -1) - 1;
  }
}
