/** A run taken for a short, quiet piece of work: nobody is asked, no agent starts. */

import { recover } from '../runtime/recover.ts';
import { Run } from '../runtime/run.ts';
import type { RunEvent } from '../runtime/surroundings.ts';
import { findRepository } from '../workspace/git.ts';
import { compose, storeOf } from './compose.ts';
import { exitCodes } from './exit-codes.ts';
import { findRun } from './find-run.ts';
import { Problem } from './problem.ts';
import { plainText } from './show/text.ts';
import { loadWorkflow } from './workflows.ts';

/** `work` finds the run in order: what a crash left is cleared up before. */
export async function withRun<T>(word: string, work: (run: Run) => Promise<T> | T): Promise<T> {
  const repository = findRepository(process.cwd());
  const found = findRun(repository.commonDir, word);
  const workflow = await loadWorkflow(found.workflow);
  const surroundings = compose({
    person: null,
    observe: tell,
    script: () => null,
    interrupted: new AbortController().signal,
  });
  const place = {
    workflow,
    run: found.run,
    store: storeOf(repository.commonDir),
    workspace: repository.root,
    commonDir: repository.commonDir,
  };
  const run = Run.open(place, surroundings, { input: {}, limits: {} });
  try {
    const recovery = await recover(run, undefined);
    if (recovery.kind !== 'ready') throw personNeeded(found.run, recovery.message);
    return await work(run);
  } finally {
    run.close();
    await surroundings.close();
  }
}

function tell(event: RunEvent): void {
  if (event.type === 'recovered' || event.type === 'warning') process.stderr.write(`${plainText(event.message)}\n`);
}

function personNeeded(run: string, message: string): Problem {
  return new Problem('person_needed', message, {
    fix: `say what becomes of it: pawl resume ${run} --edits keep, or --edits discard`,
    exitCode: exitCodes.needs_person,
  });
}
