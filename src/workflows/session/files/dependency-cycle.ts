/** Finds out whether tasks wait for each other. */

interface Node {
  readonly id: string;
  readonly depends: readonly string[];
}

/** A closed cycle, each depending on the next; unknown ids are left out of account. Linear, and the stack is ours. */
export function findCycle(nodes: readonly Node[]): string[] | undefined {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const done = new Set<string>();
  for (const root of byId.values()) {
    const cycle = done.has(root.id) ? undefined : visit(root, byId, done);
    if (cycle) return cycle;
  }
  return undefined;
}

function visit(root: Node, byId: ReadonlyMap<string, Node>, done: Set<string>): string[] | undefined {
  const path: { readonly node: Node; next: number }[] = [{ node: root, next: 0 }];
  const open = new Set([root.id]);
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
    if (open.has(wanted)) {
      const ids = path.map((step) => step.node.id);
      return [...ids.slice(ids.indexOf(wanted)), wanted];
    }
    path.push({ node, next: 0 });
    open.add(wanted);
  }
  return undefined;
}
