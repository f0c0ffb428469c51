/** `pawl`, `pawl status` and `pawl watch`: all runs at once. */

import type { ListedRun } from '../runs/catalog.ts';
import { overviewOf, type Overview } from '../runs/overview.ts';
import type { RunRepository } from '../runs/work-order.ts';
import type { CommandFunction } from './context.ts';
import { printLong, screenOf } from './show/screen.ts';
import { overviewLines, type Paper } from './show/overview-lines.ts';

/** Without a word, all runs; with one, that run, whatever its workflow. */
export const status: CommandFunction = async (given, context) => {
  const repository = context.repository();
  const [word] = given.words;
  if (word !== undefined) {
    const { showStatus } = await import('./status-command.ts');
    const [{ findAnyRun }, { accepted }] = await Promise.all([import('../runs/find.ts'), import('./problem.ts')]);
    return showStatus(repository, accepted(findAnyRun(repository, word)), given.flags);
  }
  const overview = await readOverview(repository);
  const screen = screenOf(process.stdout);
  const paper = { style: screen.style, columns: screen.columns() };
  const begin = context.workflows.bundled[0]?.begin ?? '';
  const text = (): string => shownLines(overview, begin, paper).join('\n');
  return printLong(given.flags, overviewDocument(overview), text, 2);
};

export async function readOverview(repository: RunRepository): Promise<Overview> {
  const { listRuns } = await import('../runs/catalog.ts');
  return overviewOf(await listRuns(repository));
}

export function shownLines(overview: Overview, begin: string, paper: Omit<Paper, 'nowMs'>): string[] {
  const { finished, ...groups } = overview;
  const isEmpty = finished === 0 && Object.values(groups).every((runs) => runs.length === 0);
  if (!isEmpty) return overviewLines(overview, { ...paper, nowMs: Date.now() });
  const { cyan } = paper.style;
  return [
    'There are no runs in this repository yet.',
    '',
    `  ${cyan(begin)}`,
    '      begin a change: agents plan it, challenge the plan and wait for you',
    `  ${cyan('pawl demo')}`,
    '      watch a whole change on a sample repository; no model is called',
    `  ${cyan('pawl init')}`,
    '      set up this repository and its coding agents',
    `  ${cyan('pawl --help')}`,
    '      all commands',
  ];
}

/** Its keys are a promise to scripts. */
function overviewDocument({ finished, ...groups }: Overview) {
  const shown = Object.entries(groups).map(([group, runs]) => [group, runs.map(runDocument)] as const);
  return { ...Object.fromEntries(shown), finished };
}

/** A run in lists of all workflows. */
export function runDocument(listed: ListedRun) {
  const { workflow, run, phase, outcome, updatedAt, owner, next, workspace, problem } = listed;
  const { finished, message, asks, doing, spent } = listed;
  const state = { workflow, run, phase, outcome, finished, message, updatedAt };
  return { ...state, owner, doing, decision: asks, usage: spent, next, workspace, problem };
}
