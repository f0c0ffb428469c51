/**
 * Joins two edits of one text, line by line.
 *
 * M1. Edits of different lines fit together, also where the lines are neighbours: each line is a statement of its own.
 * M2. Lines that both insert in one place are all kept, ours first; the same lines only once.
 * M3. Edits of one line that differ do not fit.
 */

import { lineEdits } from './line-diff.ts';

/** Lines from `from` to before `to` are replaced; an insertion replaces none. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly lines: readonly string[];
}

/** Null where they do not fit together. */
export function mergeLines(base: string, ours: string, theirs: string): string | null {
  const mine = editsBetween(base, ours);
  const others = editsBetween(base, theirs).filter((edit) => !mine.some((each) => isSame(each, edit)));
  if (mine.some((one) => others.some((other) => isInTheWay(one, other)))) return null;
  const lines = base.split('\n');
  const merged: string[] = [];
  let at = 0;
  for (const { from, to, lines: added } of [...mine, ...others].toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    merged.push(...lines.slice(at, from), ...added);
    at = to;
  }
  return [...merged, ...lines.slice(at)].join('\n');
}

function isSame(a: Edit, b: Edit): boolean {
  return a.from === b.from && a.to === b.to && a.lines.join('\n') === b.lines.join('\n');
}

/** M1, M3: both replace a line, or one inserts in the middle of what the other replaces. */
function isInTheWay(a: Edit, b: Edit): boolean {
  return Math.max(a.from, b.from) < Math.min(a.to, b.to) || isInside(a, b) || isInside(b, a);
}

function isInside(insertion: Edit, { from, to }: Edit): boolean {
  return insertion.from === insertion.to && from < insertion.from && insertion.from < to;
}

/** A run of lines of which each is replaced by one is as many edits. */
function editsBetween(before: string, after: string): readonly Edit[] {
  const edits: Edit[] = [];
  let at = 0;
  let removed: string[] = [];
  let added: string[] = [];
  const close = (): void => {
    const from = at - removed.length;
    if (removed.length > 0 && removed.length === added.length)
      edits.push(...added.map((line, index) => ({ from: from + index, to: from + index + 1, lines: [line] })));
    else if (removed.length + added.length > 0) edits.push({ from, to: at, lines: added });
    [removed, added] = [[], []];
  };
  for (const edit of lineEdits(before.split('\n'), after.split('\n'))) {
    const line = edit.slice(1);
    if (edit.startsWith(' ')) close();
    if (edit.startsWith('-')) removed.push(line);
    if (edit.startsWith('+')) added.push(line);
    else at += 1;
  }
  close();
  return edits;
}
