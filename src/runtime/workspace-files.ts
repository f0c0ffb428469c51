/** The workspace as workflows see it: by relative path, read-only. */

import { existsSync } from 'node:fs';
import { listFiles, readText } from '../workspace/files.ts';
import { resolveInside, UnsafePath } from '../workspace/paths.ts';
import type { FileView } from '../workflows/workflow.ts';

export function workspaceFiles(root: string): FileView {
  return {
    read: (path) => (isInside(root, path) ? readText(resolveInside(root, path)) : undefined),
    exists: (path) => isInside(root, path) && existsSync(resolveInside(root, path)),
    list: (folder) => listFiles(root, folder),
  };
}

/** Documents may name any path; one that leads outside names nothing here. */
function isInside(root: string, path: string): boolean {
  try {
    resolveInside(root, path);
    return true;
  } catch (error) {
    if (error instanceof UnsafePath) return false;
    throw error;
  }
}
