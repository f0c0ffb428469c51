/** In which order things are done that depend on each other. */

export interface Node {
  readonly id: string;
  readonly depends: readonly string[];
}

/** A cycle is closed: it starts and ends with the same id, each depends on the next. */
export type Order = { readonly ok: string[] } | { readonly cycle: string[] };

/**
 * A stable topological order: nodes stay as listed, except that what a node depends on is pulled before it.
 * Dependencies on ids that are not listed are left out of account. Linear; the stack is ours, so depth is no limit.
 */
export function dependencyOrder(nodes: readonly Node[]): Order {
  if (nodes.every(({ depends }) => depends.length === 0)) return { ok: [...new Set(nodes.map(({ id }) => id))] };
  const byId = new Map<string, Node>();
  for (const node of nodes) if (!byId.has(node.id)) byId.set(node.id, node);
  const done = new Set<string>();
  for (const root of byId.values()) {
    const cycle = visit(root, byId, done);
    if (cycle) return { cycle };
  }
  return { ok: [...done] };
}

/** Adds a node to `done` after everything it needs; returns the cycle that prevents it. */
function visit(root: Node, byId: ReadonlyMap<string, Node>, done: Set<string>): string[] | undefined {
  const path: { node: Node; next: number }[] = [{ node: root, next: 0 }];
  const open = new Set([root.id]);
  if (done.has(root.id)) return undefined;
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const wanted = top.node.depends[top.next++];
    if (wanted === undefined) {
      done.add(top.node.id);
      open.delete(top.node.id);
      path.pop();
      continue;
    }
    const node = byId.get(wanted);
    if (!node || done.has(wanted)) continue;
    const ids = open.has(wanted) ? path.map((step) => step.node.id) : undefined;
    if (ids) return [...ids.slice(ids.indexOf(wanted)), wanted];
    path.push({ node, next: 0 });
    open.add(wanted);
  }
  return undefined;
}

/** Each node below the last of those it depends on, one level deeper. Nodes that wait for each other come last. */
export function nested<T extends { readonly id: string; readonly dependsOn: readonly string[] }>(nodes: readonly T[]) {
  const placed = new Map<string, { readonly node: T; readonly depth: number }>();
  const waitsFor = ({ dependsOn, id }: T): readonly string[] =>
    dependsOn.filter((each) => each !== id && !placed.has(each) && nodes.some((node) => node.id === each));
  const place = (node: T, depth: number): void => {
    if (placed.has(node.id)) return;
    placed.set(node.id, { node, depth });
    for (const next of nodes)
      if (next.dependsOn.includes(node.id) && waitsFor(next).length === 0) place(next, depth + 1);
  };
  for (const node of nodes) if (waitsFor(node).length === 0) place(node, 0);
  for (const node of nodes) place(node, 0);
  return [...placed.values()];
}
