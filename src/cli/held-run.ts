/** A run taken for a short, quiet piece of work: nobody is asked, no agent starts. */

import { Run } from '../runtime/run.ts';
import type { Surroundings } from '../runtime/surroundings.ts';
import { findRepository } from '../workspace/git.ts';
import { compose, leaseOptions } from './compose.ts';
import { findRun } from './find-run.ts';
import { loadWorkflow } from './workflows.ts';

export async function withRun<T>(
  word: string,
  work: (run: Run) => Promise<T> | T,
  person: Surroundings['person'] = null,
): Promise<T> {
  const repository = findRepository(process.cwd());
  const found = findRun(repository.commonDir, word);
  const workflow = await loadWorkflow(found.workflow);
  const surroundings = compose({
    person,
    observe: () => {},
    script: () => null,
    interrupted: new AbortController().signal,
  });
  const place = {
    workflow,
    run: found.run,
    folder: found.folder,
    workspace: repository.root,
    commonDir: repository.commonDir,
  };
  const run = Run.open(place, surroundings, leaseOptions(false), { input: {}, limits: {} });
  try {
    return await work(run);
  } finally {
    run.close();
    await surroundings.close();
  }
}
