/** The longest ways from what a person did to the next rest. */

import { rolesOf } from './classes.ts';
import { GraphUntilRest } from './graph-until-rest.ts';
import type { Space, SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';
import { closed, type Entry, type Unfolded } from './unfolded.ts';
import type { Start, Take } from './ways.ts';

export interface Weighing {
  /** What is weighed, for the memory. */
  readonly name: string;
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** How many items every load of a list brings. */
  readonly sizes: Readonly<Record<string, number>>;
}

export function keyOf({ name, faults, sizes }: Weighing): string {
  return `${name}|${faults}|${Object.values(sizes).join()}`;
}

/** What persons do with the same sizes of lists. */
interface Entrance extends Start {
  readonly entries: readonly Entry[];
}

/** Each weighing is made once. */
export class LongestWays {
  readonly #space: Space;
  readonly #unfolded: Unfolded;
  readonly #graph: GraphUntilRest;
  readonly #entrances: readonly Entrance[];
  readonly #known = new Map<string, Float64Array>();
  /** By sizes of lists: the nodes that what persons do leads to. */
  readonly #entered = new Map<string, ReadonlyMap<string | null, Int32Array>>();

  /** Undefined when a run can go on for ever. */
  static of(space: Space, unfolded: Unfolded | undefined): LongestWays | undefined {
    const graph = unfolded && GraphUntilRest.of(space, unfolded);
    return graph && new LongestWays(space, unfolded, graph);
  }

  private constructor(space: Space, unfolded: Unfolded, graph: GraphUntilRest) {
    this.#space = space;
    this.#unfolded = unfolded;
    this.#graph = graph;
    const entrances = new Map<number, Entry[]>();
    for (const entry of unfolded.entries) {
      const start = unfolded.ways.starting[entry.way] ?? -1;
      const known = entrances.get(start);
      if (known) known.push(entry);
      else entrances.set(start, [entry]);
    }
    this.#entrances = [...entrances].flatMap(([number, entries]) => {
      const start = unfolded.ways.starts[number];
      return start ? [{ ...start, entries }] : [];
    });
  }

  #nodeAfter({ way, code }: Entry): number {
    return this.#graph.nodeAt(this.#unfolded.ways.to[way] ?? 0, code);
  }

  /** From one of the starts of the space. */
  longestFrom(start: number, weighing: Weighing): number {
    const node = this.#graph.nodeAt(this.#space.starts[start]?.number ?? 0, this.#unfolded.start);
    return this.#lengths(weighing)[node] ?? 0;
  }

  /** After what a person did. */
  longestAfter(weighing: Weighing): (after: string) => number {
    const lengths = this.#lengths(weighing);
    const longest = new Map<string | null, number>();
    for (const [label, nodes] of this.#nodesEntered(weighing)) longest.set(label, longestOf(nodes, lengths));
    return (after) => longest.get(after) ?? 0;
  }

  #nodesEntered(weighing: Weighing): ReadonlyMap<string | null, Int32Array> {
    const key = Object.values(weighing.sizes).join();
    const known = this.#entered.get(key);
    if (known) return known;
    const nodes = new Map<string | null, Set<number>>();
    for (const entrance of this.#entrances) {
      if (!this.#isOpen(entrance, weighing)) continue;
      const all = nodes.get(entrance.label) ?? new Set();
      nodes.set(entrance.label, all);
      for (const entry of entrance.entries) all.add(this.#nodeAfter(entry));
    }
    const entered = new Map([...nodes].map(([label, all]) => [label, Int32Array.from(all)]));
    this.#entered.set(key, entered);
    return entered;
  }

  pathAfter(after: string, weighing: Weighing): readonly TraceStep[] {
    const { machine, situations, branches } = this.#space;
    const { by, to } = this.#unfolded.ways;
    const lengths = this.#lengths(weighing);
    const path: SpaceStep[] = [];
    let open = this.#entrances.flatMap((entrance) =>
      entrance.label === after && this.#isOpen(entrance, weighing) ? entrance.entries : [],
    );
    for (;;) {
      const weights = open.map((entry) => lengths[this.#nodeAfter(entry)] ?? 0);
      const longest = open[weights.indexOf(Math.max(...weights))];
      const from = situations[longest?.from ?? -1];
      const branch = branches.all[by[longest?.way ?? -1] ?? -1];
      const target = situations[to[longest?.way ?? -1] ?? -1];
      if (!longest || !from || !branch || !target) return traceOf(machine, path);
      path.push({ from, branch, to: target });
      open = this.#entriesFrom(target.number, longest.code, weighing);
    }
  }

  /** The ways on without a person. */
  #entriesFrom(from: number, code: number, weighing: Weighing): Entry[] {
    const { ways, size, after } = this.#unfolded;
    const isTaken = this.#isTaken(weighing);
    const entries: Entry[] = [];
    for (let way = ways.first[from] ?? 0; way < (ways.first[from + 1] ?? 0); way += 1) {
      const next = after[(ways.touching[way] ?? 0) * size + code] ?? closed;
      if (next !== closed && isTaken[ways.taking[way] ?? 0]) entries.push({ from, way, code: next });
    }
    return entries;
  }

  #isOpen({ loaded, left }: Start, { sizes }: Weighing): boolean {
    const { lists } = this.#space.machine;
    return brings(loaded, sizes) && lists.every((list, at) => (left[at] ?? 0) <= (sizes[list] ?? 0));
  }

  #lengths(weighing: Weighing): Float64Array {
    const key = keyOf(weighing);
    const known = this.#known.get(key) ?? this.#weighed(weighing);
    this.#known.set(key, known);
    return known;
  }

  #weighed(weighing: Weighing): Float64Array {
    const { roles, first, to, taking } = this.#graph;
    const weights = Float64Array.from(rolesOf(this.#space.machine), weighing.weigh);
    const isTaken = this.#isTaken(weighing);
    const lengths = new Float64Array(roles.length);
    for (let node = 0; node < roles.length; node += 1) {
      let most = 0;
      for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge += 1) {
        const length = lengths[to[edge] ?? 0] ?? 0;
        if (length > most && isTaken[taking[edge] ?? 0] === 1) most = length;
      }
      const role = roles[node] ?? -1;
      lengths[node] = role === -1 ? most : most + (weights[role] ?? 0);
    }
    return lengths;
  }

  /** By take. */
  #isTaken({ faults, sizes }: Weighing): Uint8Array {
    return Uint8Array.from(this.#unfolded.ways.takes, ({ by, loaded }) =>
      Number((by === 'work' || (by === 'fault' && faults)) && brings(loaded, sizes)),
    );
  }
}

function longestOf(nodes: Int32Array, lengths: Float64Array): number {
  let most = 0;
  for (let at = 0; at < nodes.length; at += 1) most = Math.max(most, lengths[nodes[at] ?? 0] ?? 0);
  return most;
}

function brings(loaded: Take['loaded'], sizes: Weighing['sizes']): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}
