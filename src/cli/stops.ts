/** Why a command stops before it begins: shared by those that work and those that only foresee. */

import type { EditsChoice } from '../runtime/edits.ts';
import type { Run } from '../runtime/run.ts';
import { exitCodes } from './exit-codes.ts';
import { Problem } from './problem.ts';

/** A run in the middle of one command is finished before another is begun. */
export function refuseOther(run: Pick<Run, 'id' | 'state'>, command: string | null): void {
  const under = run.state.lastCommand;
  if (command === null || command === 'retry' || under === null || under === 'retry') return;
  const same = (word: string) => (word === 'review' ? 'impl' : word);
  if (same(command) === same(under)) return;
  throw new Problem('under_way', `"${under}" of ${run.id} was interrupted and is not finished`, {
    fix: `run pawl resume ${run.id} to finish it, or pawl cancel ${run.id} to give the step up`,
    exitCode: exitCodes.not_ready,
  });
}

export function stateWithoutJournal(path: string, phase: string): Problem {
  const message = `${path} says phase ${phase}, but this repository has no journal of it`;
  return new Problem('state_without_journal', message, {
    target: path,
    fix: 'run the command again with --accept-state if you vouch for it',
    exitCode: exitCodes.needs_person,
  });
}

export function personNeeded({ message, fix }: { readonly message: string; readonly fix: string }): Problem {
  return new Problem('person_needed', message, { fix, exitCode: exitCodes.needs_person });
}

export function editsChoice(value: string | true | undefined): EditsChoice | undefined {
  if (value === undefined || value === 'keep' || value === 'discard') return value;
  throw new Problem('usage', `--edits is "${String(value)}"`, { fix: 'use --edits keep or --edits discard' });
}
