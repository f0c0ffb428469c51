/**
 * The lengths of the paths of a space at any limits of its symbolic budgets.
 *
 * Counting four budgets of three each exactly multiplies every explored state by 256. Attempts add up instead: one more
 * of a kind adds the same round again. So all are measured at one (those that are none at none), because the first
 * attempt of one kind may open a path on which others are renewed, and each alone at two. Where there is little to
 * count, it is counted.
 */

import { itemsMax } from './edges.ts';
import { fitFormulas } from './formula.ts';
import { longestPaths, type LongestPaths, type Weighing } from './longest-paths.ts';
import { pathGraph } from './path-graph.ts';
import type { Space } from './space.ts';
import type { TraceStep } from './trace.ts';

const nodesMax = 100_000;

/** `counts`: as `longestPaths` takes them. Undefined when there are no longest paths. */
export function pathLengths(space: Space, counts: readonly number[]) {
  const { machine, symbolic, states } = space;
  const graph = pathGraph(space);
  const most = symbolic.map((_, at) => Math.max(counts[at] ?? 0, counts[counts.length - symbolic.length + at] ?? 0));
  const isFew = most.reduce((product, count) => product * (count + 1), states.length) <= nodesMax;
  const terms: { readonly factor: number; readonly paths: LongestPaths }[] = [];
  for (const { factor, counts: own } of isFew ? [{ factor: 1, counts }] : linearTerms(counts)) {
    const paths = longestPaths(graph, own);
    if (!paths) return undefined;
    terms.push({ factor, paths });
  }
  const longest = (weighing: Weighing): ((label: string) => number) => {
    const measured = terms.map(({ factor, paths }) => ({ factor, longest: paths.longest(weighing) }));
    return (label) => measured.reduce((sum, term) => sum + term.factor * (term.longest.get(label) ?? 0), 0);
  };
  let pathAfter: ((label: string) => readonly TraceStep[]) | undefined;
  return {
    /** By label, for a role's weight. */
    formulas: (faults: boolean, weigh: (role: string) => number = () => 1) =>
      fitFormulas(machine.lists, itemsMax, (sizes) => longest({ weigh, faults, sizes })),
    /** A longest path, with one item in each list and at most one attempt of each kind for it. */
    path: (label: string): readonly TraceStep[] => {
      const sizes = Object.fromEntries(machine.lists.map((list) => [list, 1]));
      const ones = (): LongestPaths | undefined => (isFew ? longestPaths(graph, atMostOne(counts)) : terms[0]?.paths);
      pathAfter ??= ones()?.path({ weigh: () => 1, faults: false, sizes });
      return pathAfter?.(label) ?? [];
    },
  };
}

/** The sum of these measures, each so many times, is the measure at the counts. */
export function linearTerms(counts: readonly number[]) {
  const ones = atMostOne(counts);
  const twos = counts.flatMap((count, at) => (count > 1 ? [{ factor: count - 1, counts: ones.with(at, 2) }] : []));
  return [{ factor: 1 - twos.reduce((sum, { factor }) => sum + factor, 0), counts: ones }, ...twos];
}

function atMostOne(counts: readonly number[]): readonly number[] {
  return counts.map((count) => Math.min(count, 1));
}
