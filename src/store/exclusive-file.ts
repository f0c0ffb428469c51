import { join } from 'node:path';
import { codeOf, isMissing } from '../disk/disk-error.ts';
import type { Disk } from '../disk/disk.ts';

/** Creates a file that appears whole or not at all; false when there is one of that name already. */
export function createExclusively(disk: Disk, folder: string, name: string, content: string): boolean {
  const draft = join(folder, `.${name}.${process.pid}`);
  try {
    disk.writeFile(draft, content);
    disk.link(draft, join(folder, name));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    removeIfThere(disk, draft);
  }
}

export function removeIfThere(disk: Disk, file: string): void {
  try {
    disk.unlink(file);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
