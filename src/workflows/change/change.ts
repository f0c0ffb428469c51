/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { readTasks, setTaskStatus } from '../../documents/tasks.ts';
import { runSettings } from '../run-config.ts';
import type { RunSettings, RunView, Workflow, Write } from '../workflow.ts';
import { enter } from './commands.ts';
import { readConfig } from './config.ts';
import { machine } from './machine.ts';
import { archiveFolder, configPath, controlFolder, tasksPath } from './paths.ts';
import { revision } from './questions.ts';
import { archivedAs } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { foreign, listed, nextIn, status } from './status.ts';
import { summarize } from './summary.ts';

export const change: Workflow = {
  name: 'change',
  machine,
  controlFolder,
  configPath,
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
  settings,
  enter,
  stateFile,
  summarize,
  listed,
  nextIn,
  status,
  foreign,
  exportTo,
  undoWrites,
};

/** Checks are loaded when one is run: they bring the readers of all documents, and those who only look need none. */
function planning(name: keyof typeof import('./checks/planning.ts')): Workflow['checks'][string] {
  return async (context) => (await import('./checks/planning.ts'))[name](context);
}

function implementing(name: 'confirmPlan' | 'selectTasks' | 'tally' | 'runChecks'): Workflow['checks'][string] {
  return async (context) => (await import('./checks/implementing.ts'))[name](context);
}

function settings(text: string | undefined): RunSettings {
  const { config, chosenRoles, warnings } = readConfig(text, configPath);
  return {
    agents: config.roles,
    chosenRoles,
    limits: {
      planning: config.workflow.planningIterations,
      implementation: config.workflow.implementationIterations,
      archiving: config.workflow.archiveIterations,
      retries: config.workflow.scriptRetries,
    },
    retryDelayMs: config.workflow.retryDelaySecs * 1_000,
    ...runSettings(config),
    warnings,
  };
}

function exportTo({ snapshot }: RunView): string | null {
  const name = archivedAs(snapshot);
  return name === null ? null : `${archiveFolder(name)}/journal.jsonl`;
}

/** The code is gone again, so its tasks are to be done again. */
function undoWrites({ files, run }: RunView): readonly Write[] {
  const path = tasksPath(run);
  const text = files.read(path);
  if (text === undefined) return [];
  const { tasks } = readTasks(text, { file: path, changeId: run });
  const content = tasks.reduce(
    (edited, { id, status }) => (status === 'pending' ? edited : setTaskStatus(edited, id, 'pending')),
    text,
  );
  return [{ path, content }];
}
