/** The workspace as workflows see it: by relative path, read-only. */

import type { Disk } from '../disk/disk.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { listFiles, readText } from '../workspace/files.ts';
import { resolveInside, UnsafePath } from '../workspace/safe-paths.ts';
import type { FileView } from '../workflows/workflow.ts';

/** `onLook` is told of every path that is read or looked for. */
export function workspaceFiles(root: string, disk: Disk = nodeDisk, onLook?: (path: string) => void): FileView {
  /** Documents may name any path; one that leads outside names nothing here. */
  const at = <T>(path: string, look: (file: string) => T): T | undefined => {
    onLook?.(path);
    try {
      return look(resolveInside(root, path, disk));
    } catch (error) {
      if (error instanceof UnsafePath) return undefined;
      throw error;
    }
  };
  return {
    read: (path) => at(path, (file) => readText(file, disk)),
    exists: (path) => at(path, (file) => disk.exists(file)) ?? false,
    list: (folder, depth) => listFiles(root, folder, disk, depth),
  };
}
