/**
 * The longest paths from an act of a person to the next rest, with the budgets of an item counted.
 *
 * L1. The same states as an exact exploration finds, without asking the engine again: a step of the space is taken where
 *     its assumption is true, and changes a budget as its move says.
 * L2. Nothing is cut off silently: where a person can add to a budget without end, where a run can go on for ever, or
 *     where there are too many nodes, there are no longest paths.
 */

import type { Sizes } from './formula.ts';
import { brings, openEntrances, type PathGraph, type StepKind } from './path-graph.ts';
import { rolesOf } from './receivable.ts';
import { stepAt, type SpaceStep } from './space.ts';
import { traceOf, type TraceStep } from './trace.ts';

export interface Weighing {
  readonly weigh: (role: string) => number;
  readonly faults: boolean;
  /** The number of items that every load of a list brings. */
  readonly sizes: Sizes;
}

const closed = -1;
const endless = -2;
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
 * Undefined by L2. An entry is a step of a person and the code after it, as one number: one for each entrance and code.
 */
export function longestPaths(graph: PathGraph, counts: readonly number[]): LongestPaths | undefined {
  const { space, classOf, labels, numbers, entrances } = graph;
  const many = space.symbolic.length;
  const codes = codesOf(graph.kinds, counts.slice(0, many), counts.slice(counts.length - many));
  const { size, start } = codes;
  const entries = size * space.states.length > codesMax ? undefined : entriesOf(graph, codes);
  const nodes = entries && nodesOf(graph, codes, entries);
  if (!nodes) return undefined;
  const nodeAfter = (entry: number): number => nodes.numberOf[placeAfter(graph, codes, entry)] ?? 0;
  const entranceOf = entries.map((entry) => graph.entranceOf[Math.floor(entry / size)] ?? 0);
  const labelOf = entranceOf.map((entrance) => entrances[entrance]?.label ?? 0);
  const entered = entries.map(nodeAfter);

  const longest = (weighing: Weighing): ReadonlyMap<string, number> => {
    const lengths = lengthsOf(graph, nodes, weighing);
    const isOpen = openEntrances(graph, weighing.sizes);
    const most = new Float64Array(labels.length);
    for (let entry = 0; entry < entered.length; entry += 1) {
      const label = labelOf[entry] ?? 0;
      const length = lengths[entered[entry] ?? 0] ?? 0;
      if (length > (most[label] ?? 0) && isOpen[entranceOf[entry] ?? 0] === 1) most[label] = length;
    }
    const starts = space.starts.map(({ number }, at): [string, number] => {
      const node = nodes.numberOf[(classOf[number] ?? 0) * size + start] ?? 0;
      return [labelOfStart(at), lengths[node] ?? 0];
    });
    return new Map([...starts, ...labels.map((label, at): [string, number] => [label, most[at] ?? 0])]);
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
function lengthsOf(graph: PathGraph, { roles, first, to, kinds }: Nodes, weighing: Weighing): Float64Array {
  const weights = Float64Array.from(rolesOf(graph.space.machine), weighing.weigh);
  const isTaken = takenKinds(graph, weighing);
  const lengths = new Float64Array(roles.length);
  for (let node = 0; node < roles.length; node += 1) {
    let most = 0;
    for (let edge = first[node] ?? 0; edge < (first[node + 1] ?? 0); edge += 1) {
      const length = lengths[to[edge] ?? 0] ?? 0;
      if (length > most && isTaken[kinds[edge] ?? 0] === 1) most = length;
    }
    const role = roles[node] ?? -1;
    lengths[node] = role === -1 ? most : most + (weights[role] ?? 0);
  }
  return lengths;
}

/** By kind. */
function takenKinds({ kinds }: PathGraph, { faults, sizes }: Weighing): Uint8Array {
  return Uint8Array.from(kinds, ({ by, loaded }) =>
    Number(by !== 'person' && (by !== 'fault' || faults) && brings(loaded, sizes)),
  );
}

/** The rest of all symbolic budgets is one number, a code. */
interface Codes {
  readonly size: number;
  readonly start: number;
  /** By kind and code as one number: the code after it, `closed` or `endless`. */
  readonly after: Int32Array;
}

function codesOf(kinds: readonly StepKind[], limits: readonly number[], left: readonly number[]): Codes {
  // A person may add one where the limit is none, and one more to what there is.
  const above = limits.map((limit, at) => Math.max(limit, left[at] ?? 0, 1) + 2);
  const size = above.reduce((product, each) => product * each, 1);
  const after = new Int32Array(kinds.length * size);
  for (const [at, kind] of kinds.entries())
    for (let code = 0; code < size; code += 1) after[at * size + code] = codeAfter(kind, code, limits, above);
  return { size, start: above.reduce((code, each, at) => code * each + (left[at] ?? 0), 0), after };
}

function codeAfter(kind: StepKind, code: number, limits: readonly number[], above: readonly number[]): number {
  let rest = code;
  let after = 0;
  let isEndless = false;
  for (let at = above.length - 1, unit = 1; at >= 0; at -= 1) {
    const radix = above[at] ?? 1;
    const limit = limits[at] ?? 0;
    const count = rest % radix;
    const need = kind.needs[at] ?? null;
    if (need !== null && need !== count > 0) return closed;
    const { renewed = false, filled = false, plus = 0 } = kind.effects[at] ?? {};
    const before = renewed ? limit : count;
    const next = Math.max(0, (filled ? Math.max(before, limit, 1) : before) + plus);
    isEndless ||= next >= radix;
    after += next * unit;
    unit *= radix;
    rest = Math.floor(rest / radix);
  }
  return isEndless ? endless : after;
}

/** The class and the code that an entry leads to, as one number. */
function placeAfter({ to, classOf }: PathGraph, { size }: Codes, entry: number): number {
  return (classOf[to[Math.floor(entry / size)] ?? 0] ?? 0) * size + (entry % size);
}

/** The acts of persons in all states that the run can reach. */
function entriesOf(graph: PathGraph, { size, start, after }: Codes): readonly number[] | undefined {
  const { space, first, to, kindOf, entranceOf, entrances } = graph;
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
      if (entrance === -1 || isEntered[entrance * size + code] === 1) continue;
      isEntered[entrance * size + code] = 1;
      entries.push(step * size + code);
    }
  }
  return entries;
}

/** Classes with a code that can be reached without a person, each after those it leads to. */
interface Nodes {
  /** By place, which is a class and a code as one number. */
  readonly numberOf: Int32Array;
  /** By node: its role. */
  readonly roles: readonly number[];
  /** By node, and one more: where its edges begin. */
  readonly first: readonly number[];
  /** By edge: the node it leads to, and its kind. */
  readonly to: readonly number[];
  readonly kinds: readonly number[];
}

const unseen = -1;
const open = -2;

/** Undefined when there is a cycle. */
function nodesOf(graph: PathGraph, codes: Codes, entries: readonly number[]): Nodes | undefined {
  const { space, classes, classOf } = graph;
  const { size, after, start } = codes;
  const numberOf = new Int32Array(classes.length * size).fill(unseen);
  const followed = new Int32Array(numberOf.length);
  const roles: number[] = [];
  const first = [0];
  const to: number[] = [];
  const kinds: number[] = [];
  const finish = (place: number): void => {
    const own = classes[Math.floor(place / size)];
    for (const step of own?.steps ?? []) {
      const code = after[step.kind * size + (place % size)] ?? closed;
      if (code === closed) continue;
      to.push(numberOf[step.to * size + code] ?? 0);
      kinds.push(step.kind);
    }
    first.push(to.length);
    numberOf[place] = roles.push(own?.role ?? -1) - 1;
  };
  const starts = space.starts.map(({ number }) => (classOf[number] ?? 0) * size + start);
  for (const root of [...starts, ...entries.map((entry) => placeAfter(graph, codes, entry))]) {
    const path = numberOf[root] === unseen ? [root] : [];
    for (let place = path.at(-1); place !== undefined; place = path.at(-1)) {
      const step = classes[Math.floor(place / size)]?.steps[followed[place] ?? 0];
      if (!step) {
        finish(place);
        path.pop();
        continue;
      }
      numberOf[place] = open;
      followed[place] = (followed[place] ?? 0) + 1;
      const code = after[step.kind * size + (place % size)] ?? closed;
      const target = step.to * size + code;
      if (code === closed || (numberOf[target] ?? 0) >= 0) continue;
      if (numberOf[target] === open) return undefined;
      path.push(target);
    }
  }
  return { numberOf, roles, first, to, kinds };
}
