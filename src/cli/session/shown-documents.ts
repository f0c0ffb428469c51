import type { Criterion } from '../../workflows/session/files/acceptance-file.ts';
import type { SessionTask } from '../../workflows/session/files/tasks-shape.ts';
import type { ShownCriterion, ShownTasks } from './status-shape.ts';

export function shownTasks(tasks: readonly SessionTask[], current: string | null): ShownTasks {
  return { total: tasks.length, current, all: tasks.map(({ id, title, status }) => ({ id, title, status })) };
}

export function shownCriterion({ id, description, status, evidence }: Criterion): ShownCriterion {
  return { id, description, status: status ?? 'open', evidence: evidence ?? null };
}
