/** The longest ways from what a person did to the next rest. */

import { isPersons } from './receivable.ts';
import { leftIn, type Space, type SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';
import { restFirst, type Unfolded } from './unfolded.ts';
import type { Way } from './ways.ts';

export interface Weighing {
  /** What is weighed, for the memory. */
  readonly name: string;
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** How many items every load of a list brings. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** The ways without a person, each node with its edges, in an order in which every node comes after those it leads to. */
interface Graph {
  readonly nodes: Int32Array;
  /** By place in `nodes`, and one more. */
  readonly first: Int32Array;
  /** By edge: the node it leads to, and what it loads. */
  readonly to: Int32Array;
  readonly loads: Uint8Array;
}

interface Starts {
  /** One of them. */
  readonly step: SpaceStep;
  readonly edges: number[];
  /** Where they lead: one edge to each is enough, and where the run rests again there is nothing to weigh. */
  readonly nodes: Set<number>;
}

/** Each weighing is made once. */
export class LongestWays {
  readonly #space: Space;
  readonly #unfolded: Unfolded;
  readonly #order: readonly number[];
  /** What persons do, by its label: edges together that are open with the same sizes of lists. */
  readonly #starts = new Map<string, Map<string, Starts>>();
  /** By situation; null where nobody works. */
  readonly #roles: readonly (string | null)[];
  /** By situation: whether something goes on without a person. */
  readonly #isAtWork: readonly boolean[];
  readonly #graphs = new Map<boolean, Graph>();
  readonly #known = new Map<string, Float64Array>();

  /** Undefined when a run can go on for ever. */
  static of(space: Space, unfolded: Unfolded | undefined): LongestWays | undefined {
    const order = unfolded && restFirst(unfolded);
    return order && new LongestWays(space, unfolded, order);
  }

  private constructor(space: Space, unfolded: Unfolded, order: readonly number[]) {
    this.#space = space;
    this.#unfolded = unfolded;
    this.#order = order;
    this.#roles = space.situations.map(({ snapshot }) => {
      const state = space.machine.states[snapshot.state];
      return state?.kind === 'dispatch' ? state.role : null;
    });
    this.#isAtWork = space.situations.map(({ snapshot, steps }) =>
      steps.some(({ signal }) => !isPersons(space.machine, snapshot.state, signal)),
    );
    for (let edge = 0; edge < unfolded.ways.length; edge += 1) {
      const way = unfolded.ways[edge];
      if (way && way.label !== null) this.#addStart(way.label, way, edge);
    }
  }

  #addStart(label: string, { step, sizes }: Way, edge: number): void {
    const starts = this.#starts.get(label) ?? new Map<string, Starts>();
    this.#starts.set(label, starts);
    const alike = starts.get(sizes);
    const node = this.#unfolded.to[edge] ?? 0;
    if (!alike) starts.set(sizes, { step, edges: [edge], nodes: new Set([node]) });
    else if (!alike.nodes.has(node) && this.#isAtWork[this.#unfolded.situations[node] ?? 0] === true) {
      alike.nodes.add(node);
      alike.edges.push(edge);
    }
  }

  /** From one of the starts of the space. */
  longestFrom(start: number, weighing: Weighing): number {
    return this.#lengths(weighing)[this.#unfolded.starts[start] ?? 0] ?? 0;
  }

  longestAfter(after: string, weighing: Weighing): number {
    const lengths = this.#lengths(weighing);
    let most = 0;
    for (const { edges } of this.#from(after, weighing))
      for (const edge of edges) most = Math.max(most, lengths[this.#unfolded.to[edge] ?? 0] ?? 0);
    return most;
  }

  pathAfter(after: string, weighing: Weighing): readonly TraceStep[] {
    const { first, to, ways } = this.#unfolded;
    const lengths = this.#lengths(weighing);
    const longestOf = (edges: readonly number[]): number | undefined =>
      edges.toSorted((a, b) => (lengths[to[b] ?? 0] ?? 0) - (lengths[to[a] ?? 0] ?? 0))[0];
    const path: SpaceStep[] = [];
    for (let edge = longestOf(this.#from(after, weighing).flatMap(({ edges }) => edges)); edge !== undefined;) {
      const way = ways[edge];
      if (way) path.push(way.step);
      const node = to[edge] ?? 0;
      const edges = Array.from(
        { length: (first[node + 1] ?? 0) - (first[node] ?? 0) },
        (_, at) => (first[node] ?? 0) + at,
      );
      edge = longestOf(edges.filter((each) => this.#isTaken(each, weighing)));
    }
    return traceOf(this.#space.machine, path);
  }

  #isTaken(edge: number, { faults, sizes }: Weighing): boolean {
    const way = this.#unfolded.ways[edge];
    return way !== undefined && (way.by === 'work' || (way.by === 'fault' && faults)) && brings(way.step, sizes);
  }

  #from(after: string, { sizes }: Weighing): readonly Starts[] {
    const { lists } = this.#space.machine;
    return [...(this.#starts.get(after)?.values() ?? [])].filter(
      ({ step }) =>
        brings(step, sizes) && lists.every((list) => leftIn(step.from.snapshot.lists[list]) <= (sizes[list] ?? 0)),
    );
  }

  #lengths(weighing: Weighing): Float64Array {
    const key = `${weighing.name}|${weighing.faults}|${Object.values(weighing.sizes).join()}`;
    const known = this.#known.get(key) ?? this.#weighed(weighing);
    this.#known.set(key, known);
    return known;
  }

  #weighed({ weigh, faults, sizes }: Weighing): Float64Array {
    const { nodes, first, to, loads } = this.#graph(faults);
    const { lists } = this.#space.machine;
    const weights = Float64Array.from(this.#roles, (role) => (role === null ? 0 : weigh(role)));
    const isBrought = new Uint8Array(loadsMax).fill(0);
    isBrought[0] = 1;
    for (const [at, list] of lists.entries()) isBrought[loadCode(at, sizes[list] ?? 0)] = 1;
    const lengths = new Float64Array(this.#unfolded.situations.length);
    for (let place = 0; place < nodes.length; place += 1) {
      const node = nodes[place] ?? 0;
      let most = 0;
      for (let edge = first[place] ?? 0; edge < (first[place + 1] ?? 0); edge += 1) {
        const length = lengths[to[edge] ?? 0] ?? 0;
        if (length > most && isBrought[loads[edge] ?? 0] === 1) most = length;
      }
      lengths[node] = most + (weights[this.#unfolded.situations[node] ?? 0] ?? 0);
    }
    return lengths;
  }

  #graph(faults: boolean): Graph {
    const known = this.#graphs.get(faults) ?? this.#graphWith(faults);
    this.#graphs.set(faults, known);
    return known;
  }

  /** Nodes that only a fault leads to are left out where there are none. */
  #graphWith(faults: boolean): Graph {
    const { first, to, ways } = this.#unfolded;
    const { lists } = this.#space.machine;
    const isEntered = new Uint8Array(this.#unfolded.situations.length);
    for (const start of this.#unfolded.starts) isEntered[start] = 1;
    for (const starts of this.#starts.values())
      for (const { edges } of starts.values()) for (const edge of edges) isEntered[to[edge] ?? 0] = 1;
    const nodes: number[] = [];
    const starts: number[] = [];
    const targets: number[] = [];
    const loads: number[] = [];
    // Backwards, every node comes before those it leads to.
    for (let place = this.#order.length - 1; place >= 0; place -= 1) {
      const node = this.#order[place] ?? 0;
      if (isEntered[node] !== 1) continue;
      nodes.push(node);
      for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge += 1) {
        const { by, step } = ways[edge] ?? {};
        if (by !== 'work' && !(by === 'fault' && faults)) continue;
        const target = to[edge] ?? 0;
        isEntered[target] = 1;
        starts.push(nodes.length - 1);
        targets.push(target);
        loads.push(step?.loaded ? loadCode(lists.indexOf(step.loaded.list), step.loaded.items) : 0);
      }
    }
    return forwards(nodes, { starts, targets, loads });
  }
}

interface Edges {
  /** By edge: the place of the node it starts from. */
  readonly starts: readonly number[];
  readonly targets: readonly number[];
  readonly loads: readonly number[];
}

function forwards(nodes: readonly number[], { starts, targets, loads }: Edges): Graph {
  const first = new Int32Array(nodes.length + 1);
  for (const place of starts) {
    const at = nodes.length - place;
    first[at] = (first[at] ?? 0) + 1;
  }
  for (let place = 1; place <= nodes.length; place += 1) first[place] = (first[place] ?? 0) + (first[place - 1] ?? 0);
  return {
    nodes: Int32Array.from(nodes).toReversed(),
    first,
    to: Int32Array.from(targets).toReversed(),
    loads: Uint8Array.from(loads).toReversed(),
  };
}

const itemCodes = 4;
const loadsMax = 256;

/** A list and a number of items as one number; 0 is none loaded. */
function loadCode(list: number, items: number): number {
  return 1 + list * itemCodes + items;
}

function brings({ loaded }: SpaceStep, sizes: Weighing['sizes']): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}
