/**
 * A space as far as it makes a difference to its longest paths.
 *
 * Steps fall into kinds, and explored states into classes by what can happen from them until the run rests: at first only
 * the role makes a difference; then classes are split by where the steps of their states lead, until those of every
 * class lead to the same classes. What follows in a class is worked out once for all its states.
 */

import type { BudgetEffect, Edge } from './edges.ts';
import { Pairs } from './pairs.ts';
import { rolesOf } from './receivable.ts';
import type { Space } from './space.ts';
import { stateAt } from './variables.ts';

export interface PathGraph {
  readonly space: Space;
  readonly kinds: readonly StepKind[];
  /** By step: its kind; -1 for refusals, and for steps that differ from another in their name only. */
  readonly kindOf: Int32Array;
  /** By explored state. */
  readonly classOf: Int32Array;
  /** By class. */
  readonly classes: readonly PathClass[];
  readonly entrances: readonly Entrance[];
  /** By step: its entrance; -1 where no person acts. */
  readonly entranceOf: Int32Array;
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
  readonly label: string;
  readonly left: readonly number[];
}

export function pathGraph(space: Space): PathGraph {
  const { edges, states, first, to, by } = space;
  const kinds = new Numbering<StepKind>();
  const kindOfEdge = edges.all.map((edge) => {
    const { by: sender, loaded, label, move, twin, assumed, effect } = edge;
    if (!move || (twin?.by === sender && label === null)) return -1;
    const needs = space.symbolic.map((name) => (assumed[name] === undefined ? null : assumed[name] > 0));
    const kind = { by: sender, loaded, needs, effects: effect.symbolic };
    return kinds.of(JSON.stringify(kind), kind);
  });
  const kindOf = Int32Array.from(by, (edge) => kindOfEdge[edge] ?? -1);
  const { classOf, classes } = classesOf(space, kinds.all, kindOf);
  const { size, lists } = edges.variables;
  const entrances = new Numbering<Entrance>();
  const entranceOf = new Int32Array(to.length).fill(-1);
  for (const { number, values } of states) {
    const left = values.slice(size - lists.length);
    for (let step = first[number] ?? 0; step < (first[number + 1] ?? 0); step += 1) {
      const { label = null, loaded = null } = edges.all[by[step] ?? 0] ?? {};
      if (label === null) continue;
      const key = `${label} ${loaded?.items} ${left.join()} ${classOf[to[step] ?? 0]}`;
      entranceOf[step] = entrances.of(key, { label, loaded, left });
    }
  }
  return { space, kinds: kinds.all, kindOf, classOf, classes, entrances: entrances.all, entranceOf };
}

function classesOf(
  { machine, states, first, to }: Space,
  kinds: readonly StepKind[],
  kindOf: Int32Array,
): Pick<PathGraph, 'classOf' | 'classes'> {
  const roles = rolesOf(machine);
  const roleIn = Object.values(machine.states).map((state) => ('role' in state ? roles.indexOf(state.role) : -1));
  const roleOf = Int32Array.from(states, ({ values }) => roleIn[values[stateAt] ?? 0] ?? -1);
  /** By step: its kind, if it needs no person. */
  const workKindOf = kindOf.map((kind) => (kinds[kind]?.by === 'person' ? -1 : kind));
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
        const kind = workKindOf[step] ?? -1;
        if (kind !== -1) list = pairs.of(list, (classOf[to[step] ?? 0] ?? 0) * kinds.length + kind);
      }
      next[state] = known[list] ??= examples.push(state) - 1;
    }
    classOf = next;
  }
  const classes = examples.map((state) => {
    const steps = new Map<number, { readonly to: number; readonly kind: number }>();
    for (let step = first[state] ?? 0; step < (first[state + 1] ?? 0); step += 1) {
      const own = { to: classOf[to[step] ?? 0] ?? 0, kind: workKindOf[step] ?? -1 };
      if (own.kind !== -1) steps.set(own.to * kinds.length + own.kind, own);
    }
    return { role: roleOf[state] ?? -1, steps: [...steps.values()] };
  });
  return { classOf, classes };
}

/** Numbers values, with the same number for the same key. */
class Numbering<T> {
  readonly all: T[] = [];
  readonly #known = new Map<string, number>();

  of(key: string, value: T): number {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#known.set(key, this.all.length);
    return this.all.push(value) - 1;
  }
}
