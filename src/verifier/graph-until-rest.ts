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
  /** By class and code as one number, its place: the node. */
  readonly #nodes: Int32Array;
  /** By place: how many of its ways were followed. */
  readonly #followed: Int32Array;

  /** Undefined when there is a circle. */
  static of({ starts }: Space, unfolded: Unfolded): GraphUntilRest | undefined {
    const graph = new GraphUntilRest(unfolded);
    const { ways, start, entries } = unfolded;
    if (!starts.every(({ number }) => graph.#visit(graph.#placeOf(number, start)))) return undefined;
    for (const all of entries.values())
      for (const { way, code } of all) if (!graph.#visit(graph.#placeOf(ways.to[way] ?? 0, code))) return undefined;
    return graph;
  }

  private constructor(unfolded: Unfolded) {
    this.#unfolded = unfolded;
    this.#nodes = new Int32Array(unfolded.ways.classes.examples.length * unfolded.size).fill(unseen);
    this.#followed = new Int32Array(this.#nodes.length);
  }

  nodeAt(situation: number, code: number): number {
    return this.#nodes[this.#placeOf(situation, code)] ?? 0;
  }

  #placeOf(situation: number, code: number): number {
    return (this.#unfolded.ways.classes.of[situation] ?? 0) * this.#unfolded.size + code;
  }

  /** Whether there is no circle. */
  #visit(root: number): boolean {
    const { ways, size } = this.#unfolded;
    const path = this.#nodes[root] === unseen ? [root] : [];
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const example = ways.classes.examples[Math.floor(place / size)] ?? 0;
      const way = (ways.first[example] ?? 0) + (this.#followed[place] ?? 0);
      if (way === ways.first[example + 1]) {
        this.#finish(place, example);
        path.pop();
        continue;
      }
      this.#nodes[place] = open;
      this.#followed[place] = (this.#followed[place] ?? 0) + 1;
      const target = this.#placeAfter(place, way);
      if (this.#nodes[target] === open) return false;
      if (this.#nodes[target] === unseen) path.push(target);
    }
    return true;
  }

  #finish(place: number, example: number): void {
    const { ways, size } = this.#unfolded;
    for (let way = ways.first[example] ?? 0; way < (ways.first[example + 1] ?? 0); way += 1) {
      const target = this.#placeAfter(place, way);
      if (target === closed) continue;
      this.to.push(this.#nodes[target] ?? 0);
      this.taking.push(ways.taking[way] ?? 0);
    }
    this.first.push(this.to.length);
    this.#nodes[place] = this.roles.push(ways.classes.roles[Math.floor(place / size)] ?? -1) - 1;
  }

  /** Where a way leads, if no person is needed and nothing closes it. */
  #placeAfter(place: number, way: number): number {
    const { ways, size, after } = this.#unfolded;
    if (ways.starting[way] !== -1) return closed;
    const code = after[(ways.touching[way] ?? 0) * size + (place % size)] ?? closed;
    return code === closed ? closed : this.#placeOf(ways.to[way] ?? 0, code);
  }
}
