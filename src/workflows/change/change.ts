/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { setTaskStatus } from '../../documents/tasks.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { configPath } from '../workflow-config.ts';
import type { RunView, Write } from '../workflow.ts';
import { confirmPlan, runChecks, selectTasks, tally } from './checks/implementing.ts';
import { compareApproved, compareRejected, findTasks, order, survey, validate } from './checks/planning.ts';
import { enter } from './commands.ts';
import { settingsOf } from './config.ts';
import { tasksIn } from './documents.ts';
import { machine } from './machine.ts';
import { archiveFolder, controlFolder, olderConfigPath, tasksPath } from './paths.ts';
import { revision } from './questions.ts';
import { data } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { words } from './summary.ts';

export const change = defineWorkflow({
  name: 'change',
  machine,
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
  settings: settingsOf,
  enter,
  stateFile,
  words,
  journalPath: ({ run, snapshot }) => `${archiveFolder(data.archivedAs.of(snapshot) ?? run)}/journal.jsonl`,
  undoWrites,
});

/** The code is gone again, so its tasks are to be done again. */
function undoWrites(view: RunView): readonly Write[] {
  const path = tasksPath(view.run);
  const text = view.files.read(path);
  if (text === undefined) return [];
  const done = tasksIn(view)?.tasks.filter(({ status }) => status !== 'pending') ?? [];
  return [{ path, content: done.reduce((edited, { id }) => setTaskStatus(edited, id, 'pending'), text) }];
}
