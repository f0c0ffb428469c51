/** `resume` and `retry`: going on with a run, as it was or differently. */

import { findRepository, type Repository } from '../workspace/git.ts';
import type { CommandFunction } from './commands.ts';
import { findRun, type FoundRun } from './find-run.ts';
import { undelivered } from '../runs/first-command.ts';
import type { Given } from './options.ts';
import { Problem } from './problem.ts';
import { workOn, type Work } from './work-on.ts';
import { loadWorkflow } from './workflows.ts';
import { stateIn } from './run-folders.ts';

export const resume: CommandFunction = (given) => {
  const { budget } = given.flags;
  return goOn(given, typeof budget === 'string' ? { raised: raisedBudgets(budget) } : {});
};

export const retry: CommandFunction = (given) => {
  const { hint } = given.flags;
  return goOn(given, typeof hint === 'string' ? { hint } : {});
};

async function goOn(given: Given, more: Pick<Work, 'raised' | 'hint'>): Promise<number> {
  const repository = findRepository(process.cwd());
  return goOnWith(repository, findRun(repository.commonDir, given.words[0] ?? ''), { given, ...more });
}

/** An interrupted command is continued; a stopped one repeats the step it stopped at; one never delivered is delivered. */
export async function goOnWith(
  { root, commonDir }: Repository,
  { workflow: name, run, folder }: FoundRun,
  { given, ...more }: Pick<Work, 'given' | 'raised' | 'hint'>,
): Promise<number> {
  const workflow = await loadWorkflow(name);
  const first = undelivered(stateIn(folder), workflow.machine.initial);
  return workOn({
    workflow,
    run,
    workspace: root,
    commonDir,
    command: first?.command ?? 'retry',
    args: first?.args ?? {},
    given: { ...given, flags: { ...first?.flags, ...given.flags } },
    ...more,
  });
}

const budgetNames: Readonly<Record<string, { key: string; factor: number }>> = {
  dispatches: { key: 'dispatches', factor: 1 },
  tokens: { key: 'tokens', factor: 1 },
  cost: { key: 'costUsd', factor: 1 },
  hours: { key: 'wallMs', factor: 3_600_000 },
};

/** `dispatches=100,cost=80` → the run's new limits. */
function raisedBudgets(text: string): Record<string, number> {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', number = ''] = part.split('=').map((word) => word.trim());
      const budget = Object.hasOwn(budgetNames, name) ? budgetNames[name] : undefined;
      const value = Number(number);
      if (!budget || number === '' || !Number.isFinite(value) || value < 0) {
        throw new Problem('usage', `--budget does not understand "${part}"`, {
          fix: `use <name>=<number> with ${Object.keys(budgetNames).join(', ')}, for example --budget dispatches=100,cost=80`,
        });
      }
      return [budget.key, value * budget.factor];
    }),
  );
}
