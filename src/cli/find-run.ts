/** The run a person means. Names are checked before any path is built from them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../schema/nearest.ts';
import { archiveFolder, isId } from '../workflows/change/paths.ts';
import type { Repository } from '../workspace/git.ts';
import { Problem } from './problem.ts';
import { namesIn } from './quick-reading.ts';
import { runFolder, runsFolder } from './run-folders.ts';

export interface FoundRun {
  readonly workflow: string;
  readonly run: string;
  readonly folder: string;
}

const WORKFLOW = /^[a-z][a-z0-9_-]{0,47}$/;
/** An id, that of a session with its date, or `<id>.<n>`: the journal of an archived run whose id was used again. */
const RUN = /^(?:\d{4}-\d\d-\d\d_[a-z0-9-]{1,64}|[a-z0-9][a-z0-9-]{0,63})(?:\.[1-9]\d{0,5})?$/;
const shownCharsMax = 80;

/** `word` is `<id>` or `<workflow>/<id>`; the date in a session's name can be left out. */
export function findRun(commonDir: string, word: string): FoundRun {
  const [first = '', second, ...more] = word.split('/');
  const run = second ?? first;
  if (more.length > 0 || !RUN.test(run) || (second !== undefined && !WORKFLOW.test(first))) throw invalid(word);
  const workflows = second === undefined ? workflowsIn(commonDir) : [first];
  const exact = runsNamed(commonDir, workflows, () => [run]);
  const undated = (workflow: string) =>
    workflow === 'session' ? runsIn(commonDir, workflow).filter((name) => name.endsWith(`_${run}`)) : [];
  const found = exact.length > 0 ? exact : runsNamed(commonDir, workflows, undated);
  const [only, other] = found;
  if (!only) throw notFound(commonDir, word, second === undefined ? undefined : first);
  if (!other) return only;
  const names = found.map((each) => `${each.workflow}/${each.run}`);
  throw new Problem('ambiguous_run', `"${word}" is the name of several runs: ${names.join(', ')}`, {
    fix: `say which one, for example ${names[0]}`,
  });
}

function runsNamed(
  commonDir: string,
  workflows: readonly string[],
  namesOf: (workflow: string) => readonly string[],
): FoundRun[] {
  const runs = workflows.flatMap((workflow) => namesOf(workflow).map((run) => ({ workflow, run })));
  return runs
    .map(({ workflow, run }) => ({ workflow, run, folder: runFolder(commonDir, workflow, run) }))
    .filter(({ folder }) => existsSync(join(folder, 'journal.jsonl')));
}

/** The same for those who only read: in a fresh clone the journal of an archived change is beside its documents. */
export function findJournal({ root, commonDir }: Repository, word: string): FoundRun {
  try {
    return findRun(commonDir, word);
  } catch (error) {
    const run = word.startsWith('change/') ? word.slice('change/'.length) : word;
    const folder = isId(run) ? exportedJournal(root, run) : null;
    if (!(error instanceof Problem) || error.diagnostic.code !== 'RunNotFound' || folder === null) throw error;
    return { workflow: 'change', run, folder };
  }
}

/** The folder of an archived change that has its journal with it; null when there is none. */
export function exportedJournal(root: string, name: string): string | null {
  const folder = join(root, archiveFolder(name));
  return existsSync(join(folder, 'journal.jsonl')) ? folder : null;
}

/** Names of the workflows that have runs here. */
export function workflowsIn(commonDir: string): string[] {
  return namesIn(join(commonDir, 'pawl')).filter((name) => WORKFLOW.test(name));
}

/** Names of a workflow's runs, those set aside included. */
export function runsIn(commonDir: string, workflow: string): string[] {
  return namesIn(runsFolder(commonDir, workflow)).filter((name) => RUN.test(name));
}

function invalid(word: string): Problem {
  const shown = JSON.stringify(word.length > shownCharsMax ? `${word.slice(0, shownCharsMax)}…` : word);
  return new Problem('invalid_run', `${shown} cannot name a run`, {
    fix: 'use <id> or <workflow>/<id>; pawl runs lists them',
  });
}

function notFound(commonDir: string, word: string, workflow: string | undefined): Problem {
  const known = workflowsIn(commonDir).flatMap((name) => {
    const runs = runsIn(commonDir, name);
    return workflow === undefined ? runs : runs.map((run) => `${name}/${run}`);
  });
  const near = nearest(word, known);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return new Problem('RunNotFound', `there is no run "${word}" in this repository${hint}`, {
    fix: 'pawl runs lists them',
  });
}
