/** What the commands of a session need before they become signals; mistakes are named and change nothing. */

import type { Json } from '../../engine/snapshot.ts';
import type { Signal } from '../../engine/transition.ts';
import type { RunView, UsageProblem } from '../workflow.ts';
import { projectTypes } from './files/checklists.ts';

export function enter(command: string, args: Readonly<Record<string, Json>>, view: RunView): Signal | UsageProblem {
  const problem = problemWith(command, args, view);
  if (problem) return problem;
  const begins = command === 'start' || command === 'start_lean';
  return {
    name: command,
    ...(begins && { data: { goal: args['goal'] ?? '', projectType: args['projectType'] ?? 'mixed' } }),
  };
}

function problemWith(command: string, args: Readonly<Record<string, Json>>, view: RunView): UsageProblem | null {
  const { state } = view.snapshot;
  if (state === 'new' && command !== 'start' && command !== 'start_lean')
    return {
      code: 'SessionNotFound',
      message: `there is no session "${view.run}"`,
      fix: 'pawl session list shows those there are; pawl session start "<goal>" begins one',
    };
  if (state !== 'new' || command === 'retry') return null;
  const { goal, projectType } = args;
  if (typeof goal !== 'string' || goal.trim() === '')
    return { code: 'GoalMissing', message: 'a session needs a goal', fix: 'pawl session start "<goal>"' };
  if (projectType !== undefined && !projectTypes.some((type) => type === projectType))
    return {
      code: 'UsageError',
      message: `there is no project type ${JSON.stringify(projectType)}`,
      fix: `--project-type takes one of ${projectTypes.join(', ')}`,
    };
  return null;
}
