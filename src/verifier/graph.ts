/** Graph algorithms of the proofs. */

/**
 * By node: the number of its group, whose nodes can all reach one another; groups come before those that lead to them
 * (Tarjan, without recursion). Nodes are numbers; the steps of each are from `first[node]` on and below
 * `first[node + 1]`.
 */
export function groupsOf(first: Int32Array, to: Int32Array, isTaken: Uint8Array): Int32Array {
  const size = first.length - 1;
  const groupOf = new Int32Array(size);
  let groups = 0;
  const next = Int32Array.from(first);
  /** In the order of their visit, from 1 on; of those that were found already, it is above all. */
  const index = new Int32Array(size);
  const low = new Int32Array(size);
  const waiting: number[] = [];
  let visited = 0;
  for (let root = 0; root < size; root += 1) {
    const path = index[root] === 0 ? [root] : [];
    while (path.length > 0) {
      const node = path.at(-1) ?? 0;
      if (index[node] === 0) {
        visited += 1;
        index[node] = visited;
        low[node] = visited;
        waiting.push(node);
      }
      const step = next[node] ?? 0;
      if (step < (first[node + 1] ?? 0)) {
        const target = to[step] ?? 0;
        const isOpen = isTaken[step] === 1;
        if (isOpen && index[target] === 0) path.push(target);
        else {
          if (isOpen) low[node] = Math.min(low[node] ?? 0, low[target] ?? 0);
          next[node] = step + 1;
        }
        continue;
      }
      path.pop();
      if (low[node] !== index[node]) continue;
      for (let one = -1; one !== node;) {
        one = waiting.pop() ?? node;
        low[one] = size + 1;
        groupOf[one] = groups;
      }
      groups += 1;
    }
  }
  return groupOf;
}

/** A shortest path to a goal along the given steps; undefined when there is none. */
export function shortestPath<N, S extends { readonly to: N }>(
  from: N,
  isGoal: (node: N) => boolean,
  stepsFrom: (node: N) => readonly S[],
): S[] | undefined {
  const via = new Map<N, { readonly step: S; readonly before: N } | null>([[from, null]]);
  const open: N[] = [from];
  for (const node of open) {
    for (const step of stepsFrom(node)) {
      if (isGoal(step.to)) {
        const path = [step];
        for (let last = via.get(node); last; last = via.get(last.before)) path.push(last.step);
        return path.toReversed();
      }
      if (via.has(step.to)) continue;
      via.set(step.to, { step, before: node });
      open.push(step.to);
    }
  }
  return undefined;
}
