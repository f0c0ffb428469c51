/** What the proofs need of graph theory. */

/**
 * The groups of nodes that can all reach one another, each before the groups that lead to it (Tarjan, without
 * recursion). Edges to other nodes than those given do not count.
 */
export function components<N>(nodes: readonly N[], next: (node: N) => readonly N[]): N[][] {
  const places = new Map(nodes.map((node, place) => [node, place]));
  const index = new Int32Array(nodes.length).fill(-1);
  const low = new Int32Array(nodes.length);
  const isWaiting = new Uint8Array(nodes.length);
  const waiting: number[] = [];
  const found: N[][] = [];
  let entered = 0;

  const enter = (place: number): { place: number; ways: readonly number[]; way: number } => {
    index[place] = low[place] = entered;
    entered += 1;
    waiting.push(place);
    isWaiting[place] = 1;
    return { place, ways: next(nodes[place] as N).flatMap((node) => places.get(node) ?? []), way: 0 };
  };
  const lower = (place: number, to = 0): void => void (low[place] = Math.min(low[place] ?? 0, to));

  for (const root of nodes.keys()) {
    if (index[root] !== -1) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const way = top.ways[top.way];
      top.way += 1;
      if (way !== undefined) {
        if (index[way] === -1) path.push(enter(way));
        else if (isWaiting[way] === 1) lower(top.place, index[way]);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) lower(above.place, low[top.place]);
      if (low[top.place] !== index[top.place]) continue;
      const group = waiting.splice(waiting.lastIndexOf(top.place));
      for (const place of group) isWaiting[place] = 0;
      found.push(group.map((place) => nodes[place] as N));
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
