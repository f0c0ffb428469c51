/** The candidate a mistyped word most likely meant; undefined when none is close. The first of equals wins. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const folded = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of candidates) {
    const close = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3)) + 1;
    const limit = Math.min(bestDistance, close);
    const distance = editDistance(folded, candidate.toLowerCase(), limit);
    if (distance < limit) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** For the end of an error message; empty when no candidate is close. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const near = nearest(word, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours; `limit` where it is at least that. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return Math.min(last[b.length] ?? limit, limit);
}
