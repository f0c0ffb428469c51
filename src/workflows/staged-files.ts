/** A view of files that shows writes that are staged and not made yet. */

import type { FileView, Write } from './workflow.ts';

export function withWrites(files: FileView, writes: readonly Write[]): FileView {
  const staged = new Map<string, string | null>();
  for (const write of writes) if ('content' in write) staged.set(write.path, write.content);
  return {
    read: (path) => (staged.has(path) ? (staged.get(path) ?? undefined) : files.read(path)),
    exists: (path) => (staged.has(path) ? staged.get(path) !== null : files.exists(path)),
    list: (folder, depth) => {
      const paths = new Set(files.list(folder, depth));
      for (const [path, content] of staged) {
        if (content === null) paths.delete(path);
        else if (path.startsWith(`${folder}/`)) paths.add(path);
      }
      return [...paths].toSorted();
    },
  };
}

/** Several edits of one file are one write. */
export function lastOfEach(writes: readonly Write[]): readonly Write[] {
  return [...new Map(writes.map((write) => [write.path, write])).values()];
}
