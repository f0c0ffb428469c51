/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { setTaskStatus } from '../../documents/tasks.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { configPath } from '../workflow-config.ts';
import type { Offer, RunView, Write } from '../workflow.ts';
import { confirmPlan, runChecks, selectTasks, tally } from './checks/implementing.ts';
import { compareApproved, compareRejected, findTasks, order, survey, validate } from './checks/planning.ts';
import { enter } from './commands.ts';
import { planFiles } from './documents.ts';
import { archiveFolder, controlFolder, olderConfigPath, tasksPath } from './paths.ts';
import { tasksIn } from './read-documents.ts';
import { revision } from './questions.ts';
import { reader } from './reader.ts';
import { data } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { words } from './summary.ts';

export const change = defineWorkflow({
  ...reader,
  controlFolder,
  configPaths: [configPath, olderConfigPath],
  roles: {
    planner: { writesTree: false, defaultAgent: 'gemini' },
    challenger: { writesTree: false, defaultAgent: 'codex' },
    implementer: { writesTree: true, defaultAgent: 'claude' },
    reviewer: { writesTree: false, defaultAgent: 'codex' },
    archivist: { writesTree: false, defaultAgent: 'claude' },
  },
  dispatching: async () => (await import('./dispatching.ts')).dispatching,
  checks: {
    survey,
    order,
    find_tasks: findTasks,
    validate,
    compare_rejected: compareRejected,
    compare_approved: compareApproved,
    confirm_plan: confirmPlan,
    select_tasks: selectTasks,
    tally,
    run_checks: runChecks,
    confirm_code: async (context) => (await import('./checks/archiving.ts')).confirmCode(context),
    merge: async (context) => (await import('./checks/archiving.ts')).merge(context),
  },
  questions: { revision },
  enter,
  stateFile,
  words,
  offer,
  journalPath: ({ run, snapshot }) => `${archiveFolder(data.archivedAs.of(snapshot) ?? run)}/journal.jsonl`,
  undoWrites,
  undoKeeps: ['the plan and its reviews'],
});

/** Once the plan is approved: to implement it at once. */
function offer(view: RunView): Offer | null {
  if (view.snapshot.state !== 'challenged') return null;
  return {
    question: {
      title: `The plan of ${view.run} is approved. Go on?`,
      detail: '',
      answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
      paths: planFiles(view),
    },
    next: { implement: { verb: 'impl', words: [view.run] } },
  };
}

/** The code is gone again, so its tasks are to be done again. */
function undoWrites(view: RunView): readonly Write[] {
  const path = tasksPath(view.run);
  const text = view.files.read(path);
  if (text === undefined) return [];
  const done = tasksIn(view)?.tasks.filter(({ status }) => status !== 'pending') ?? [];
  return [{ path, content: done.reduce((edited, { id }) => setTaskStatus(edited, id, 'pending'), text) }];
}
