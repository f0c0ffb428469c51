/** The `issue` workflow: a machine, and everything the runtime needs around it. */

import { phaseOf } from '../../engine/phase.ts';
import type { RunView, StatusDetails } from '../workflow.ts';
import { defineWorkflow, late } from '../define-workflow.ts';
import { configPaths } from '../workflow-config.ts';
import { settingsOf } from './config.ts';
import { runFolder, todoFolder, workflowFolder } from './files/ids.ts';
import { data } from './run-data.ts';
import { stateFile } from './state-file.ts';
import { words } from './summary.ts';
import { machine } from './transition-table.ts';
import { journalPath } from './role-words.ts';
import { makeObjection, testObjection } from './write-limits.ts';

const planningChecks = [
  'open_issue',
  'inspect_plan',
  'inspect_split',
  'inspect_task',
  'inspect_fix',
  'file_rest',
  'rework',
] as const;
const testingChecks = ['check_stubs', 'prove_red', 'entry_check', 'run_suite', 'reset_code'] as const;
const finishingChecks = [
  'apply_edits',
  'give_up',
  'confirm_code',
  'commit_code',
  'close_issue',
  'commit_todo',
  'fail',
  'commit_wip',
] as const;

const reader = { mayWrite: [], judges: true, defaultAgent: 'codex' } as const;
const writer = { mayWrite: ['**', `!${workflowFolder}/**`, `!${todoFolder}/**`], defaultAgent: 'claude' } as const;

export const issue = defineWorkflow({
  name: 'issue',
  machine,
  commits: true,
  settings: settingsOf,
  controlFolder: workflowFolder,
  watchedFolder: runFolder,
  configPaths,
  roles: {
    planner: { mayWrite: [], defaultAgent: 'claude' },
    check: reader,
    simplify: reader,
    test: { ...writer, objection: testObjection },
    make: { ...writer, objection: makeObjection },
    pm: { mayWrite: [], defaultAgent: 'claude' },
  },
  dispatching: async () => (await import('./dispatching.ts')).dispatching,
  checks: {
    ...late(planningChecks, async () => (await import('./checks/planning-checks.ts')).planningChecks),
    ...late(testingChecks, async () => (await import('./checks/testing-checks.ts')).testingChecks),
    ...late(finishingChecks, async () => (await import('./checks/finishing-checks.ts')).finishingChecks),
  },
  questions: {},
  enter: (command, { base }, { snapshot }) => ({
    name: command,
    data: command === 'run' && typeof base === 'string' ? data.base.set(base) : data.base.set(data.base.of(snapshot)),
  }),
  stateFile,
  words,
  listed: ({ snapshot }) => ({ title: data.title.of(snapshot) }),
  nextIn: (run) => `pawl issue run ${run} --resume`,
  status: statusOf,
  subject: ({ snapshot }) => data.title.of(snapshot),
  journalPath: ({ run }) => journalPath(run),
});

function statusOf({ snapshot, history }: RunView): StatusDetails {
  const phase = phaseOf(machine, snapshot);
  const open = data.blockers.of(snapshot).map(({ phase: where, finding }) => `${where}: ${finding.title}`);
  return {
    keys: {
      title: data.title.of(snapshot),
      branch: data.branch.of(snapshot),
      plan_rework_remaining: snapshot.budgets['plan_rework'] ?? 0,
      dispatches: history.length,
      commits: data.commits.of(snapshot).map(({ id, message }) => ({ id, message })),
    },
    title: [phase ?? 'new', ...(data.branch.of(snapshot) === '' ? [] : [`on ${data.branch.of(snapshot)}`])],
    goal: data.title.of(snapshot) || null,
    notes: open.length === 0 ? [] : [{ text: 'recorded as open:', items: open }],
  };
}
