/** The `session` workflow: a machine, and everything the runtime needs around it. */

import { configPath } from '../workflow-config.ts';
import type { Role as RoleRules, Workflow } from '../workflow.ts';
import { enter } from './commands.ts';
import { settingsOf } from './config.ts';
import { controlFolder, sessionFolder } from './files/paths.ts';
import { machine } from './machine.ts';
import { askUser } from './ask-user.ts';
import { designQuestion, strategyQuestion } from './gates.ts';
import { stateFile } from './state-file.ts';

import { foreign, listed, nextIn, status } from './status.ts';
import { summarize } from './summary.ts';
import { roles, type Role } from './vocabulary.ts';
import {
  checkDesign,
  checkIntake,
  checkLean,
  checkPlan,
  openSession,
  queueCorrection,
  verifyCorrection,
} from './checks/designing.ts';
import { recheck } from './checks/rechecking.ts';
import { acceptAll, acceptTask, beginTask, schedule } from './checks/working.ts';
import { finish, integrate, judgeCriteria } from './checks/closing.ts';
import { mayWrite } from './write-bounds.ts';

/** The agents users of one vendor each would choose: makers and judges apart. */
const usualAgents: Readonly<Record<Role, string>> = {
  SpecAgent: 'claude',
  Researcher: 'gemini',
  Architect: 'claude',
  Designer: 'gemini',
  Planner: 'claude',
  Coder: 'claude',
  Reviewer: 'codex',
  QA: 'gemini',
  Security: 'codex',
  Integrator: 'gemini',
  Docs: 'gemini',
};

export const session: Workflow = {
  name: 'session',
  machine,
  controlFolder,
  watchedFolder: sessionFolder,
  configPaths: [configPath],
  roles: Object.fromEntries(roles.map((role) => [role, rulesOf(role)])),
  dispatching: async () => (await import('./brief.ts')).dispatching,
  checks: {
    open_session: openSession,
    check_intake: checkIntake,
    check_lean: checkLean,
    check_design: checkDesign,
    queue_correction: queueCorrection,
    verify_correction: verifyCorrection,
    check_plan: checkPlan,
    schedule,
    begin_task: beginTask,
    accept_task: acceptTask,
    accept_all: acceptAll,
    integrate,
    judge_criteria: judgeCriteria,
    finish,
    recheck,
  },
  questions: {},
  decisions: { ...askUser, design: designQuestion, strategy: strategyQuestion },
  settings: settingsOf,
  enter,
  stateFile,
  summarize,
  listed,
  nextIn,
  status,
  foreign,
  exportTo: ({ run, snapshot }) => (snapshot.state === 'done' ? `${sessionFolder(run)}/journal.jsonl` : null),
  undoWrites: () => [],
};

function rulesOf(role: Role): RoleRules {
  const writes = mayWrite[role];
  const judges = role === 'Reviewer' || role === 'QA' || role === 'Security';
  return {
    writesTree: writes !== null,
    // Also for who writes nothing: what one attempt wrote is not the next one's to approve.
    mayWrite: writes ?? [],
    ...(judges && { judges }),
    defaultAgent: usualAgents[role],
  };
}
