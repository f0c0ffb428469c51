/** A run taken for a short, quiet piece of work: nobody is asked, no agent starts. */

import { recover } from '../runtime/recover.ts';
import { Run } from '../runtime/run.ts';
import type { Host } from '../runtime/host.ts';
import type { RunKey } from '../store/run-store.ts';
import { refusal, type Refusal } from './refusal.ts';
import { orRefusal } from './refusal-of.ts';
import type { RunRepository } from './run-repository.ts';

/** `work` finds the run in order: what a crash left is cleared up before. */
export function withRun<T>(
  { store, workflows, root, commonDir }: RunRepository,
  key: RunKey,
  host: Host,
  work: (run: Run) => Promise<T | Refusal> | T | Refusal,
): Promise<T | Refusal> {
  return orRefusal(async () => {
    const workflow = await workflows.load(key.workflow);
    const place = { workflow, run: key.run, store, workspace: root, commonDir };
    const run = Run.open(place, host, { input: {}, limits: {} });
    try {
      const recovery = await recover(run, undefined);
      if (recovery.kind === 'ready') return await work(run);
      return refusal('PersonNeeded', recovery.message, {
        fix: `say what becomes of it: pawl resume ${key.run} --edits keep, or --edits discard`,
        outcome: 'needs_person',
      });
    } finally {
      run.close();
    }
  });
}
