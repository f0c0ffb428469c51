/** The longest ways from what a person did to the next rest. */

import { rolesOf } from './classes.ts';
import { GraphUntilRest } from './graph-until-rest.ts';
import type { Space, SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';
import { closed, type Unfolded } from './unfolded.ts';
import type { Take } from './ways.ts';

export interface Weighing {
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** How many items every load of a list brings. */
  readonly sizes: Readonly<Record<string, number>>;
}

export class LongestWays {
  readonly #space: Space;
  readonly #unfolded: Unfolded;
  readonly #graph: GraphUntilRest;
  /** What persons do. */
  readonly #labels: readonly string[];
  /** By entry: its start, the number of its label, and the node it leads to. */
  readonly #starts: Int32Array;
  readonly #labelOf: Int32Array;
  readonly #nodes: Int32Array;

  /** Undefined when a run can go on for ever. */
  static of(space: Space, unfolded: Unfolded | undefined): LongestWays | undefined {
    const graph = unfolded && GraphUntilRest.of(space, unfolded);
    return graph && new LongestWays(space, unfolded, graph);
  }

  private constructor(space: Space, unfolded: Unfolded, graph: GraphUntilRest) {
    const { ways, size, entries } = unfolded;
    this.#space = space;
    this.#unfolded = unfolded;
    this.#graph = graph;
    this.#labels = [...new Set(ways.starts.map(({ label }) => label))];
    const labelOf = ways.starts.map(({ label }) => this.#labels.indexOf(label));
    this.#starts = Int32Array.from(entries, (entry) => ways.starting[Math.floor(entry / size)] ?? 0);
    this.#labelOf = this.#starts.map((start) => labelOf[start] ?? 0);
    this.#nodes = Int32Array.from(entries, (entry) => graph.nodeAfter(entry));
  }

  /** From one of the starts of the space. */
  longestFrom(start: number, weighing: Weighing): number {
    const node = this.#graph.nodeAt(this.#space.starts[start]?.number ?? 0, this.#unfolded.start);
    return this.#lengths(weighing)[node] ?? 0;
  }

  longestAfter(weighing: Weighing): (after: string) => number {
    const lengths = this.#lengths(weighing);
    const isOpen = this.#isOpen(weighing);
    const most = new Float64Array(this.#labels.length);
    for (let entry = 0; entry < this.#nodes.length; entry += 1) {
      const label = this.#labelOf[entry] ?? 0;
      const length = lengths[this.#nodes[entry] ?? 0] ?? 0;
      if (length > (most[label] ?? 0) && isOpen[this.#starts[entry] ?? 0] === 1) most[label] = length;
    }
    const byLabel = new Map(this.#labels.map((label, number) => [label, most[number] ?? 0]));
    return (after) => byLabel.get(after) ?? 0;
  }

  pathAfter(weighing: Weighing): (after: string) => readonly TraceStep[] {
    const { machine, situations, edges } = this.#space;
    const { ways, size } = this.#unfolded;
    const lengths = this.#lengths(weighing);
    const isTaken = this.#isTaken(weighing);
    const entered = this.#entriesByLabel(weighing);
    return (after) => {
      const path: SpaceStep[] = [];
      let entry = this.#longestOf(entered.get(after) ?? [], lengths);
      while (entry !== undefined) {
        const way = Math.floor(entry / size);
        const from = situations[ways.from[way] ?? 0];
        const edge = edges.all[ways.by[way] ?? 0];
        const to = situations[ways.to[way] ?? 0];
        if (from && edge && to) path.push({ from, edge, to });
        entry = this.#longestOf(this.#entriesAfter(entry, isTaken), lengths);
      }
      return traceOf(machine, path);
    };
  }

  /** The first of the longest. */
  #longestOf(entries: readonly number[], lengths: Float64Array): number | undefined {
    let most = -1;
    let longest: number | undefined;
    for (const entry of entries) {
      const length = lengths[this.#graph.nodeAfter(entry)] ?? 0;
      if (length <= most) continue;
      most = length;
      longest = entry;
    }
    return longest;
  }

  /** Those of a start together. */
  #entriesByLabel(weighing: Weighing): ReadonlyMap<string, readonly number[]> {
    const isOpen = this.#isOpen(weighing);
    const byStart = new Map<number, number[]>();
    for (const [at, entry] of this.#unfolded.entries.entries()) {
      const start = this.#starts[at] ?? 0;
      const known = byStart.get(start);
      if (known) known.push(entry);
      else if (isOpen[start] === 1) byStart.set(start, [entry]);
    }
    const byLabel = new Map<string, readonly number[]>();
    for (const [start, entries] of byStart) {
      const { label = '' } = this.#unfolded.ways.starts[start] ?? {};
      byLabel.set(label, [...(byLabel.get(label) ?? []), ...entries]);
    }
    return byLabel;
  }

  /** The ways on without a person, each with the code after it. */
  #entriesAfter(entry: number, isTaken: Uint8Array): readonly number[] {
    const { ways, size, after } = this.#unfolded;
    const at = ways.to[Math.floor(entry / size)] ?? 0;
    const entries: number[] = [];
    for (let way = ways.first[at] ?? 0; way < (ways.first[at + 1] ?? 0); way += 1) {
      const code = after[(ways.touching[way] ?? 0) * size + (entry % size)] ?? closed;
      if (code !== closed && isTaken[ways.taking[way] ?? 0] === 1) entries.push(way * size + code);
    }
    return entries;
  }

  #lengths(weighing: Weighing): Float64Array {
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

  /** By start. */
  #isOpen({ sizes }: Weighing): Uint8Array {
    const { lists } = this.#space.machine;
    return Uint8Array.from(this.#unfolded.ways.starts, ({ loaded, left }) =>
      Number(brings(loaded, sizes) && lists.every((list, at) => (left[at] ?? 0) <= (sizes[list] ?? 0))),
    );
  }
}

function brings(loaded: Take['loaded'], sizes: Weighing['sizes']): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}
