/** What becomes of several runs: a line for each step while they work, and in the end what was done, and what was not. */

import { relative } from 'node:path';
import { shellWord } from '../../documents/shell-word.ts';
import type { BatchEntry, BatchReport } from '../../runs/batch.ts';
import type { CommandInput } from '../../workflows/surface.ts';
import type { Gathering } from '../../workspace/gathering.ts';
import type { Spent } from '../../runtime/spending.ts';
import { agentCalls, duration, money } from './figures.ts';
import { print, screenOf } from './screen.ts';
import { alignedWithin, plainLine } from './text.ts';

export function sayProgress(run: string, words: string): void {
  screenOf(process.stderr).write(`${plainLine(run)}  ${plainLine(words)}\n`);
}

interface ShownBatch extends BatchReport {
  readonly left: readonly { readonly run: string; readonly why: string }[];
  /** Of files, in words. */
  readonly problems: readonly string[];
  readonly gathering: Pick<Gathering, 'branch' | 'folder'>;
  readonly worktreeOf: (run: string) => string | null;
  readonly spentBy: (run: string) => Spent | null;
}

const reasons = {
  interrupted: 'interrupted',
  over_budget: 'the budget is spent',
  unavailable: 'an agent is not available',
  limit: 'as many runs were made as --limit allows',
};

export function showBatch(batch: ShownBatch, flags: CommandInput['flags']): void {
  const { entries, stopped, left, problems, gathering, worktreeOf, spentBy } = batch;
  const runs = entries.map((entry) => ({ ...entry, worktree: worktreeOf(entry.run), spent: spentBy(entry.run) }));
  const { branch, folder } = gathering;
  const document = { action: 'batch', branch, worktree: folder, stopped, runs, left, problems };
  print(flags, document, () => batchText(batch, screenOf(process.stdout).columns()));
}

export function batchText(batch: ShownBatch, columns: number): string {
  const { entries, stopped, left, problems, gathering, worktreeOf, spentBy } = batch;
  const place = (path: string): string => shellWord(relative(process.cwd(), path) || '.');
  const words = ({ run, result, message, apart }: BatchEntry): string => {
    const worktree = worktreeOf(run);
    if (result === 'done') return apart ?? '';
    return plainLine(`${message}${worktree === null ? '' : ` (in ${place(worktree)})`}`);
  };
  const rows = [
    ...entries.map((entry) => [entry.run, entry.result, costIn(spentBy(entry.run)), words(entry)]),
    ...left.map(({ run, why }) => [run, 'left', '', why]),
  ];
  const isDone = entries.some(({ result, apart }) => result === 'done' && apart === null);
  const { branch, folder } = gathering;
  return [
    ...(entries.length === 0 ? ['nothing can be begun now'] : []),
    ...alignedWithin(rows, columns).map((line) => line.trimEnd()),
    ...(entries.length > 0 ? ['', totals(entries, spentBy)] : []),
    ...problems.map((problem) => `problem: ${plainLine(problem)}`),
    ...(stopped === null ? [] : [`stopped: ${reasons[stopped]}; run the same command to continue`]),
    ...(isDone ? ['', `The work is on the branch ${branch}, in ${place(folder)}:`, `  git merge ${branch}`] : []),
  ].join('\n');
}

/** Unknown is said, never shown as zero. */
function costIn(spent: Pick<Spent, 'costUsd' | 'unknownCost'> | null): string {
  if (spent === null) return '';
  if (spent.unknownCost === 0) return money(spent.costUsd);
  return spent.costUsd === 0 ? 'cost unknown' : `${money(spent.costUsd)} or more`;
}

function totals(entries: readonly BatchEntry[], spentBy: ShownBatch['spentBy']): string {
  const results = (['done', 'failed', 'stopped'] as const)
    .map((result) => [entries.filter((entry) => entry.result === result).length, result] as const)
    .filter(([number]) => number > 0)
    .map(([number, result]) => `${number} ${result}`);
  const all = entries.flatMap(({ run }) => spentBy(run) ?? []);
  const sum = (key: keyof Spent): number => all.reduce((total, spent) => total + spent[key], 0);
  const cost = costIn({ costUsd: sum('costUsd'), unknownCost: sum('unknownCost') });
  return [results.join(', '), agentCalls(sum('dispatches')), cost, duration(sum('wallMs'))].join(' · ');
}
