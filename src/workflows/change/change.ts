/** The `change` workflow: a machine, and everything the runtime needs around it. */

import { readTasks, setTaskStatus } from '../../documents/tasks.ts';
import type { RunSettings, RunView, Workflow, Write } from '../workflow.ts';
import { brief } from './brief.ts';
import { confirmCode, merge } from './checks/archiving.ts';
import { confirmPlan, runChecks, selectTasks, tally } from './checks/implementing.ts';
import { compareApproved, compareRejected, findTasks, order, survey, validate } from './checks/planning.ts';
import { enter } from './commands.ts';
import { conclude } from './conclude.ts';
import { chooseModel, readConfig } from './config.ts';
import { machine } from './machine.ts';
import { archiveFolder, configPath, controlFolder, tasksPath } from './paths.ts';
import { revision } from './questions.ts';
import { archivedAs } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { summarize } from './summary.ts';
import { tools } from './tools.ts';

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
  tools,
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
    confirm_code: confirmCode,
    merge,
  },
  questions: { revision },
  settings,
  enter,
  brief,
  conclude,
  stateFile,
  summarize,
  worstCase,
  exportTo,
  undoWrites,
};

function settings(text: string | undefined): RunSettings {
  const { config, warnings } = readConfig(text, configPath);
  return {
    agents: config.roles,
    modelFor: (agent, complexity) => chooseModel(config, agent, complexity).model,
    limits: {
      planning: config.workflow.planningIterations,
      implementation: config.workflow.implementationIterations,
      archiving: config.workflow.archiveIterations,
      retries: config.workflow.scriptRetries,
    },
    spending: {
      dispatches: config.budget.dispatches,
      tokens: config.budget.tokens,
      costUsd: config.budget.costUsd,
      wallMs: config.budget.hours * 3_600_000,
      unknownTokens: config.budget.unknownTokens,
      unknownCostUsd: config.budget.unknownCostUsd,
    },
    dispatch: {
      timeoutMs: config.dispatch.timeoutMinutes * 60_000,
      killGraceMs: config.dispatch.killGraceSecs * 1_000,
      outputBytesMax: config.dispatch.outputMbMax * 1024 * 1024,
    },
    retryDelayMs: config.workflow.retryDelaySecs * 1_000,
    notify: config.notify,
    warnings,
  };
}

/** Each loop at its limit; what is not known before the proposal is left as a word. */
function worstCase({ snapshot }: RunView, command: string): string {
  const { planning = 0, implementation = 0, archiving = 0, retries = 0 } = snapshot.limits;
  const rounds: Record<string, string> = {
    plan: `${4 + 3 * planning} + 1 per spec`,
    impl: `1 per spec + ${1 + 2 * implementation}`,
    review: '1',
    archive: `${1 + archiving} per spec that needs judgement + ${1 + archiving}`,
  };
  return `${rounds[command] ?? 'as many as the command it repeats'} (${retries === 1 ? 'each once more' : `each up to ${retries} times more`} if it fails)`;
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
