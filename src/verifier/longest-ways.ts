/** The longest ways from what a person did to the next rest. */

import { rolesOf } from './classes.ts';
import { graphUntilRest, type Graph } from './graph-until-rest.ts';
import type { Space, SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';
import type { Entry, Unfolded } from './unfolded.ts';
import type { Start, Take } from './ways.ts';

export interface Weighing {
  /** What is weighed, for the memory. */
  readonly name: string;
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** How many items every load of a list brings. */
  readonly sizes: Readonly<Record<string, number>>;
}

/** What persons do with the same sizes of lists, and the nodes it leads to. */
interface Entrance extends Start {
  readonly entries: readonly Entry[];
  readonly nodes: Int32Array;
}

/** Each weighing is made once. */
export class LongestWays {
  readonly #space: Space;
  readonly #unfolded: Unfolded;
  readonly #graph: Graph;
  /** By what persons do. */
  readonly #entrances = new Map<string | null, Entrance[]>();
  readonly #known = new Map<string, Float64Array>();

  /** Undefined when a run can go on for ever. */
  static of(space: Space, unfolded: Unfolded | undefined): LongestWays | undefined {
    const graph = unfolded && graphUntilRest(space, unfolded);
    return graph && new LongestWays(space, unfolded, graph);
  }

  private constructor(space: Space, unfolded: Unfolded, graph: Graph) {
    this.#space = space;
    this.#unfolded = unfolded;
    this.#graph = graph;
    for (const [number, entries] of unfolded.entries) {
      const start = unfolded.ways.starts[number];
      const nodes = Int32Array.from(entries, (entry) => this.#nodeAfter(entry));
      const known = this.#entrances.get(start?.label ?? null);
      if (!start) continue;
      if (known) known.push({ ...start, entries, nodes });
      else this.#entrances.set(start.label, [{ ...start, entries, nodes }]);
    }
  }

  #nodeAfter({ way, code }: Entry): number {
    return this.#graph.nodeAt(this.#unfolded.ways.to[way] ?? 0, code);
  }

  /** From one of the starts of the space. */
  longestFrom(start: number, weighing: Weighing): number {
    const node = this.#graph.nodeAt(this.#space.starts[start]?.number ?? 0, this.#unfolded.start);
    return this.#lengths(weighing)[node] ?? 0;
  }

  longestAfter(after: string, weighing: Weighing): number {
    const lengths = this.#lengths(weighing);
    let most = 0;
    for (const { nodes } of this.#from(after, weighing))
      for (let at = 0; at < nodes.length; at += 1) most = Math.max(most, lengths[nodes[at] ?? 0] ?? 0);
    return most;
  }

  pathAfter(after: string, weighing: Weighing): readonly TraceStep[] {
    const { ways, after: codes } = this.#unfolded;
    const lengths = this.#lengths(weighing);
    const isTaken = this.#isTaken(weighing);
    const lengthAfter = (entry: Entry): number => lengths[this.#nodeAfter(entry)] ?? 0;
    const path: SpaceStep[] = [];
    for (let open = this.#from(after, weighing).flatMap(({ entries }) => entries); ;) {
      const [longest] = open.toSorted((one, other) => lengthAfter(other) - lengthAfter(one));
      const step = longest && ways.steps[longest.way];
      if (!step) return traceOf(this.#space.machine, path);
      path.push(step);
      open = [];
      const { number } = step.to;
      for (let way = ways.first[number] ?? 0; way < (ways.first[number + 1] ?? 0); way += 1) {
        const code = codes[ways.touching[way] ?? 0]?.[longest.code] ?? -1;
        if (code >= 0 && isTaken[ways.taking[way] ?? 0]) open.push({ way, code });
      }
    }
  }

  #from(after: string, { sizes }: Weighing): readonly Entrance[] {
    const { lists } = this.#space.machine;
    return (this.#entrances.get(after) ?? []).filter(
      (start) => brings(start, sizes) && lists.every((list, at) => (start.left[at] ?? 0) <= (sizes[list] ?? 0)),
    );
  }

  #lengths(weighing: Weighing): Float64Array {
    const key = `${weighing.name}|${weighing.faults}|${Object.values(weighing.sizes).join()}`;
    const known = this.#known.get(key) ?? this.#weighed(weighing);
    this.#known.set(key, known);
    return known;
  }

  #weighed(weighing: Weighing): Float64Array {
    const { roles, first, to, taking } = this.#graph;
    const weights = rolesOf(this.#space.machine).map(weighing.weigh);
    const isTaken = this.#isTaken(weighing);
    const lengths = new Float64Array(roles.length);
    for (let node = 0; node < roles.length; node += 1) {
      let most = 0;
      for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge += 1) {
        const length = lengths[to[edge] ?? 0] ?? 0;
        if (length > most && isTaken[taking[edge] ?? 0]) most = length;
      }
      lengths[node] = most + (weights[roles[node] ?? -1] ?? 0);
    }
    return lengths;
  }

  /** By take. */
  #isTaken({ faults, sizes }: Weighing): readonly boolean[] {
    return this.#unfolded.ways.takes.map(
      (take) => (take.by === 'work' || (take.by === 'fault' && faults)) && brings(take, sizes),
    );
  }
}

function brings({ loaded }: Pick<Take, 'loaded'>, sizes: Weighing['sizes']): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}
