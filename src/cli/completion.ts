/**
 * Completion of command lines, for shells.
 *
 * K1. Nothing of the repository is run: of its own workflows only the names, and what notes say of their runs, are known.
 * K2. Only words that a shell takes as they are are offered, whatever a run or a decision is called.
 */

import { openRunNames } from '../runs/catalog.ts';
import { findRun } from '../runs/find.ts';
import { isRefusal } from '../runs/refusal.ts';
import type { RunRepository } from '../runs/work-order.ts';
import { agentNames } from './agents.ts';
import { commands, type Command } from './command-table.ts';
import { completionScripts as scripts } from './completion-scripts.ts';
import { repositoryIfAny, type CommandFunction } from './context.ts';
import { commonFlags } from './options.ts';
import { usageError } from './problem.ts';
import { print, screenOf } from './show/screen.ts';

/** Prints the script of a shell. */
export const completion: CommandFunction = ({ words: [shell = ''], flags }) => {
  const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (script === undefined) throw usageError(`there is no completion for "${shell}"`, 'pawl completion bash');
  return Promise.resolve(print(flags, { shell, script }, script.trimEnd()));
};

/** What the scripts call: the words behind `pawl __complete` are those typed so far, the last one unfinished. */
export const complete: CommandFunction = async (_, context) => {
  const typed = process.argv.slice(3);
  const found = await candidates(typed, commands('pawl', context.workflows.bundled), repositoryIfAny(context));
  const fitting = found.filter((each) => each.startsWith(typed.at(-1) ?? '') && /^[\w.@/+=:,-]+$/.test(each));
  screenOf(process.stdout).write([...new Set(fitting)].map((each) => `${each}\n`).join(''));
  return 0;
};

async function candidates(
  typed: readonly string[],
  known: readonly Command[],
  repository: RunRepository | null,
): Promise<readonly string[]> {
  const current = typed.at(-1) ?? '';
  const before = typed.slice(0, -1);
  const told = known.filter(({ spec }) => spec.about !== '');
  const command = told
    .filter(({ path }) => path.every((word, at) => before[at] === word))
    .toSorted((left, right) => right.path.length - left.path.length)[0];
  if (!command) {
    const next = told.filter(({ path }) => before.every((word, at) => path[at] === word));
    return [...next.map(({ path }) => path[before.length] ?? ''), ...(before.length === 0 ? ['help', 'version'] : [])];
  }
  const { spec, path, group } = command;
  const flags = { ...spec.flags, ...commonFlags };
  const flagOf = (word: string | undefined) => flags[word?.replace(/^--/, '') ?? ''];
  const asked = before.at(-1)?.startsWith('--') ? flagOf(before.at(-1))?.value : undefined;
  if (asked !== undefined) return valuesOf(before.at(-1) ?? '', asked, repository);
  if (current.startsWith('-')) return Object.keys(flags).map((name) => `--${name}`);
  const words = before.slice(path.length).filter((word, at, all) => {
    const isValue = all[at - 1]?.startsWith('--') && flagOf(all[at - 1])?.value !== undefined;
    return !word.startsWith('-') && !isValue;
  });
  const wanted = (spec.words[words.length] ?? spec.words.at(-1) ?? '').replace(/(?:\.{3})?\??$/, '');
  return wordsFor(wanted, { group, words, repository });
}

function valuesOf(flag: string, value: string, repository: RunRepository | null): readonly string[] {
  if (flag === '--agent') return agentNames;
  if (flag === '--workflow') return repository?.workflows.bundled.map(({ name }) => name) ?? [];
  return /[<…]/.test(value) ? [] : value.split('|');
}

interface Place {
  readonly group: string;
  readonly words: readonly string[];
  readonly repository: RunRepository | null;
}

async function wordsFor(wanted: string, { group, words, repository }: Place): Promise<readonly string[]> {
  if (wanted === 'shell') return Object.keys(scripts);
  if (!repository) return [];
  const workflows = repository.workflows.bundled.map(({ name }) => name);
  if (wanted === 'workflow') return workflows;
  if (wanted === 'decision' || wanted === 'answer') return decisionWords(repository, words);
  const ofWorkflow = workflows.includes(group);
  // The first word of a workflow's verb names one of its runs, whatever it calls them.
  if (!['run', 'workflow-or-run'].includes(wanted) && !(ofWorkflow && words.length === 0)) return [];
  const runs = openRunNames(repository, ofWorkflow ? group : undefined);
  return wanted === 'workflow-or-run' ? [...workflows, ...runs] : runs;
}

/** Of a run that is asked: ids of its decisions, or the answers to one of them. */
async function decisionWords(repository: RunRepository, [run = '', id]: readonly string[]): Promise<readonly string[]> {
  const key = findRun(repository, run);
  // K1: the questions of a project's own workflow are code.
  if (isRefusal(key) || !repository.workflows.bundled.some(({ name }) => name === key.workflow)) return [];
  const { waitingDecisions } = await import('../runs/open-decisions.ts');
  const { decisions } = await waitingDecisions(repository, key);
  const answers = decisions
    .filter(({ decision }) => decision.id === id)
    .flatMap(({ decision }) => Object.keys(decision.answers));
  return id === undefined ? decisions.map(({ decision }) => decision.id) : answers;
}
