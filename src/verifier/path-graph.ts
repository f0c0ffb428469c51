/**
 * A space as far as it makes a difference to its longest paths.
 *
 * Steps fall into kinds, and explored states into classes by what can happen from them until the run rests: at first only
 * the crew makes a difference; then classes are split by where the steps of their states lead, until those of every
 * class lead to the same classes. What follows in a class is worked out once for all its states. Lists are of numbers,
 * because long loops run over them, and for each workflow anew.
 */

import { crewOf, type Machine } from '../engine/machine.ts';
import type { BudgetEffect, Edge } from './edges.ts';
import type { Sizes } from './formula.ts';
import { Pairs, remembered } from './pairs.ts';
import type { Space } from './space.ts';
import { stateAt } from './variables.ts';

/** Without refusals, and without steps that differ from another in their name only. */
export interface PathGraph {
  readonly space: Space;
  readonly kinds: readonly StepKind[];
  /** By explored state, and one more: its first step. */
  readonly first: Int32Array;
  /** By step: its number in the space, the state it leads to, its kind, and its entrance (-1 where no person acts). */
  readonly numbers: Int32Array;
  readonly to: Int32Array;
  readonly kindOf: Int32Array;
  readonly entranceOf: Int32Array;
  /** By explored state. */
  readonly classOf: Int32Array;
  readonly classes: PathClasses;
  readonly entrances: readonly Entrance[];
  /** All acts of persons. */
  readonly labels: readonly string[];
}

/** When a step can be taken, and what it does to the symbolic budgets. */
export interface StepKind extends Pick<Edge, 'by' | 'loaded'> {
  /** Whether some must be left of each, or none; null when it does not matter. */
  readonly needs: readonly (boolean | null)[];
  readonly effects: readonly BudgetEffect[];
}

export interface PathClasses {
  /** By class: the number of its crew; -1 where nobody works. */
  readonly crews: Int32Array;
  /** By class: the symbolic budgets that make a difference until the run rests, a bit for each. */
  readonly reads: Int32Array;
  /** By class, and one more: its first step. */
  readonly first: Int32Array;
  /** By step, without those of persons: the class it leads to, and its kind. */
  readonly to: Int32Array;
  readonly kinds: Int32Array;
}

/** An act of a person, with so much left of each list, to one class. */
export interface Entrance extends Pick<Edge, 'loaded'> {
  readonly label: number;
  readonly left: readonly number[];
}

export function pathGraph(space: Space): PathGraph {
  const { edges, states, symbolic } = space;
  const kinds = new Numbering<StepKind>();
  const kindOfEdge = edges.all.map(({ by, loaded, label, move, twin, assumed, effect }) => {
    if (!move || (twin?.by === by && label === null)) return -1;
    const needs = symbolic.map((name) => (assumed[name] === undefined ? null : assumed[name] > 0));
    const kind = { by, loaded, needs, effects: effect.symbolic };
    return kinds.of(JSON.stringify(kind), kind);
  });
  const steps = stepsOf(space, kinds.all, Int32Array.from(kindOfEdge));
  const { first, numbers, to, kindOf } = steps;
  const { classOf, classes } = classesOf(steps);
  const { size, lists } = edges.variables;
  const labels = new Numbering<string>();
  const entrances = new Numbering<Entrance>();
  const entranceOf = new Int32Array(numbers.length).fill(-1);
  for (const { number, values } of states) {
    const left = values.slice(size - lists.length);
    for (let step = first[number] ?? 0; step < (first[number + 1] ?? 0); step += 1) {
      const { label: name = null, loaded = null } = edges.all[space.by[numbers[step] ?? 0] ?? 0] ?? {};
      if (name === null) continue;
      const label = labels.of(name, name);
      const key = `${label} ${loaded?.items} ${left.join()} ${classOf[to[step] ?? 0]}`;
      entranceOf[step] = entrances.of(key, { label, loaded, left });
    }
  }
  return {
    space,
    kinds: kinds.all,
    first,
    numbers,
    to,
    kindOf,
    entranceOf,
    classOf,
    classes,
    entrances: entrances.all,
    labels: labels.all,
  };
}

type Steps = Pick<PathGraph, 'space' | 'kinds' | 'first' | 'numbers' | 'to' | 'kindOf'>;

function stepsOf(space: Space, kinds: readonly StepKind[], kindOfEdge: Int32Array): Steps {
  const first = new Int32Array(space.first.length);
  const numbers = new Int32Array(space.to.length);
  const to = new Int32Array(space.to.length);
  const kindOf = new Int32Array(space.to.length);
  let kept = 0;
  for (let state = 0; state + 1 < first.length; state += 1) {
    const end = space.first[state + 1] ?? 0;
    for (let step = space.first[state] ?? 0; step < end; step += 1) {
      const kind = kindOfEdge[space.by[step] ?? 0] ?? -1;
      if (kind === -1) continue;
      numbers[kept] = step;
      to[kept] = space.to[step] ?? 0;
      kindOf[kept] = kind;
      kept += 1;
    }
    first[state + 1] = kept;
  }
  const part = (all: Int32Array): Int32Array => all.subarray(0, kept);
  return { space, kinds, first, numbers: part(numbers), to: part(to), kindOf: part(kindOf) };
}

/** All that differ: the roles that work together in a state. */
export function crewsOf({ states }: Machine): readonly (readonly string[])[] {
  const crews = Object.values(states)
    .map(crewOf)
    .filter(({ length }) => length > 0);
  return [...new Map(crews.map((crew) => [String(crew), crew])).values()];
}

function classesOf({ space, kinds, first, to, kindOf }: Steps): Pick<PathGraph, 'classOf' | 'classes'> {
  const { machine, states } = space;
  const crews = crewsOf(machine).map(String);
  const crewIn = Object.values(machine.states).map((state) => crews.indexOf(String(crewOf(state))));
  const crewAt = Int32Array.from(states, ({ values }) => crewIn[values[stateAt] ?? 0] ?? -1);
  const isWork = Uint8Array.from(kinds, ({ by }) => Number(by !== 'person'));
  let classOf: Int32Array = crewAt;
  let examples: number[] = [];
  for (let before = -1; examples.length > before;) {
    before = examples.length;
    [classOf, examples] = splitOnce({ first, to, kindOf, isWork, classOf });
  }
  const ends = [0];
  const targets: number[] = [];
  const own: number[] = [];
  for (const state of examples) {
    const known = new Set<number>();
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const [target, kind] = [classOf[to[step] ?? 0] ?? 0, kindOf[step] ?? 0];
      const pair = target * kinds.length + kind;
      if (isWork[kind] !== 1 || known.has(pair)) continue;
      known.add(pair);
      targets.push(target);
      own.push(kind);
    }
    ends.push(targets.length);
  }
  const classes = {
    crews: Int32Array.from(examples, (state) => crewAt[state] ?? -1),
    reads: new Int32Array(examples.length),
    first: Int32Array.from(ends),
    to: Int32Array.from(targets),
    kinds: Int32Array.from(own),
  };
  findReads(kinds, classes);
  return { classOf, classes };
}

type Splitting = Readonly<Record<'first' | 'to' | 'kindOf' | 'classOf', Int32Array>> & { readonly isWork: Uint8Array };

/** The class of each state by that before and those that its steps lead to, and a state of each class. */
function splitOnce({ first, to, kindOf, isWork, classOf }: Splitting): [classOf: Int32Array, examples: number[]] {
  const pairs = new Pairs();
  const next = new Int32Array(classOf.length);
  const known: number[] = [];
  const examples: number[] = [];
  for (let state = 0; state < next.length; state += 1) {
    let list = pairs.of(classOf[state] ?? 0, -1);
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const kind = kindOf[step] ?? 0;
      if (isWork[kind] === 1) list = pairs.of(list, (classOf[to[step] ?? 0] ?? 0) * isWork.length + kind);
    }
    next[state] = known[list] ??= examples.push(state) - 1;
  }
  return [next, examples];
}

/** Fills in the budgets that a later step needs, up to where they are renewed. */
function findReads(kinds: readonly StepKind[], steps: PathClasses): void {
  const bits = (are: readonly boolean[]): number => are.reduce((all, is, at) => (is ? all | (1 << at) : all), 0);
  const needed = Int32Array.from(kinds, ({ needs }) => bits(needs.map((need) => need !== null)));
  const renewed = Int32Array.from(kinds, ({ effects }) => bits(effects.map((effect) => effect.renewed)));
  const { reads } = steps;
  for (let isNew = true; isNew;) {
    isNew = false;
    for (let at = reads.length - 1; at >= 0; at -= 1) {
      let all = reads[at] ?? 0;
      for (let step = steps.first[at] ?? 0; step < (steps.first[at + 1] ?? 0); step += 1) {
        const kind = steps.kinds[step] ?? 0;
        all |= (needed[kind] ?? 0) | ((reads[steps.to[step] ?? 0] ?? 0) & ~(renewed[kind] ?? 0));
      }
      isNew ||= all !== reads[at];
      reads[at] = all;
    }
  }
}

/** By graph and sizes: which entrances there are with lists of these sizes. */
const knownOpen = new WeakMap<PathGraph, Map<string, Uint8Array>>();

export function openEntrances(graph: PathGraph, sizes: Sizes): Uint8Array {
  const known = remembered(knownOpen, graph, () => new Map<string, Uint8Array>());
  const { lists } = graph.space.machine;
  return remembered(known, Object.values(sizes).join(), () =>
    Uint8Array.from(graph.entrances, ({ loaded, left }) =>
      Number(brings(loaded, sizes) && lists.every((list, at) => (left[at] ?? 0) <= (sizes[list] ?? 0))),
    ),
  );
}

export function brings(loaded: Edge['loaded'], sizes: Sizes): boolean {
  return loaded === null || loaded.items === sizes[loaded.list];
}

/** Numbers values, with the same number for the same key. */
class Numbering<T> {
  readonly all: T[] = [];
  readonly #known = new Map<string, number>();

  of(key: string, value: T): number {
    return remembered(this.#known, key, () => this.all.push(value) - 1);
  }
}
