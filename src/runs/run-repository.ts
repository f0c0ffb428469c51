/** A repository with its runs, and the workflows they may be of. */

import type { Disk } from '../disk/disk.ts';
import type { RunState } from '../runtime/run-state.ts';
import type { RunStore } from '../store/run-store.ts';
import type { WorkflowSurface } from '../workflows/surface.ts';
import type { Workflow, WorkflowReader } from '../workflows/workflow.ts';
import type { Repository } from '../workspace/git.ts';

export interface RunRepository extends Repository {
  readonly store: RunStore<RunState>;
  /** The same runs as another disk shows them. */
  storeOn(disk: Disk): RunStore<RunState>;
  readonly workflows: Workflows;
}

export interface Workflows {
  readonly bundled: readonly WorkflowSurface[];
  /** Of a bundled workflow, or what all workflows of a project's own have in common. */
  surfaceOf(name: string): WorkflowSurface;
  load(name: string): Promise<Workflow>;
  /** For those who only look at runs. */
  read(name: string): Promise<WorkflowReader>;
}
