/** The workspace as workflows see it: by relative path, read-only, with staged writes laid over it. */

import { join } from 'node:path';
import { listFiles, readText } from '../workspace/files.ts';
import { resolveInside } from '../workspace/paths.ts';
import type { FileView, Write } from '../workflows/workflow.ts';

export function workspaceFiles(root: string): FileView {
  return {
    read: (path) => readText(resolveInside(root, path)),
    list: (folder) => listFiles(root, folder),
  };
}

/** A view that shows writes that are staged and not made yet. */
export function overlay(files: FileView, writes: readonly Write[]): FileView {
  const staged = new Map<string, string | null>();
  for (const write of writes) if ('content' in write) staged.set(write.path, write.content);
  return {
    read: (path) => (staged.has(path) ? (staged.get(path) ?? undefined) : files.read(path)),
    list: (folder) => {
      const paths = new Set(files.list(folder));
      for (const [path, content] of staged) {
        if (content === null) paths.delete(path);
        else if (path.startsWith(join(folder, '/'))) paths.add(path);
      }
      return [...paths].toSorted();
    },
  };
}
