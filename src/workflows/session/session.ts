/** The `session` workflow: a machine, and everything the runtime needs around it. */

import { defineWorkflow } from '../define-workflow.ts';
import { configPaths } from '../workflow-config.ts';
import type { Role as RoleRules } from '../workflow.ts';
import { askUser } from './ask-user.ts';
import { checks } from './checks.ts';
import { commandsQuestion } from './commands.ts';
import { finish, integrate, judgeCriteria } from './closing.ts';
import { isLean, placesOf } from './documents.ts';
import { settingsOf } from './config.ts';
import { controlFolder, sessionFolder } from './files/session-paths.ts';
import { designQuestion } from './gates.ts';
import { strategyQuestion } from './strategy.ts';
import { enter } from './intents.ts';
import { data } from './run-data.ts';
import { machine } from './transition-table.ts';
import { stateFile } from './state-file.ts';
import { foreign, listed, nextIn, status } from './session-status.ts';
import { words } from './summary.ts';
import { judges, mayWrite, roles, type Role } from './session-words.ts';

export const session = defineWorkflow({
  name: 'session',
  machine,
  controlFolder,
  watchedFolder: sessionFolder,
  // A lean session that grows stops at a gate before it loads more tasks.
  itemsMost: (snapshot) => (isLean(snapshot) ? { tasks: 1 } : {}),
  documentsOf: placesOf,
  configPaths,
  roles: Object.fromEntries(roles.map((role) => [role, rulesOf(role)])),
  dispatching: async () => (await import('./brief.ts')).dispatching,
  checks: { ...checks, integrate, judge_criteria: judgeCriteria, finish },
  questions: {},
  decisions: { ...askUser, design: designQuestion, strategy: strategyQuestion, commands: commandsQuestion },
  settings: settingsOf,
  enter,
  stateFile,
  words,
  listed,
  nextIn,
  status,
  foreign,
  subject: ({ snapshot }) => data.goal.of(snapshot),
  journalPath: ({ run }) => `${sessionFolder(run)}/journal.jsonl`,
});

/** One vendor makes, others judge. */
function rulesOf(role: Role): RoleRules {
  const isMaker = ['SpecAgent', 'Architect', 'Planner', 'Coder'].includes(role);
  return {
    mayWrite: mayWrite[role] ?? [],
    ...(judges.includes(role) && { judges: true }),
    defaultAgent: isMaker ? 'claude' : role === 'Reviewer' || role === 'Security' ? 'codex' : 'gemini',
  };
}
