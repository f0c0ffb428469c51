/** The workspace as workflows see it: by relative path, read-only. */

import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { listFiles, readText } from '../workspace/files.ts';
import { resolveInside, UnsafePath } from '../workspace/paths.ts';
import type { FileView } from '../workflows/workflow.ts';

export function workspaceFiles(root: string, disk: Disk = nodeDisk): FileView {
  const place = (path: string): string | null => placeInside(root, path, disk);
  return {
    read: (path) => {
      const file = place(path);
      return file === null ? undefined : readText(file, disk);
    },
    exists: (path) => {
      const found = place(path);
      return found !== null && disk.exists(found);
    },
    list: (folder) => listFiles(root, folder, disk),
  };
}

/** Documents may name any path; one that leads outside names nothing here. */
function placeInside(root: string, path: string, disk: Disk): string | null {
  try {
    return resolveInside(root, path, disk);
  } catch (error) {
    if (error instanceof UnsafePath) return null;
    throw error;
  }
}
