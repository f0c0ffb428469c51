/** What the proofs need of graph theory. */

/**
 * The groups of nodes that can all reach one another, each before the groups that lead to it.
 * Edges to other nodes than those given do not count.
 */
export function components<N>(nodes: readonly N[], next: (node: N) => readonly N[]): N[][] {
  const places = new Map(nodes.map((node, place) => [node, place]));
  const first: number[] = [0];
  const to: number[] = [];
  for (const node of nodes) {
    for (const other of next(node)) {
      const place = places.get(other);
      if (place !== undefined) to.push(place);
    }
    first.push(to.length);
  }
  return groupsOf(first, to).map((group) => group.map((place) => nodes[place] as N));
}

/** Nodes are numbers; the edges of each are from `first[node]` on and below `first[node + 1]` (Tarjan, without recursion). */
export function groupsOf(first: readonly number[], to: readonly number[]): number[][] {
  const size = first.length - 1;
  const found: number[][] = [];
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
      const edge = next[node] ?? 0;
      if (edge < (first[node + 1] ?? 0)) {
        const target = to[edge] ?? 0;
        if (index[target] === 0) path.push(target);
        else {
          low[node] = Math.min(low[node] ?? 0, low[target] ?? 0);
          next[node] = edge + 1;
        }
        continue;
      }
      path.pop();
      if (low[node] !== index[node]) continue;
      const group = waiting.splice(waiting.lastIndexOf(node));
      for (const one of group) low[one] = size + 1;
      found.push(group);
    }
  }
  return found;
}

/** A shortest way between two nodes along the given edges; undefined when there is none. */
export function shortestWay<N, E>(
  from: N,
  isGoal: (node: N) => boolean,
  edges: (node: N) => readonly E[],
  target: (edge: E) => N,
): E[] | undefined {
  const via = new Map<N, { edge: E; before: N } | null>([[from, null]]);
  const open: N[] = [from];
  for (const node of open) {
    for (const edge of edges(node)) {
      const to = target(edge);
      if (isGoal(to)) return [...wayTo(via, node), edge];
      if (via.has(to)) continue;
      via.set(to, { edge, before: node });
      open.push(to);
    }
  }
  return undefined;
}

function wayTo<N, E>(via: ReadonlyMap<N, { edge: E; before: N } | null>, node: N): E[] {
  const way: E[] = [];
  for (let step = via.get(node); step; step = via.get(step.before)) way.push(step.edge);
  return way.toReversed();
}
