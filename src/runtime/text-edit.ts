/** The one stretch in which two texts differ. */

import type { TextEdit } from '../store/record.ts';

export function editBetween(before: string, after: string): TextEdit {
  const shared = Math.min(before.length, after.length);
  const at = alike(shared, (from, to) => before.slice(from, to) === after.slice(from, to));
  const end = alike(
    shared - at,
    (from, to) =>
      before.slice(before.length - to, before.length - from) === after.slice(after.length - to, after.length - from),
  );
  return { at, removed: before.length - end - at, inserted: after.slice(at, after.length - end) };
}

const blockChars = 4_096;

/** How far two texts are alike; block by block, for comparing strings is much faster than comparing characters. */
function alike(length: number, isAlike: (from: number, to: number) => boolean): number {
  let found = 0;
  for (let step = blockChars; step >= 1; step = Math.floor(step / 2)) {
    while (found + step <= length && isAlike(found, found + step)) found += step;
  }
  return found;
}

export function applyEdit(text: string, { at, removed, inserted }: TextEdit): string {
  return text.slice(0, at) + inserted + text.slice(at + removed);
}
