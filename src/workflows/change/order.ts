/** In which order specs are written and tasks are worked on. */

import { dependencyOrder, type Node, type Order } from '../../documents/dependency-order.ts';
import { specRefParts, type Task } from '../../documents/tasks.ts';

export type SpecOrder = Order | { readonly unknown: { readonly spec: string; readonly dependency: string }[] };

/** The order in which specs are written: as listed, but each after everything it depends on. */
export function orderSpecs(affected: readonly Node[]): SpecOrder {
  const ids = new Set(affected.map(({ id }) => id));
  const unknown = affected.flatMap(({ id, depends }) =>
    depends.filter((dependency) => !ids.has(dependency)).map((dependency) => ({ spec: id, dependency })),
  );
  return unknown.length > 0 ? { unknown } : dependencyOrder(affected);
}

export interface TaskGroup {
  /** A spec's id, `all`, or `other` for tasks that refer to no spec of the change. */
  readonly id: string;
  /** Task ids in the order of work. */
  readonly tasks: readonly string[];
}

export const groupOfAll = 'all';
export const groupOfRest = 'other';

/**
 * What is left of these tasks, one group per dispatch. Groups follow the specs' order; tasks without one come last.
 * Inside a group layers order the tasks, and `depends_on` wins over layers.
 */
export function taskGroups(tasks: readonly Task[], specOrder: readonly string[], sequential: boolean): TaskGroup[] {
  const open = tasks.filter(({ status }) => status !== 'completed');
  const groups = new Map<string, Task[]>(
    sequential ? [...specOrder, groupOfRest].map((id) => [id, []]) : [[groupOfAll, open]],
  );
  if (sequential) for (const task of open) groups.get(groupOf(task, groups))?.push(task);
  return [...groups].filter(([, own]) => own.length > 0).map(([id, own]) => ({ id, tasks: workOrder(own) }));
}

/** The group a task belongs to: that of the first spec it refers to. */
export function groupOf(task: Task, specs: { has(id: string): boolean }): string {
  const spec = specRefParts(task.specRef)[0]?.spec;
  return spec !== undefined && specs.has(spec) ? spec : groupOfRest;
}

const layerRank = { data: 0, logic: 1, integration: 2, testing: 3 };

/** A cycle was refused by validation; if a hand edit brought one in, the layers alone decide. */
function workOrder(tasks: readonly Task[]): string[] {
  const rank = ({ layer }: Task): number => (layer === null ? 4 : layerRank[layer]);
  const byLayer = tasks.toSorted((a, b) => rank(a) - rank(b));
  const order = dependencyOrder(byLayer.map(({ id, dependsOn }) => ({ id, depends: dependsOn })));
  return 'ok' in order ? order.ok : [...new Set(byLayer.map(({ id }) => id))];
}
