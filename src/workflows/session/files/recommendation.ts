import type { Strategy } from '../answers.ts';
import type { SessionTask } from './tasks-file.ts';

export interface Recommendation {
  readonly strategy: Strategy;
  /** Why, a sentence each; never empty. */
  readonly reasons: readonly string[];
}

const manyTasks = 5;
/** Of as many tasks something is a crossing, not a chain. */
const crossingTasks = 2;

export function recommendStrategy(
  tasks: readonly Pick<SessionTask, 'id' | 'depends_on' | 'risk_flags'>[],
): Recommendation {
  const reasons = [
    ...(tasks.length >= manyTasks ? [`There are ${tasks.length} tasks, ${manyTasks} or more.`] : []),
    ...crossings(tasks),
    ...tasks.flatMap(({ id, risk_flags: flags }) =>
      flags.filter((flag) => RISKY_FLAG.test(flag)).map((flag) => `${id} carries the risk flag ${flag}.`),
    ),
  ];
  if (reasons.length > 0) return { strategy: 'per-batch', reasons };
  const count = tasks.length === 1 ? 'There is one task' : `There are only ${tasks.length} tasks`;
  return {
    strategy: 'single-final',
    reasons: [`${count}, without cross-cutting dependencies and without a security or breaking-change flag.`],
  };
}

const RISKY_FLAG = /secur|auth|crypt|breaking/i;

/** A chain can be reviewed at its end; where several tasks meet, a mistake spreads before anybody looks. */
function crossings(tasks: readonly Pick<SessionTask, 'id' | 'depends_on'>[]): string[] {
  const dependants = new Map<string, number>();
  for (const id of tasks.flatMap((task) => task.depends_on)) dependants.set(id, (dependants.get(id) ?? 0) + 1);
  return tasks.flatMap(({ id, depends_on }) => {
    const needing = dependants.get(id) ?? 0;
    return [
      ...(needing >= crossingTasks ? [`${needing} tasks depend on ${id}.`] : []),
      ...(depends_on.length >= crossingTasks ? [`${id} depends on ${depends_on.length} tasks.`] : []),
    ];
  });
}
