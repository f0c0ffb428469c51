import { dependencyOrder } from '../../documents/dependency-order.ts';
import { reporter, type Finding, type Reporter } from '../../documents/finding.ts';
import type { Spec } from '../../documents/spec.ts';
import { specRefParts, type Task, type TaskList } from '../../documents/tasks.ts';
import { groupOf } from './order.ts';
import { reportUndecided } from './undecided.ts';

interface TasksContext {
  readonly file: string;
  /** The change's specs by id; null for one that cannot be read. */
  readonly specs: ReadonlyMap<string, Spec | null>;
  /** The specs in the order of work; null when there is none. */
  readonly order: readonly string[] | null;
}

export function validateTasks(list: TaskList, { file, specs, order }: TasksContext): Finding[] {
  const report = reporter(file);
  if (list.tasks.length === 0) {
    const fix = 'add at least one "### Task 1.1: title" with its yaml block';
    report.high('no-tasks', 1, 'there is no task', fix);
  } else if (list.layers.length === 0) {
    const fix = 'add "## 1. Data Layer", "## 2. Logic Layer", "## 3. Integration Layer" or "## 4. Testing Layer"';
    report.medium('missing-heading', 1, 'there is no layer heading', fix);
  }
  for (const task of list.tasks) {
    const { id, title, line } = task;
    if (title === '') report.medium('missing-title', line, `task ${id} has no title`, `write "### Task ${id}: title"`);
    reportUndecided(report, line, `task ${id}`, title);
    checkReferences(task, specs, report);
  }
  checkDependencies(list.tasks, order, report);
  return [...list.findings, ...report.findings];
}

function checkReferences({ id, specRef, line }: Task, specs: TasksContext['specs'], report: Reporter): void {
  const unresolved = (message: string, fix: string) => report.high('unresolved-spec-ref', line, message, fix);
  const references = specRefParts(specRef);
  if (specRef !== null && references.length === 0)
    unresolved(`task ${id} has the unreadable spec_ref "${specRef}"`, 'write it as "spec-id:R1"');
  for (const { spec, requirement } of references) {
    const found = specs.get(spec);
    if (found === undefined) {
      const known = [...specs.keys()].join(', ') || 'no spec yet';
      unresolved(
        `task ${id} refers to the spec "${spec}", which the change does not have`,
        `refer to one of: ${known}`,
      );
    } else if (found !== null && requirement !== null && !hasRequirement(found, requirement)) {
      const known = found.requirements.map((one) => one.id).join(', ');
      unresolved(
        `task ${id} refers to ${requirement}, which the spec "${spec}" does not have`,
        `refer to one of: ${known}`,
      );
    }
  }
}

/** A task may also carry out a removal or a renaming. */
function hasRequirement({ requirements, removed, renamed }: Spec, id: string): boolean {
  const wanted = id.toUpperCase();
  return (
    requirements.some((one) => one.id === wanted) ||
    removed.includes(wanted) ||
    renamed.some(({ from, to }) => from === wanted || to === wanted)
  );
}

function checkDependencies(tasks: readonly Task[], order: TasksContext['order'], report: Reporter): void {
  if (tasks.every(({ dependsOn }) => dependsOn.length === 0)) return;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const rank = order && new Map(order.map((id, index) => [id, index]));
  const rankOf = new Map(tasks.map((task) => [task.id, rank?.get(groupOf(task, rank)) ?? Infinity]));
  for (const { id, line, dependsOn } of tasks) {
    for (const wanted of dependsOn) {
      const other = byId.get(wanted);
      if (!other) {
        const message = `task ${id} depends on ${wanted}, which does not exist`;
        report.high('unresolved-dependency', line, message, 'name an existing task, or drop it from depends_on');
      } else if (rank && (rankOf.get(other.id) ?? 0) > (rankOf.get(id) ?? 0)) {
        const message = `task ${id} depends on ${wanted}, which belongs to a spec that is worked on later`;
        const fix = 'turn the dependency around, or add it to the specs in affected_specs[].depends';
        report.high('depends-on-later-group', line, message, fix);
      }
    }
  }
  const sorted = dependencyOrder(tasks.map(({ id, dependsOn }) => ({ id, depends: dependsOn })));
  if (!('cycle' in sorted)) return;
  const line = byId.get(sorted.cycle[0] ?? '')?.line ?? 1;
  const message = `tasks depend on each other in a circle: ${sorted.cycle.join(' → ')}`;
  report.high('task-cycle', line, message, 'drop one of these dependencies');
}
