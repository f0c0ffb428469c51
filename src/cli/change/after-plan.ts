/** Once the plan is approved, a person at the terminal is offered the next step. A convenience, not a gate: nothing waits for it. */

import { resolve } from 'node:path';
import { type RunState } from '../../runtime/run-state.ts';
import type { Person } from '../../runtime/surroundings.ts';
import { workspaceFiles } from '../../runtime/workspace-files.ts';
import { proposalPath, specsFolder, tasksPath } from '../../workflows/change/paths.ts';
import { runFolder, stateIn } from '../run-folders.ts';
import { presenterFor } from '../show/presenter.ts';
import { terminalPerson } from '../terminal-person.ts';

export interface PlannedChange {
  readonly run: string;
  readonly commonDir: string;
}

export function stateOf({ run, commonDir }: PlannedChange): RunState | undefined {
  return stateIn(runFolder(commonDir, 'change', run));
}

/** Whether the person wants the plan implemented now. Asked only when this very command brought the approval. */
export async function wantsImplementation(
  change: PlannedChange,
  before: RunState | undefined,
  personAt: (root: string) => Person = personAtTerminal,
): Promise<boolean> {
  const state = stateOf(change);
  if (state?.snapshot.state !== 'challenged' || state.history.length === (before?.history.length ?? 0)) return false;
  const root = resolve(change.commonDir, state.workspace);
  const answer = await personAt(root).ask({
    title: `The plan of ${change.run} is approved. Go on?`,
    detail: '',
    answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
    paths: [proposalPath(change.run), ...workspaceFiles(root).list(specsFolder(change.run)), tasksPath(change.run)],
  });
  return answer === 'implement';
}

function personAtTerminal(root: string): Person {
  return terminalPerson(presenterFor({ json: false }), { root: () => root });
}
