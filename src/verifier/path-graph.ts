/**
 * A space as far as it makes a difference to its longest paths.
 *
 * Steps fall into kinds, and explored states into classes by what can happen from them until the run rests: at first only
 * the role makes a difference; then classes are split by where the steps of their states lead, until those of every
 * class lead to the same classes. What follows in a class is worked out once for all its states.
 */

import type { BudgetEffect, Edge } from './edges.ts';
import type { Sizes } from './formula.ts';
import { Pairs, remembered } from './pairs.ts';
import { rolesOf } from './receivable.ts';
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
  readonly classes: readonly PathClass[];
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

export interface PathClass {
  /** The number of its role; -1 where nobody works. */
  readonly role: number;
  /** All steps without a person, each to a class. */
  readonly steps: readonly { readonly to: number; readonly kind: number }[];
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
  const first = new Int32Array(states.length + 1);
  const kept: number[] = [];
  for (let state = 0; state < states.length; state += 1) {
    for (let step = space.first[state] ?? 0; step < (space.first[state + 1] ?? 0); step += 1)
      if (kindOfEdge[space.by[step] ?? 0] !== -1) kept.push(step);
    first[state + 1] = kept.length;
  }
  const numbers = Int32Array.from(kept);
  const to = numbers.map((step) => space.to[step] ?? 0);
  const kindOf = numbers.map((step) => kindOfEdge[space.by[step] ?? 0] ?? 0);
  const steps = { space, kinds: kinds.all, first, numbers, to, kindOf };
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
  return { ...steps, entranceOf, classOf, classes, entrances: entrances.all, labels: labels.all };
}

type Steps = Pick<PathGraph, 'space' | 'kinds' | 'first' | 'to' | 'kindOf'>;

function classesOf({ space, kinds, first, to, kindOf }: Steps): Pick<PathGraph, 'classOf' | 'classes'> {
  const { machine, states } = space;
  const roles = rolesOf(machine);
  const roleIn = Object.values(machine.states).map((state) => ('role' in state ? roles.indexOf(state.role) : -1));
  const roleOf = Int32Array.from(states, ({ values }) => roleIn[values[stateAt] ?? 0] ?? -1);
  const isWork = kinds.map(({ by }) => by !== 'person');
  let classOf = roleOf;
  let examples: number[] = [];
  for (let before = -1; examples.length > before;) {
    before = examples.length;
    examples = [];
    const pairs = new Pairs();
    const next = new Int32Array(states.length);
    const known: number[] = [];
    for (let state = 0; state < states.length; state += 1) {
      let list = pairs.of(classOf[state] ?? 0, -1);
      for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
        const kind = kindOf[step] ?? 0;
        if (isWork[kind]) list = pairs.of(list, (classOf[to[step] ?? 0] ?? 0) * kinds.length + kind);
      }
      next[state] = known[list] ??= examples.push(state) - 1;
    }
    classOf = next;
  }
  const classes = examples.map((state) => {
    const steps = new Map<number, { readonly to: number; readonly kind: number }>();
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const own = { to: classOf[to[step] ?? 0] ?? 0, kind: kindOf[step] ?? 0 };
      if (isWork[own.kind]) steps.set(own.to * kinds.length + own.kind, own);
    }
    return { role: roleOf[state] ?? -1, steps: [...steps.values()] };
  });
  return { classOf, classes };
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
