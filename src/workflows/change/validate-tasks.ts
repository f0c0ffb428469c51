import type { Spec } from '../../documents/spec.ts';
import { specRefParts, type Task, type TaskList } from '../../documents/tasks.ts';
import { UNDECIDED, undecided, type Finding } from './finding.ts';
import { dependencyOrder } from '../../documents/dependency-order.ts';
import { groupOf } from './order.ts';
import { lineIn } from './validate-spec.ts';

export interface TasksPlace {
  readonly file: string;
  /** The change's specs by id; null for one that cannot be read. */
  readonly specs: ReadonlyMap<string, Spec | null>;
  /** The specs in the order of work; null when there is none. */
  readonly order: readonly string[] | null;
}

type Report = (line: number, finding: Omit<Finding, 'file' | 'line'>) => void;

export function validateTasks(list: TaskList, { file, specs, order }: TasksPlace): Finding[] {
  const findings: Finding[] = [];
  const report: Report = (line, finding) => void findings.push({ ...finding, file, line });
  if (list.tasks.length === 0) {
    report(1, {
      severity: 'High',
      code: 'no-tasks',
      message: 'there is no task',
      fix: 'add at least one "### Task 1.1: title" with its yaml block',
    });
  } else if (list.layers.length === 0) {
    report(1, {
      severity: 'Medium',
      code: 'missing-heading',
      message: 'there is no layer heading',
      fix: 'add "## 1. Data Layer", "## 2. Logic Layer", "## 3. Integration Layer" or "## 4. Testing Layer"',
    });
  }
  for (const { line, ...problem } of list.problems) report(line, { severity: 'High', ...problem });
  for (const message of list.warnings)
    report(lineIn(message), {
      severity: 'Low',
      code: 'task-structure',
      message,
      fix: 'write the task as "### Task 1.1: title" with a yaml block, under a layer heading',
    });
  for (const task of list.tasks) {
    if (task.title === '')
      report(task.line, {
        severity: 'Medium',
        code: 'missing-title',
        message: `task ${task.id} has no title`,
        fix: `write "### Task ${task.id}: title"`,
      });
    if (UNDECIDED.test(task.title)) report(task.line, undecided(`task ${task.id}`, task.title));
    checkReferences(task, specs, report);
  }
  checkDependencies(list.tasks, order, report);
  return findings;
}

function checkReferences({ id, specRef, line }: Task, specs: TasksPlace['specs'], report: Report): void {
  const references = specRefParts(specRef);
  if (specRef !== null && references.length === 0) {
    report(line, {
      severity: 'High',
      code: 'unresolved-spec-ref',
      message: `task ${id} has the unreadable spec_ref "${specRef}"`,
      fix: 'write it as "spec-id:R1"',
    });
  }
  for (const { spec, requirement } of references) {
    const found = specs.get(spec);
    if (found === undefined) {
      report(line, {
        severity: 'High',
        code: 'unresolved-spec-ref',
        message: `task ${id} refers to the spec "${spec}", which the change does not have`,
        fix: `refer to one of: ${[...specs.keys()].join(', ') || 'no spec yet'}`,
      });
    } else if (found !== null && requirement !== null && !hasRequirement(found, requirement)) {
      report(line, {
        severity: 'High',
        code: 'unresolved-spec-ref',
        message: `task ${id} refers to ${requirement}, which the spec "${spec}" does not have`,
        fix: `refer to one of: ${found.requirements.map((one) => one.id).join(', ')}`,
      });
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

function checkDependencies(tasks: readonly Task[], order: TasksPlace['order'], report: Report): void {
  if (tasks.every(({ dependsOn }) => dependsOn.length === 0)) return;
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const rank = order && new Map(order.map((id, index) => [id, index]));
  const rankOf = new Map(tasks.map((task) => [task.id, rank?.get(groupOf(task, rank)) ?? Infinity]));
  for (const task of tasks) {
    for (const wanted of task.dependsOn) {
      const other = byId.get(wanted);
      if (!other) {
        report(task.line, {
          severity: 'High',
          code: 'unresolved-dependency',
          message: `task ${task.id} depends on ${wanted}, which does not exist`,
          fix: 'name an existing task, or drop it from depends_on',
        });
      } else if (rank && (rankOf.get(other.id) ?? 0) > (rankOf.get(task.id) ?? 0)) {
        report(task.line, {
          severity: 'High',
          code: 'depends-on-later-group',
          message: `task ${task.id} depends on ${wanted}, which belongs to a spec that is worked on later`,
          fix: 'turn the dependency around, or add it to the specs in affected_specs[].depends',
        });
      }
    }
  }
  const sorted = dependencyOrder(tasks.map(({ id, dependsOn }) => ({ id, depends: dependsOn })));
  if ('cycle' in sorted) {
    const line = byId.get(sorted.cycle[0] ?? '')?.line ?? 1;
    report(line, {
      severity: 'High',
      code: 'task-cycle',
      message: `tasks depend on each other in a circle: ${sorted.cycle.join(' → ')}`,
      fix: 'drop one of these dependencies',
    });
  }
}
