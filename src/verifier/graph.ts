/** What the proofs need of graph theory. */

/** The groups of nodes that can all reach one another, each before the groups that lead to it (Tarjan, without recursion). */
export function components<N>(nodes: readonly N[], next: (node: N) => readonly N[]): N[][] {
  const index = new Map<N, number>();
  const low = new Map<N, number>();
  const waiting: N[] = [];
  const onStack = new Set<N>();
  const found: N[][] = [];

  const enter = (node: N): { node: N; ways: Iterator<N> } => {
    index.set(node, index.size);
    low.set(node, index.size - 1);
    waiting.push(node);
    onStack.add(node);
    return { node, ways: next(node)[Symbol.iterator]() };
  };
  const lower = (node: N, to: number): void => void low.set(node, Math.min(low.get(node) ?? to, to));

  for (const root of nodes) {
    if (index.has(root)) continue;
    const path = [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const way = top.ways.next();
      if (way.done !== true) {
        if (!index.has(way.value)) path.push(enter(way.value));
        else if (onStack.has(way.value)) lower(top.node, index.get(way.value) ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) lower(above.node, low.get(top.node) ?? 0);
      if (low.get(top.node) === index.get(top.node)) {
        found.push(takeDownTo(waiting, top.node));
        for (const node of found.at(-1) ?? []) onStack.delete(node);
      }
    }
  }
  return found;
}

/** From the end, for the start of a long stack has nothing to do with it. */
function takeDownTo<N>(stack: N[], last: N): N[] {
  return stack.splice(stack.lastIndexOf(last));
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
