/**
 * Takes back what a run did to the work tree.
 *
 * N1. Only files that the run's dispatches changed and nobody else did are put back; of the others, those that
 *     a dispatch changed too are left and named.
 * N2. The files are put back, durably, before the run moves, so an undo that was cut off can be repeated.
 */

import type { JournalRecord } from '../store/record.ts';
import type { Run } from './run.ts';
import { projectOrWarn } from './state-writing.ts';

export interface Undone {
  readonly restored: readonly string[];
  /** Changed by somebody beside the run: left as they are. */
  readonly left: readonly string[];
}

export async function undoRun(run: Run): Promise<Undone> {
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

/** What would be put back, and from which tree. */
async function examine(run: Run): Promise<Undone & { readonly from: string | null; readonly now: string }> {
  const now = await run.tree.snapshot();
  const own = new Set<string>();
  const others = new Set<string>();
  const note = async (paths: Set<string>, from: string, to: string): Promise<void> => {
    if (from !== to) for (const { path } of await run.tree.changed(from, to)) paths.add(path);
  };
  const spans = dispatchSpans(run.records);
  const from = spans[0]?.from ?? null;
  let last = from ?? now;
  for (const span of spans) {
    await note(others, last, span.from);
    await note(own, span.from, span.to);
    last = span.to;
  }
  await note(others, last, now);
  // A file that is as it was before the run needs nothing: perhaps an undo that was cut off put it back.
  const different = new Set<string>();
  await note(different, from ?? now, now);
  const { unjudged } = run;
  const isJudged = (path: string): boolean => !unjudged.some((one) => path === one || path.startsWith(`${one}/`));
  const done = [...own].filter((path) => isJudged(path) && different.has(path)).toSorted();
  return {
    restored: done.filter((path) => !others.has(path)),
    left: done.filter((path) => others.has(path)),
    from,
    now,
  };
}

interface Span {
  readonly from: string;
  readonly to: string;
}

/** The work tree before and after each dispatch since the last undo; one that was cut off left nothing. */
function dispatchSpans(records: readonly JournalRecord[]): Span[] {
  let spans: Span[] = [];
  let from: string | null = null;
  for (const record of records) {
    if (record.type === 'dispatch.started') from = record.tree;
    if (record.type !== 'moved') continue;
    if (record.signal === 'undo') spans = [];
    if (record.dispatch && from !== null) spans.push({ from, to: record.dispatch.tree });
  }
  return spans;
}
