/** All benchmarks, in the order of the table. */

import { agentCall } from './agent-call.ts';
import { box } from './box.ts';
import type { Benchmark } from './benchmark.ts';
import { flatRun } from './flat-run.ts';
import { longSession } from './long-session.ts';
import { manyChanges } from './many-changes.ts';
import { resume } from './resume.ts';
import { startUp } from './start-up.ts';
import { treeCheck } from './tree-check.ts';
import { durableTransition } from './durable-transition.ts';

export { dispose } from './planned-repository.ts';

export const benchmarks: readonly Benchmark[] = [
  durableTransition,
  flatRun,
  longSession,
  ...startUp,
  ...manyChanges,
  resume,
  agentCall,
  treeCheck,
  box,
];
