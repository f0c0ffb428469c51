/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { setTaskStatus } from '../../documents/tasks.ts';
import { defineWorkflow } from '../define-workflow.ts';
import { configPath } from '../workflow-config.ts';
import type { Offer, RunView, Workflow, Write } from '../workflow.ts';
import { enter } from './commands.ts';
import { settingsOf } from './config.ts';
import { tasksIn } from './documents.ts';
import { machine } from './machine.ts';
import { archiveFolder, controlFolder, olderConfigPath, proposalPath, specsFolder, tasksPath } from './paths.ts';
import { revision } from './questions.ts';
import { data } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { foreign, listed, nextIn, status } from './status.ts';
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
    survey: planning('survey'),
    order: planning('order'),
    find_tasks: planning('findTasks'),
    validate: planning('validate'),
    compare_rejected: planning('compareRejected'),
    compare_approved: planning('compareApproved'),
    confirm_plan: implementing('confirmPlan'),
    select_tasks: implementing('selectTasks'),
    tally: implementing('tally'),
    run_checks: implementing('runChecks'),
    confirm_code: async (context) => (await import('./checks/archiving.ts')).confirmCode(context),
    merge: async (context) => (await import('./checks/archiving.ts')).merge(context),
  },
  questions: { revision },
  settings: settingsOf,
  enter,
  stateFile,
  words,
  listed,
  nextIn,
  status,
  foreign,
  offer,
  journalPath: ({ run, snapshot }) => `${archiveFolder(data.archivedAs.of(snapshot) ?? run)}/journal.jsonl`,
  undoWrites,
  undoKeeps: ['the plan and its reviews'],
});

/** Checks are loaded when one is run: they bring the readers of all documents, and those who only look need none. */
function planning(name: keyof typeof import('./checks/planning.ts')): Workflow['checks'][string] {
  return async (context) => (await import('./checks/planning.ts'))[name](context);
}

function implementing(name: 'confirmPlan' | 'selectTasks' | 'tally' | 'runChecks'): Workflow['checks'][string] {
  return async (context) => (await import('./checks/implementing.ts'))[name](context);
}

/** Once the plan is approved: to implement it at once. */
function offer({ run, snapshot, files }: RunView): Offer | null {
  if (snapshot.state !== 'challenged') return null;
  return {
    question: {
      title: `The plan of ${run} is approved. Go on?`,
      detail: '',
      answers: { implement: 'implement it now', view: 'show the plan', stop: 'stop here' },
      paths: [proposalPath(run), ...files.list(specsFolder(run)), tasksPath(run)],
    },
    next: { implement: { verb: 'impl', words: [run] } },
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
