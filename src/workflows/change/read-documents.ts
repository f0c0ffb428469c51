/** The documents of a change as values, and the order of work that follows from them. */

import { dependencyOrder, type Node } from '../../documents/dependency-order.ts';
import { readProposal, type AffectedSpec, type Proposal } from '../../documents/proposal.ts';
import { readSpec, type Spec } from '../../documents/spec.ts';
import { specMeant } from '../../documents/spec-names.ts';
import { readTasks, specRefParts, type Task, type TaskList } from '../../documents/tasks.ts';
import type { FileView, RunView } from '../workflow.ts';
import * as paths from './change-paths.ts';

type Change = Pick<RunView, 'files' | 'run'>;

export function proposalIn({ files, run }: Change): Proposal | undefined {
  return documentAt(files, paths.proposalPath(run), readProposal);
}

export function tasksIn({ files, run }: Change): TaskList | undefined {
  return documentAt(files, paths.tasksPath(run), (text, file) => readTasks(text, { file, changeId: run }));
}

export function specAt(files: FileView, path: string): Spec | undefined {
  return documentAt(files, path, readSpec);
}

function documentAt<D>(files: FileView, path: string, read: (text: string, path: string) => D): D | undefined {
  const text = files.read(path);
  return text === undefined ? undefined : read(text, path);
}

/** The specs of a folder, by their names; a changelog beside them is none. */
export function specsIn(files: FileView, folder: string): { readonly id: string; readonly path: string }[] {
  return files.list(folder).flatMap((path) => {
    const id = paths.specIdOf(path, folder);
    return id === undefined ? [] : [{ id, path }];
  });
}

/** The name of the file that holds an affected spec; undefined where neither its path nor its id can name one. */
export function affectedSpecName({ id, path }: Pick<AffectedSpec, 'id' | 'path'>, run: string): string | undefined {
  const folder = paths.specsFolder(run);
  const file = path.startsWith(`${folder}/`) ? path : `${paths.changeFolder(run)}/${path}`;
  return paths.specIdOf(file, folder) ?? (paths.isSpecName(id) ? id : undefined);
}

/** The change's specs, each after those it depends on; empty when its proposal names no sound order. */
export function specOrder(change: Change): readonly string[] {
  const ordered = orderSpecs(proposalIn(change)?.affectedSpecs ?? []);
  return 'ok' in ordered ? ordered.ok : [];
}

/** The order in which specs are written: as listed, but each after everything it depends on. */
export function orderSpecs(affected: readonly Node[]) {
  const ids = new Set<string>();
  for (const { id } of affected) ids.add(id);
  const unknown: { spec: string; dependency: string }[] = [];
  for (const { id, depends } of affected)
    for (const dependency of depends) if (!ids.has(dependency)) unknown.push({ spec: id, dependency });
  return unknown.length > 0 ? { unknown } : dependencyOrder(affected);
}

/** The group of tasks that refer to no spec of the change. */
export const groupOfRest = 'other';

/**
 * What is left of these tasks, one group per dispatch. Groups follow the specs' order; tasks without one come last.
 * Inside a group layers order the tasks, and `depends_on` wins over layers.
 */
export function taskGroups(tasks: readonly Task[], specOrder: readonly string[], sequential: boolean) {
  const open = tasks.filter(({ status }) => status !== 'completed');
  const groups = new Map<string, Task[]>(
    sequential ? [...specOrder, groupOfRest].map((id) => [id, []]) : [['all', open]],
  );
  if (sequential) for (const task of open) groups.get(groupOf(task, groups))?.push(task);
  return [...groups].filter(([, own]) => own.length > 0).map(([id, own]) => ({ id, tasks: workOrder(own) }));
}

export function groupOf(task: Task, specs: ReadonlyMap<string, unknown>): string {
  const spec = specRefParts(task.specRef)[0]?.spec ?? '';
  return specs.has(spec) ? spec : (specMeant(spec, specs.keys()) ?? groupOfRest);
}

const layerRank = { data: 0, logic: 1, integration: 2, testing: 3 };

/** A cycle was refused by validation; if a hand edit brought one in, the layers alone decide. */
function workOrder(tasks: readonly Task[]): string[] {
  const rank = ({ layer }: Task): number => (layer === null ? 4 : layerRank[layer]);
  const byLayer = tasks.toSorted((a, b) => rank(a) - rank(b));
  const order = dependencyOrder(byLayer.map(({ id, dependsOn }) => ({ id, depends: dependsOn })));
  return 'ok' in order ? order.ok : [...new Set(byLayer.map(({ id }) => id))];
}
