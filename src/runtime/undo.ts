/**
 * Takes back what a run did to the work tree.
 *
 * N1. Only files that the run's dispatches changed and nobody else did are put back; of the others, those that
 *     a dispatch changed too are left and named.
 *     A file that is again as the run found it, or as a dispatch left it, was brought back: nobody else's work is in it.
 * N2. The files are put back, durably, before the run moves, so an undo that was cut off can be repeated.
 */

import type { JournalRecord } from '../store/record.ts';
import type { TreeHistory } from './host.ts';
import type { Run } from './run.ts';
import { projectOrWarn } from './state-writing.ts';

export interface UndoResult {
  readonly restored: readonly string[];
  /** Changed by somebody beside the run: left as they are. */
  readonly left: readonly string[];
}

export async function undoRun(run: Run): Promise<UndoResult> {
  const { restored, left, from, now } = await examine(run);
  if (from !== null) await run.tree.restore(now, from, { paths: restored });
  run.sync(restored);
  run.move(
    { name: 'undo', data: { undone: restored } },
    { by: { who: run.host.user, how: 'command' }, writes: run.workflow.undoWrites(run.view()) },
  );
  projectOrWarn(run);
  return { restored, left };
}

async function examine(run: Run): Promise<UndoResult & { readonly from: string | null; readonly now: string }> {
  const now = await run.tree.snapshot();
  const { own, others, from } = await attributionUntil(run, now);
  // A file that is as it was before the run needs nothing: perhaps an undo that was cut off put it back.
  const different = await note(run.tree, new Set(), from ?? now, now);
  const { unjudged } = run;
  const isJudged = (path: string): boolean => !unjudged.some((one) => path === one || path.startsWith(`${one}/`));
  const done = [...own].filter((path) => isJudged(path) && different.has(path)).toSorted();
  const restored = done.filter((path) => !others.has(path));
  return { restored, left: done.filter((path) => others.has(path)), from, now };
}

/** The same with what others changed since the last dispatch. */
export async function attributionUntil(run: Run, now: string) {
  const { own, others, from, last, known } = await attribution(run.tree, run.records);
  await noteOthers(run.tree, others, known, [last ?? now, now]);
  return { own, others, from };
}

type Trees = Pick<TreeHistory, 'changed'>;

async function note(trees: Trees, paths: Set<string>, before: string, after: string): Promise<Set<string>> {
  if (before !== after) for (const { path } of await trees.changed(before, after)) paths.add(path);
  return paths;
}

/** Who changed which files since the last undo: the run's dispatches, or others between them. */
export async function attribution(trees: Trees, records: readonly JournalRecord[]) {
  const own = new Set<string>();
  const others = new Set<string>();
  const dispatches = dispatchTrees(records);
  const from = dispatches[0]?.before ?? null;
  /** Trees that the run found first, or made. */
  const known = from === null ? [] : [from];
  let last: string | null = null;
  for (const { before, after } of dispatches) {
    await noteOthers(trees, others, known, [last ?? before, before]);
    await note(trees, own, before, after);
    last = after;
    known.push(after);
  }
  return { own, others, from, last, known };
}

/** N1. */
async function noteOthers(
  trees: Trees,
  paths: Set<string>,
  known: readonly string[],
  [before, after]: readonly [string, string],
): Promise<void> {
  let theirs = [...(await note(trees, new Set(), before, after))];
  for (const tree of new Set(known)) {
    if (theirs.length === 0) return;
    const different = await note(trees, new Set(), tree, after);
    theirs = theirs.filter((path) => different.has(path));
  }
  for (const path of theirs) paths.add(path);
}

/** The work tree before and after each dispatch since the last undo. */
function dispatchTrees(records: readonly JournalRecord[]): { readonly before: string; readonly after: string }[] {
  const trees = [];
  let before: string | null = null;
  for (const record of records) {
    if (record.type === 'dispatch.started') before = record.tree;
    if (record.type === 'dispatch.abandoned' && record.tree !== undefined && before !== null)
      trees.push({ before, after: record.tree });
    if (record.type !== 'moved') continue;
    if (record.signal === 'undo') trees.length = 0;
    if (record.dispatch && before !== null) trees.push({ before, after: record.dispatch.tree });
  }
  return trees;
}
