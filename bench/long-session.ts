import type { Benchmark } from './benchmark.ts';
import { compare, medianMs, type Compared } from './rounds.ts';
import { SessionRun } from './session-run.ts';

const manyTasks = 500;
const fewTasks = 10;
const measuredTasks = 50;
/** All turns and one to warm up go into the measured tasks. */
const tasksPerTurn = 3;

/** The last tasks of a long session take turns with the first ones of another, and those with a short session's. */
export const longSession: Benchmark = {
  name: 'session',
  about: 'tasks 451 to 500 of a session of 500 against its tasks 1 to 50, and those against a session of 10',
  measure: async () => [
    {
      what: 'transition in tasks 451–500 of a session (against 1–50)',
      unit: 'ms',
      ...lastAgainstFirst({ shows: false }),
      ratioMax: 1.25,
    },
    {
      what: '  with status.json, in the end 200 decisions and 500 repairs',
      unit: 'ms',
      ...lastAgainstFirst({ shows: true }),
      ratioMax: null,
    },
    {
      what: '  of a session of 500 tasks (against one of 10)',
      unit: 'ms',
      ...manyAgainstFew({ shows: true }),
      ratioMax: null,
    },
  ],
};

interface Shown {
  readonly shows: boolean;
}

function lastAgainstFirst(shown: Shown): Compared {
  const begun = new SessionRun(manyTasks, shown);
  const ending = new SessionRun(manyTasks, shown);
  try {
    while (ending.left > measuredTasks) ending.task();
    return compare(
      () => msPerRecord(begun),
      () => msPerRecord(ending),
    );
  } finally {
    begun.close();
    ending.close();
  }
}

function manyAgainstFew(shown: Shown): Compared {
  const many = new SessionRun(manyTasks, shown);
  let few = new SessionRun(fewTasks, shown);
  try {
    return compare(
      () => {
        if (few.left < tasksPerTurn) {
          few.close();
          few = new SessionRun(fewTasks, shown);
        }
        return msPerRecord(few);
      },
      () => msPerRecord(many),
    );
  } finally {
    many.close();
    few.close();
  }
}

function msPerRecord(run: SessionRun): number {
  const before = run.records;
  const ms = medianMs(tasksPerTurn, () => run.task());
  return (ms * tasksPerTurn) / (run.records - before);
}
