/** What a role objects to among the changes that its globs allow. */

import { withWrites } from '../workflows/staged-files.ts';
import { contextFrom } from './dispatch-context.ts';
import type { OpenDispatch } from './run-state.ts';
import type { Run } from './run.ts';

/** B5. By path, each with the reason. It is judged by the files as they were, so that no agent widens its own bounds. */
export async function objectionsTo(
  run: Run,
  started: OpenDispatch['started'],
  { changed, paths, treeAfter }: Record<'changed' | 'paths', readonly string[]> & { readonly treeAfter: string },
): Promise<ReadonlyMap<string, string>> {
  const role = run.workflow.roles[started.role];
  const found = new Map<string, string>();
  if (!role?.objection) return found;
  const before = new Map<string, string | null>();
  for (const path of changed) before.set(path, await textIn(run, started.tree, path));
  const context = contextFrom(run, started);
  const files = withWrites(
    context.files,
    [...before].map(([path, content]) => ({ path, content })),
  );
  for (const path of paths) {
    const change = { path, before: before.get(path) ?? null, after: await textIn(run, treeAfter, path) };
    const why = await role.objection(change, { ...context, files });
    if (why !== null) found.set(path, why);
  }
  return found;
}

async function textIn(run: Run, tree: string, path: string): Promise<string | null> {
  return (await run.tree.read(tree, path))?.toString() ?? null;
}
