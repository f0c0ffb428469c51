/**
 * The longest paths from an act of a person to the next rest, with the budgets of an item counted.
 *
 * L1. The same states as an exact exploration finds, without asking the engine again: a step of the space is taken where
 *     its assumption is true, and changes a budget as its move says.
 * L2. Nothing is cut off silently: where a person can add to a budget without end, where a run can go on for ever, or
 *     where there are too many nodes, there are no longest paths.
 */

import { closed, codesOf, endless, placeOf, type Codes } from './budget-codes.ts';
import type { Sizes } from './formula.ts';
import { brings, crewsOf, openEntrances, type PathClasses, type PathGraph } from './path-graph.ts';
import { stepAt, type SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';

export interface Weighing {
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** The number of items that every load of a list brings. */
  readonly sizes: Sizes;
}

const nodesMax = 1_000_000;
/** So many numbers of four bytes each. */
const codesMax = 50_000_000;

/** The label of what begins at one of the space's own starts. */
export function labelOfStart(start: number): string {
  return `start ${start}`;
}

export interface LongestPaths {
  /** By what the person did, or by the label of a start. */
  longest(weighing: Weighing): ReadonlyMap<string, number>;
  path(weighing: Weighing): (label: string) => readonly TraceStep[];
}

/**
 * `counts`: the limit of each symbolic budget, and the rest of each at the start if that is not the same.
 * Undefined by L2. An entry is a step of a person and the code after it, as one number: one for each entrance and for
 * each code that makes a difference there.
 */
export function longestPaths(graph: PathGraph, counts: readonly number[]): LongestPaths | undefined {
  const { space, classOf, labels, numbers, entrances } = graph;
  const many = space.symbolic.length;
  const codes = codesOf(graph, counts.slice(0, many), counts.slice(counts.length - many));
  const { size } = codes;
  const entries = size * space.states.length > codesMax ? undefined : entriesOf(graph, codes);
  if (!entries) return undefined;
  const starts = space.starts.map(({ number }) => placeOf(codes, classOf[number] ?? 0, codes.start));
  const nodes = nodesOf(graph, codes, [...starts, ...entries.map((entry) => placeAfter(graph, codes, entry))]);
  if (!nodes) return undefined;
  const nodeAfter = (entry: number): number => nodes.numberOf[placeAfter(graph, codes, entry)] ?? 0;
  const { length } = entries;
  const [entranceOf, labelOf, nodeOf] = [new Int32Array(length), new Int32Array(length), new Int32Array(length)];
  const entered = { entranceOf, labelOf, nodeOf };
  for (const [at, entry] of entries.entries()) {
    const entrance = graph.entranceOf[Math.floor(entry / size)] ?? 0;
    entranceOf[at] = entrance;
    labelOf[at] = entrances[entrance]?.label ?? 0;
    nodeOf[at] = nodeAfter(entry);
  }

  const longest = (weighing: Weighing): ReadonlyMap<string, number> => {
    const lengths = lengthsOf(graph, nodes, weighing);
    const most = longestByLabel(labels.length, entered, openEntrances(graph, weighing.sizes), lengths);
    return new Map([
      ...starts.map((place, at): [string, number] => [labelOfStart(at), lengths[nodes.numberOf[place] ?? 0] ?? 0]),
      ...labels.map((label, at): [string, number] => [label, most[at] ?? 0]),
    ]);
  };

  const path = (weighing: Weighing): ((label: string) => readonly TraceStep[]) => {
    const lengths = lengthsOf(graph, nodes, weighing);
    const isTaken = takenKinds(graph, weighing);
    const isOpen = openEntrances(graph, weighing.sizes);
    const lengthAfter = (entry: number): number => lengths[nodeAfter(entry)] ?? 0;
    const opened: number[][] = labels.map(() => []);
    for (const [at, entry] of entries.entries())
      if (isOpen[entranceOf[at] ?? 0] === 1) opened[labelOf[at] ?? 0]?.push(entry);
    return (label) => {
      const steps: SpaceStep[] = [];
      let entry = firstLongest(opened[labels.indexOf(label)] ?? [], lengthAfter);
      while (entry !== undefined) {
        steps.push(stepAt(space, numbers[Math.floor(entry / size)] ?? 0));
        entry = firstLongest(entriesAfter(graph, codes, entry, isTaken), lengthAfter);
      }
      return traceOf(space.machine, steps);
    };
  };
  return { longest, path };
}

/** By entry: its entrance, the label of that, and the node it leads to. */
type Entered = Readonly<Record<'entranceOf' | 'labelOf' | 'nodeOf', Int32Array>>;

/** Not within a closure, of which each would be optimised anew. */
function longestByLabel(many: number, entered: Entered, isOpen: Uint8Array, lengths: Float64Array): Float64Array {
  const { entranceOf, labelOf, nodeOf } = entered;
  const most = new Float64Array(many);
  for (let entry = 0; entry < nodeOf.length; entry += 1) {
    const label = labelOf[entry] ?? 0;
    const length = lengths[nodeOf[entry] ?? 0] ?? 0;
    if (length > (most[label] ?? 0) && isOpen[entranceOf[entry] ?? 0] === 1) most[label] = length;
  }
  return most;
}

function firstLongest(entries: readonly number[], lengthAfter: (entry: number) => number): number | undefined {
  let [longest, most]: [number | undefined, number] = [undefined, -1];
  for (const entry of entries) {
    const length = lengthAfter(entry);
    if (length > most) [longest, most] = [entry, length];
  }
  return longest;
}

function entriesAfter(graph: PathGraph, { size, after }: Codes, entry: number, isTaken: Uint8Array): readonly number[] {
  const { first, to, kindOf } = graph;
  const at = to[Math.floor(entry / size)] ?? 0;
  const entries: number[] = [];
  for (let step = first[at] ?? 0; step < (first[at + 1] ?? 0); step += 1) {
    const kind = kindOf[step] ?? 0;
    const code = after[kind * size + (entry % size)] ?? closed;
    if (code !== closed && isTaken[kind] === 1) entries.push(step * size + code);
  }
  return entries;
}

/** By node. */
function lengthsOf(graph: PathGraph, { crews, first, to, kinds }: Nodes, weighing: Weighing): Float64Array {
  const weights = Float64Array.from(crewsOf(graph.space.machine), (crew) =>
    crew.reduce((sum, role) => sum + weighing.weigh(role), 0),
  );
  const isTaken = takenKinds(graph, weighing);
  const lengths = new Float64Array(crews.length);
  for (let node = 0; node < crews.length; node += 1) {
    let most = 0;
    for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge += 1) {
      const length = lengths[to[edge] ?? 0] ?? 0;
      if (length > most && isTaken[kinds[edge] ?? 0] === 1) most = length;
    }
    const crew = crews[node] ?? -1;
    lengths[node] = crew === -1 ? most : most + (weights[crew] ?? 0);
  }
  return lengths;
}

/** By kind. */
function takenKinds({ kinds }: PathGraph, { faults, sizes }: Weighing): Uint8Array {
  return Uint8Array.from(kinds, ({ by, loaded }) =>
    Number(by !== 'person' && (by !== 'fault' || faults) && brings(loaded, sizes)),
  );
}

/** The place that an entry leads to. */
function placeAfter({ to, classOf }: PathGraph, codes: Codes, entry: number): number {
  const step = Math.floor(entry / codes.size);
  return placeOf(codes, classOf[to[step] ?? 0] ?? 0, entry - step * codes.size);
}

/** The acts of persons in all states that the run can reach. */
function entriesOf(graph: PathGraph, { size, start, after, rowOf, reduced }: Codes): readonly number[] | undefined {
  const { space, first, to, kindOf, entranceOf, entrances, classOf } = graph;
  const entries: number[] = [];
  const isEntered = new Uint8Array(entrances.length * size);
  const isKnown = new Uint8Array(space.states.length * size);
  const nodes = new Int32Array(Math.min(isKnown.length, nodesMax + 1));
  nodes.set(space.starts.map(({ number }) => number * size + start));
  let count = space.starts.length;
  for (let at = 0; at < count; at += 1) {
    const node = nodes[at] ?? 0;
    const state = Math.floor(node / size);
    const before = node - state * size;
    const end = first[state + 1] ?? 0;
    for (let step = first[state] ?? 0; step < end; step += 1) {
      const code = after[(kindOf[step] ?? 0) * size + before] ?? closed;
      if (code === endless || count > nodesMax) return undefined;
      if (code === closed) continue;
      const next = (to[step] ?? 0) * size + code;
      if (isKnown[next] === 0) {
        isKnown[next] = 1;
        nodes[count] = next;
        count += 1;
      }
      const entrance = entranceOf[step] ?? -1;
      if (entrance === -1) continue;
      const entered = entrance * size + (reduced[(rowOf[classOf[to[step] ?? 0] ?? 0] ?? 0) + code] ?? code);
      if (isEntered[entered] === 1) continue;
      isEntered[entered] = 1;
      entries.push(step * size + code);
    }
  }
  return entries;
}

/** Classes with a code that can be reached without a person, each after those it leads to. */
interface Nodes {
  /** By place. */
  readonly numberOf: Int32Array;
  /** By node: its crew. */
  readonly crews: Int32Array;
  /** By node, and one more: where its edges begin. */
  readonly first: Int32Array;
  /** By edge: the node it leads to, and its kind. */
  readonly to: Int32Array;
  readonly kinds: Int32Array;
}

const unseen = -1;
const open = -2;

/** Undefined when there is a cycle. */
function nodesOf(graph: PathGraph, codes: Codes, roots: readonly number[]): Nodes | undefined {
  const { classes } = graph;
  const { size } = codes;
  const numberOf = new Int32Array(classes.crews.length * size).fill(unseen);
  const followed = new Int32Array(numberOf.length);
  const crews: number[] = [];
  const first = [0];
  const to: number[] = [];
  const kinds: number[] = [];
  const finish = (place: number): void => {
    const at = Math.floor(place / size);
    for (let step = classes.first[at] ?? 0; step < (classes.first[at + 1] ?? 0); step += 1) {
      const target = targetOf(classes, codes, step, place % size);
      if (target === closed) continue;
      to.push(numberOf[target] ?? 0);
      kinds.push(classes.kinds[step] ?? 0);
    }
    first.push(to.length);
    numberOf[place] = crews.push(classes.crews[at] ?? -1) - 1;
  };
  for (const root of roots) {
    const path = numberOf[root] === unseen ? [root] : [];
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const at = Math.floor(place / size);
      const step = (classes.first[at] ?? 0) + (followed[place] ?? 0);
      if (step >= (classes.first[at + 1] ?? 0)) {
        finish(place);
        path.pop();
        continue;
      }
      numberOf[place] = open;
      followed[place] = (followed[place] ?? 0) + 1;
      const target = targetOf(classes, codes, step, place % size);
      if (target === closed || (numberOf[target] ?? 0) >= 0) continue;
      if (numberOf[target] === open) return undefined;
      path.push(target);
    }
  }
  return {
    numberOf,
    crews: Int32Array.from(crews),
    first: Int32Array.from(first),
    to: Int32Array.from(to),
    kinds: Int32Array.from(kinds),
  };
}

/** The place that a step between classes leads to, or `closed`. */
function targetOf({ to, kinds }: PathClasses, codes: Codes, step: number, before: number): number {
  const code = codes.after[(kinds[step] ?? 0) * codes.size + before] ?? closed;
  return code === closed ? closed : placeOf(codes, to[step] ?? 0, code);
}
